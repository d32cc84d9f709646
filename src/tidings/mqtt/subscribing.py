"""SUBSCRIBE and UNSUBSCRIBE: what is granted, what the broker machine is told, and which retained messages are sent.

A SUBACK says that the wishes are known at every broker that answers, and in user properties `missing` at which they are
not. Where that takes longer than a second, the SUBACK goes out all the same, with the user property `unconfirmed`.
"""

from dataclasses import dataclass
from typing import Final

from tidings.errors import FilterError, PacketRefused
from tidings.mqtt.house import CONFIRM, House
from tidings.mqtt.link import Link
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.publication import as_kept
from tidings.mqtt.records import Subscribed, Unsubscribed
from tidings.mqtt.session import Session
from tidings.mqtt.subscriptions import WISH, Grant, Subscription, filter_text
from tidings.vocabulary import frames
from tidings.vocabulary.filter_logic import topics_of
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.predicate import predicate
from tidings.wire.mqtt_packets import Properties, Suback, Subscribe, TopicWish, Unsuback, Unsubscribe
from tidings.wire.mqtt_reasons import Reason

FILTER: Final = "filter"
ORDER: Final = "order"
MISSING: Final = "missing"
UNCONFIRMED: Final = "unconfirmed"
PATIENCE_NS: Final = SECOND
_SHARED: Final = "$share/"
_OURS: Final = "$tidings"
_EVERYTHING: Final = "#"
_RETAIN_IF_NEW, _RETAIN_NEVER = 1, 2


@dataclass(slots=True)
class _Asked:
    """One SUBSCRIBE on its way to its SUBACK."""

    link: Link
    packet_id: int
    reasons: list[int]
    numbers: dict[int, None]
    """Wishes that are not known everywhere yet."""
    due_ns: int
    text: str | None = None
    """Why something was refused."""
    missing: dict[str, None] | None = None

    def say(self) -> None:
        """Send the SUBACK."""
        user = [(UNCONFIRMED, "")] if self.numbers else []
        user += [(MISSING, name) for name in self.missing or {}]
        properties = Properties(reason_text=self.text, user=tuple(user))
        self.link.say(Suback(packet_id=self.packet_id, reasons=tuple(self.reasons), properties=properties))


