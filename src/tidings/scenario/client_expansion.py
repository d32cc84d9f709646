"""Where clients are: names of copies, brokers, links. A publisher and a subscriber of one name are one client."""

from collections.abc import Iterator, Sequence

from tidings.scenario.client_tables import PublisherEntry, SubscriberEntry
from tidings.scenario.document import Scenario
from tidings.scenario.link_laws import link_law
from tidings.scenario.overlay_expansion import ExpandedOverlay
from tidings.scenario.overlay_tables import ClientLink
from tidings.scenario.schema import unknown
from tidings.scenario.source import Place
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.streams import Streams


def names_of(entry: PublisherEntry | SubscriberEntry) -> Iterator[str]:
    """Of its copies, in order; without `count` it is its own only copy."""
    if entry.count is None:
        yield entry.id
    else:
        yield from (f"{entry.id}{index}" for index in range(entry.count))


class Clients:
    """Gives every client one broker and one link, whoever asks first.

    What entries say outright is known before anything is drawn, so a publisher finds the broker that a subscriber of
    the same name was given. Where every broker has a site, clients go round the sites in the order of the file.
    """

    def __init__(self, scenario: Scenario, overlay: ExpandedOverlay, streams: Streams) -> None:
        self._overlay, self._streams = overlay, streams
        self._ids = overlay.graph.brokers
        self._known = dict.fromkeys(self._ids)
        self._broker_of: dict[str, str] = {}
        self._link_of: dict[str, ClientLink] = {}
        self._drawn = 0
        self._take("publisher", scenario, scenario.publisher)
        self._take("subscriber", scenario, scenario.subscriber)

    def broker_of(self, client: str) -> str:
        """As given, or drawn from the stream of this client."""
        found = self._broker_of.get(client)
        if found is None:
            found = self._broker_of[client] = self._draw(client)
        return found

    def site_of(self, client: str) -> str | None:
        """The site of its broker."""
        return self._overlay.site_of(self.broker_of(client))

    def link_of(self, client: str) -> LinkLaw | None:
        """Its own link, or the one that `near` describes; None: without delay or loss."""
        own, near = self._link_of.get(client), self._overlay.near
        keys = [one for one in (own, near) if one is not None]
        if not keys:
            return None
        law = link_law(keys, per="packet", streams=self._streams, name=f"delay of client {client}")
        return None if law == LinkLaw() else law

    def _take(self, key: str, scenario: Scenario, entries: Sequence[PublisherEntry | SubscriberEntry]) -> None:
        for index, entry in enumerate(entries):
            if entry.broker is None and entry.link is None:
                continue
            place = scenario.place(key, index)
            if entry.broker is not None and entry.broker not in self._known:
                raise place.child("broker").wrong(entry.broker, unknown("broker", entry.broker, self._known))
            for name in names_of(entry):
                self._fix(place, name, entry.broker, entry.link)

    def _fix(self, place: Place, name: str, broker: str | None, link: ClientLink | None) -> None:
        if broker is not None and self._broker_of.setdefault(name, broker) != broker:
            remedy = f"publisher and subscriber {name} are one client, and it is at {self._broker_of[name]}"
            raise place.child("broker").wrong(broker, remedy)
        if link is not None and self._link_of.setdefault(name, link) != link:
            remedy = f"publisher and subscriber {name} are one client with one link; say it once, or alike"
            raise place.child("link").wrong("{…}", remedy)

    def _draw(self, client: str) -> str:
        candidates = self._ids
        if self._overlay.sites:
            names = list(self._overlay.sites.values())
            candidates = names[self._drawn % len(names)]
            self._drawn += 1
        if len(candidates) == 1:
            return candidates[0]
        return candidates[int(self._streams(f"broker of {client}").integers(len(candidates)))]
