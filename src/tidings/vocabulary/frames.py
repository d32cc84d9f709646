"""Frames: what processes say to each other. The simulator hands them over as they are, `tidings.wire` as bytes.

A client speaks `Publish`, `Subscribe`, `Unsubscribe` to its broker and hears `Accepted`, `Subscribed`, `Deliver`.
Brokers speak `Forward`, `Received`, `Interests` and `InterestsKnown` to each other, and `LinkReports` where they lead events
around failures; where events are addressed to brokers `Routed` or `Packet` and `PacketTaken` instead of the first four. A
client that roams says `MoveIn` to a broker that it comes to. Brokers that are no neighbours, or whose link has failed, speak in
`Relayed` frames. A client that roams and its home, a broker that never changes, speak through the broker that it has come to:
`Homeward` frames one way, plain ones the other, and `ClientSays` and `ClientHears` between the two.
"""

from typing import Literal, TypeAlias

import msgspec

from tidings.vocabulary.event import Event


class Publish(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A client asks its broker to take an event."""

    event: Event


class Accepted(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """The broker has taken the event; what that means for a crash is the mechanism's promise."""

    event_id: int


Keeping: TypeAlias = Literal["plain", "receipts", "repairs", "none"]
"""What a broker that keeps events does for a client, the same for all its wishes.

*plain*: what was handed to the client has reached it. *receipts*: the client acknowledges each event with `Received`, and is
sent it again until then. *repairs*: the same, but others bring it the events too, and it is sent only what it has not
acknowledged in time. *none*: it only passes through; nothing is kept for it.
"""


class Subscribe(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A client wants what `filter` holds for; `number` is its own name for the wish. Repeating it is harmless."""

    number: int
    filter: str
    keeping: Keeping = "plain"


class Unsubscribe(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A client takes wish `number` back."""

    number: int


class Subscribed(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """Wish `number` is known everywhere but behind `missing`: brokers that did not answer. May come again, better."""

    number: int
    missing: tuple[str, ...] = ()


class Deliver(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """An event for a client, wanted by one or more of its wishes."""

    event: Event


class Forward(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """An event on its way over an overlay link."""

    event: Event


class Received(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A neighbour has these events in safe keeping, or a client was shown them; they need not be sent to it again."""

    event_ids: tuple[int, ...]


class Interests(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """What the sender's side of a tree wants, as a change from `base` to `version`, or whole when `base` is None.

    Nothing added or removed on top of `base == version` is a renewal: it asks "do you still know this?".
    """

    tree: str
    incarnation: int
    version: int
    base: int | None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class InterestsKnown(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """Answer to `Interests`: the receiver is at `version`, and all brokers beyond it are at `confirmed`.

    `behind` says that the change could not be applied and the whole is needed. `missing` names brokers beyond that do
    not answer; they are not waited for.
    """

    tree: str
    incarnation: int
    version: int
    confirmed: int
    behind: bool = False
    missing: tuple[str, ...] = ()


class MoveIn(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A roaming client comes to a broker: its wishes by its own numbers, and the broker where it was before.

    `session` grows by one with every coming; at `previous` it was in the one before. Repeating it is harmless.
    """

    session: int
    previous: str | None
    wishes: tuple[tuple[int, str], ...]


class MoveOut(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A roaming client is out of reach: said by itself, or by whoever notices that its connection is gone."""

    session: int


class HandoffAsked(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """Asks the broker where a client was in `session` for the events that wait there, from place `start` on.

    `copy`: they stay there too. `closing`: the asker's interest is known everywhere, so no more need be taken in there.
    """

    client: str
    session: int
    start: int
    copy: bool
    closing: bool


class HandedOver(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """Answer to `HandoffAsked`: waiting events by their places from `start` on; `complete` when no more will follow."""

    client: str
    session: int
    start: int
    events: tuple[Event, ...]
    complete: bool


class StandBy(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A client went out of reach at the end of `session` and may come to you: take its events in; `over`: no longer."""

    client: str
    session: int
    wishes: tuple[tuple[int, str], ...] = ()
    over: bool = False


class PublishInTurn(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A client that roams asks its home to take an event, as number `number` of its events; it has all from `first` on."""

    number: int
    first: int
    event: Event


Homely: TypeAlias = MoveIn | MoveOut | Unsubscribe | Received | PublishInTurn
"""What a client says to its home; `MoveIn`: it is where this came from, and these are its wishes."""


class Homeward(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """A client asks the broker that it has come to, to tell its home something."""

    home: str
    frame: Homely


class ClientSays(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """To a client's home, from the broker that the client has come to."""

    client: str
    frame: Homely


class ClientHears(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """From a client's home, to the broker that it had come to in `session`."""

    client: str
    session: int
    frame: Deliver | Accepted | Subscribed


AboutClients: TypeAlias = HandoffAsked | HandedOver | StandBy
AtHome: TypeAlias = ClientSays | ClientHears


class Relayed(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """From the first broker of `way` to the last, over those between; nobody on the way acknowledges it."""

    way: tuple[str, ...]
    frame: AboutClients | AtHome | Forward | Interests | InterestsKnown

    def after(self, here: str) -> str | None:
        """Where it goes from the broker `here`; None at the end of its way. ValueError when it does not come through there."""
        place = self.way.index(here, 1)
        return self.way[place + 1] if place + 1 < len(self.way) else None


class LinkReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Which neighbours `broker` has lost. A later incarnation, and in it a later version, is newer."""

    broker: str
    incarnation: int
    version: int
    lost: tuple[str, ...]
    wants: tuple[str, ...] = ()
    """Filters of what its clients want, where events are addressed to brokers."""
    links: tuple[tuple[str, int, float], ...] = ()
    """What it measured of its links: neighbour, delay in nanoseconds, share that arrives."""
    asks: bool = False
    """Whoever learns this report is to say so to its author (`ReportHeard`)."""


class LinkReports(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """What the sender has learned that brokers say of themselves."""

    reports: tuple[LinkReport, ...]


class LinkReportsKnown(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """Answer to `LinkReports`: the receiver is as far as this, by broker: incarnation and version."""

    known: tuple[tuple[str, int, int], ...]


class ReportHeard(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """On its way back to authors of reports: author, incarnation, version, and the broker that learned it."""

    heard: tuple[tuple[str, int, int, str], ...]


class Routed(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """An event whose ways were decided where it started: each from the receiver on, the destination last."""

    event: Event
    ways: tuple[tuple[str, ...], ...]


class Guard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Asks the receiver of a packet to send its event to `destination` at `release_ns`, unless it hears that it is there."""

    destination: str
    release_ns: int
    tell: tuple[str, ...]
    """Who wants to hear that it got there."""


class Packet(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """An event for brokers, each of which the receiver has to reach as it thinks best (DCRD).

    `number` is the sender's own for this copy, `path` the walk so far, the sender last; `attempt` counts the times that the
    same copy was sent before, `round` how often the broker where the event started has begun anew.
    """

    event: Event
    number: int
    destinations: tuple[str, ...]
    path: tuple[str, ...]
    attempt: int = 0
    round: int = 0
    back: bool = False
    """Given back to the broker that it came from."""
    guards: tuple[Guard, ...] = ()
    tells: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By destination, who wants to hear that the event got there."""
    spare: bool = False
    """A second copy, for which nobody answers any more once it is taken."""


class Reached(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """An event has come to `broker`; on its way to those who want to hear so, each way from the receiver on."""

    event_id: int
    broker: str
    ways: tuple[tuple[str, ...], ...]


class PacketTaken(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True, gc=False):
    """The receiver answers for this copy from now on, but for the destinations that it declines: it has had those before."""

    number: int
    declined: tuple[str, ...] = ()


Frame: TypeAlias = (
    Publish
    | Accepted
    | Subscribe
    | Unsubscribe
    | Subscribed
    | Deliver
    | Forward
    | Received
    | Interests
    | InterestsKnown
    | MoveIn
    | MoveOut
    | Homeward
    | Relayed
    | LinkReports
    | LinkReportsKnown
    | ReportHeard
    | Routed
    | Packet
    | PacketTaken
    | Reached
)


def event_of(frame: Frame) -> Event | None:
    """The event that a frame brings on, None for frames about something else."""
    if type(frame) is Relayed:
        return frame.frame.event if type(frame.frame) is Forward else None
    return frame.event if isinstance(frame, Forward | Publish | Deliver | Routed | Packet) else None