class Subscribing:
    """One front's."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._asked: dict[int, list[_Asked]] = {}
        """By session."""

    def subscribe(self, session: Session, link: Link, packet: Subscribe) -> None:
        """A client wants more, or the same otherwise."""
        asked = _Asked(link, packet.packet_id, [], {}, self.house.now + PATIENCE_NS)
        for wish in packet.wishes:
            try:
                content = _content(packet.properties)
                asked.reasons.append(self._grant(session, link, (wish, content, packet.properties), asked.numbers))
            except PacketRefused as refusal:
                asked.reasons.append(refusal.reason)
                asked.text = str(refusal)
        if not asked.numbers:
            asked.say()
            return
        waiting = self._asked.setdefault(session.identity.number, [])
        waiting.append(asked)
        self.house.timers.set((CONFIRM, session.identity.number), waiting[0].due_ns)

    def unsubscribe(self, session: Session, link: Link, packet: Unsubscribe) -> None:
        """A client wants less."""
        reasons = []
        for pattern in packet.patterns:
            one = session.subscriptions.remove(pattern)
            reasons.append(Reason.SUCCESS if one is not None else Reason.NO_SUBSCRIPTION_EXISTED)
            if one is not None:
                self.house.say(session.name, frames.Unsubscribe(one.number))
                if session.identity.durable:
                    self.house.ledger.note(Unsubscribed(session.identity.number, pattern))
        link.say(Unsuback(packet_id=packet.packet_id, reasons=tuple(reasons)))

    def known(self, session: Session, frame: frames.Subscribed) -> None:
        """A wish is known everywhere but behind those who are missing."""
        for asked in self._asked.get(session.identity.number, []):
            if frame.number in asked.numbers:
                del asked.numbers[frame.number]
                asked.missing = {**(asked.missing or {}), **dict.fromkeys(frame.missing)}
        self._answer(session)

    def answer_due(self, session: Session) -> None:
        """The patience of one SUBSCRIBE has ended."""
        self._answer(session)

    def forget(self, session: Session) -> None:
        """The session's connection is gone: nobody waits for confirmation any more."""
        self._asked.pop(session.identity.number, None)
        self.house.timers.clear((CONFIRM, session.identity.number))

    def _answer(self, session: Session) -> None:
        """Send the SUBACKs that are confirmed or due."""
        number = session.identity.number
        waiting = []
        for asked in self._asked.pop(number, []):
            if asked.numbers and asked.due_ns > self.house.now:
                waiting.append(asked)
            else:
                asked.say()
        if waiting:
            self._asked[number] = waiting
            self.house.timers.set((CONFIRM, number), waiting[0].due_ns)

    def _grant(
        self, session: Session, link: Link, what: tuple[TopicWish, str, Properties], new: dict[int, None]
    ) -> int:
        """Take one wish, and give its reason; what the brokers must learn of is put into `new`."""
        wish, content, properties = what
        before = session.subscriptions.get(wish.pattern)
        self._check(session, link, wish.pattern, content)
        identifier = properties.subscription_ids[0] if properties.subscription_ids else None
        same = before is not None and before.content == content
        one = Subscription(
            pattern=wish.pattern,
            number=before.number if before is not None and same else session.subscriptions.next_number,
            content=content,
            qos=min(wish.qos, 1) if link.carries else wish.qos,
            no_local=wish.no_local,
            as_published=wish.retain_as_published,
            identifier=identifier,
        )
        session.subscriptions.put(one)
        if session.identity.durable:
            self.house.ledger.note(Subscribed(session.identity.number, one))
        if not same:
            new[one.number] = None
            self.house.say(session.name, frames.Subscribe(one.number, one.text))
            if before is not None:
                self.house.say(session.name, frames.Unsubscribe(before.number))
        if wish.retain_handling != _RETAIN_NEVER and not (
            wish.retain_handling == _RETAIN_IF_NEW and before is not None
        ):
            self._send_retained(session, one)
        return one.qos

    def _check(self, session: Session, link: Link, pattern: str, content: str) -> None:
        """PacketRefused unless the session may have this."""
        subscriptions = session.subscriptions
        if pattern.startswith(_SHARED):
            raise PacketRefused(Reason.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED, "there are no shared subscriptions here")
        if pattern.startswith(_OURS) and not (link.carries and pattern.startswith(WISH)):
            raise PacketRefused(Reason.TOPIC_FILTER_INVALID, "topics below $tidings are for carriers")
        if subscriptions.get(pattern) is None and len(subscriptions) >= self.house.limits.subscriptions_max:
            raise PacketRefused(Reason.QUOTA_EXCEEDED, f"at most {self.house.limits.subscriptions_max} subscriptions")
        _parse(filter_text(pattern, content))
        topics = topics_of(parsed(content)) if pattern.startswith(WISH) and content else None
        patterns = (_EVERYTHING,) if pattern.startswith(WISH) and topics is None else topics or (pattern,)
        rights = self.house.rights_of(session.identity.principal)
        if not any(rights.may_subscribe(one) for one in patterns):
            raise PacketRefused(Reason.NOT_AUTHORIZED, "no right to anything that this asks for")

    def _send_retained(self, session: Session, one: Subscription) -> None:
        pattern = _EVERYTHING if one.pattern.startswith(WISH) else one.pattern
        wants = predicate(parsed(one.text))
        grant = Grant(one.qos, () if one.identifier is None else (one.identifier,), as_published=True)
        for event in list(self.house.retained.matching(pattern, self.house.now)):
            if wants(event):
                session.offer_retained(Parcel(as_kept(event), self.house.now), grant)


def _content(properties: Properties) -> str:
    """The content filter of a SUBSCRIBE; PacketRefused when there are two, or it does not parse, or an order is asked for."""
    if any(name == ORDER and value != "none" for name, value in properties.user):
        raise PacketRefused(Reason.IMPLEMENTATION_SPECIFIC_ERROR, 'order: this broker has "none" only')
    found = [value for name, value in properties.user if name == FILTER]
    if len(found) > 1:
        raise PacketRefused(Reason.PROTOCOL_ERROR, "a SUBSCRIBE carries at most one filter")
    for text in found:
        _parse(text)
    return found[0] if found else ""


def _parse(text: str) -> None:
    try:
        parsed(text)
    except FilterError as problem:
        sentence = f"filter, column {problem.column}: {problem.problem}"
        raise PacketRefused(Reason.IMPLEMENTATION_SPECIFIC_ERROR, sentence) from None
