"""What the application wants, what the broker was told of it, and to which subscriptions an event goes.

Subscriptions of the application with one topic filter share one of MQTT. Content filters are sent along, and every event
is looked at again here: a broker that knows no filters then still shows the application only what it wants.
"""

from dataclasses import dataclass, field
from typing import Final

from tidings.errors import RequestRefused, TidingsError
from tidings.mqtt_client.notices import Granted, SubscriptionRequested
from tidings.mqtt_client.options import KEPT_REMEMBERED, TOPICS_REMEMBERED
from tidings.mqtt_client.packet_ids import PacketIds
from tidings.mqtt_client.terms import Terms
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.predicate import Predicate, predicate
from tidings.vocabulary.topic import matches_pattern
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties, Suback, Subscribe, TopicWish, Unsuback, Unsubscribe
from tidings.wire.mqtt_reasons import FAILURE

FILTER: Final = "filter"
_RETAINED_ALWAYS, _RETAINED_NEVER = 0, 2


@dataclass(slots=True)
class Interest:
    """One subscription of the application."""

    number: int
    pattern: str
    content: str
    qos: int
    retained: bool
    wants: Predicate | None
    kept: dict[str, int] = field(default_factory=dict)
    """Retained events that it was shown last, by topic: identity or digest."""


@dataclass(slots=True)
class _Wish:
    """One subscription of MQTT."""

    identifier: int
    members: dict[int, Interest] = field(default_factory=dict)
    asked: bool = False
    """The broker was told, on this session."""


class Interests:
    """One client's."""

    def __init__(self, ids: PacketIds) -> None:
        self._ids = ids
        self._interests: dict[int, Interest] = {}
        self._wishes: dict[str, _Wish] = {}
        self._by_identifier: dict[int, str] = {}
        self._asked: dict[int, tuple[str, tuple[int, ...]]] = {}
        """SUBSCRIBEs without answer: topic filter, and the interests that wait for it."""
        self._leaving: dict[int, str] = {}
        """UNSUBSCRIBEs without answer."""
        self._by_topic: dict[str, tuple[Interest, ...]] = {}
        self._next_identifier = 1
        self._terms: Terms | None = None
        self.write: list[bytes] = []
        self.granted: list[Granted] = []

    def __len__(self) -> int:
        return len(self._interests)

    @property
    def awaits(self) -> bool:
        """True while the broker owes an answer."""
        return bool(self._asked or self._leaving)

    # ---- what the application wants

    def add(self, notice: SubscriptionRequested) -> None:
        """One more; its texts are sound."""
        wants = predicate(parsed(notice.content)) if notice.content else None
        interest = Interest(notice.number, notice.pattern, notice.content, notice.qos, notice.retained, wants)
        self._interests[notice.number] = interest
        self._by_topic.clear()
        wish = self._wishes.get(notice.pattern)
        if wish is None:
            wish = self._wishes[notice.pattern] = _Wish(self._next_identifier)
            self._by_identifier[wish.identifier] = notice.pattern
            self._next_identifier += 1
        wish.members[notice.number] = interest
        self._ask(notice.pattern, (notice.number,))

    def remove(self, number: int) -> None:
        """One less."""
        interest = self._interests.pop(number, None)
        if interest is None:
            return
        self._by_topic.clear()
        wish = self._wishes[interest.pattern]
        del wish.members[number]
        if wish.members:
            if interest.content:
                self._ask(interest.pattern, (), retained=False)
            return
        del self._wishes[interest.pattern], self._by_identifier[wish.identifier]
        if self._terms is not None and wish.asked:
            packet_id = self._ids.take()
            self._leaving[packet_id] = interest.pattern
            self.write.append(encode_packet(Unsubscribe(packet_id=packet_id, patterns=(interest.pattern,))))

    # ---- connections

    def resume(self, terms: Terms) -> None:
        """The broker has let us in: tell it what it does not know."""
        self._terms = terms
        if not terms.session_present:  # what is retained may have changed meanwhile
            for interest in self._interests.values():
                interest.kept.clear()
        unanswered = {number for _, numbers in self._asked.values() for number in numbers}
        again = {pattern for pattern, _ in self._asked.values()}
        left = [pattern for pattern in self._leaving.values() if pattern not in self._wishes]
        for packet_id in (*self._asked, *self._leaving):
            self._ids.give_back(packet_id)
        self._asked.clear()
        self._leaving.clear()
        for pattern, wish in self._wishes.items():
            if not (terms.session_present and wish.asked) or pattern in again:
                new = [number for number in wish.members if number in unanswered or not wish.asked]
                self._ask(pattern, tuple(new))
        if terms.session_present:
            for pattern in left:
                packet_id = self._ids.take()
                self._leaving[packet_id] = pattern
                self.write.append(encode_packet(Unsubscribe(packet_id=packet_id, patterns=(pattern,))))

    def pause(self) -> None:
        """The connection is gone."""
        self._terms = None

    def _ask(self, pattern: str, numbers: tuple[int, ...], *, retained: bool | None = None) -> None:
        if self._terms is None:
            return
        wish = self._wishes[pattern]
        members = list(wish.members.values())
        if retained is None:
            retained = any(one.retained for one in members)
        texts = list(dict.fromkeys(one.content for one in members))
        content = "" if "" in texts else texts[0] if len(texts) == 1 else " or ".join(f"({text})" for text in texts)
        pairs = ((FILTER, content),) if content else ()
        ids = (wish.identifier,) if self._terms.ids_available else ()
        properties = Properties(user=pairs, subscription_ids=ids) if pairs or ids else NO_PROPERTIES
        packet_id = self._ids.take()
        self._asked[packet_id] = pattern, numbers
        wish.asked = True
        one = TopicWish(
            pattern=pattern,
            qos=max(one.qos for one in members),
            retain_as_published=False,
            retain_handling=_RETAINED_ALWAYS if retained else _RETAINED_NEVER,
        )
        self.write.append(encode_packet(Subscribe(packet_id=packet_id, wishes=(one,), properties=properties)))

    # ---- answers

    def suback(self, packet: Suback) -> None:
        """The broker grants a wish, or refuses it: then whoever shares it is told."""
        pattern, numbers = self._asked.pop(packet.packet_id, (None, ()))
        if pattern is None:
            return
        self._ids.give_back(packet.packet_id)
        reason = packet.reasons[0] if packet.reasons else FAILURE
        if reason < FAILURE:
            self.granted += [Granted(number, reason, None, packet.properties.user) for number in numbers]
            return
        sentence = packet.properties.reason_text or "the broker does not grant it"
        self._refuse(pattern, RequestRefused(reason, f"subscribe to {pattern!r}: {sentence}"))

    def unsuback(self, packet: Unsuback) -> None:
        """The broker has forgotten a wish."""
        if self._leaving.pop(packet.packet_id, None) is not None:
            self._ids.give_back(packet.packet_id)

    def _refuse(self, pattern: str, refusal: TidingsError) -> None:
        wish = self._wishes.pop(pattern, None)
        if wish is None:
            return
        del self._by_identifier[wish.identifier]
        self._by_topic.clear()
        for number in wish.members:
            del self._interests[number]
            self.granted.append(Granted(number, 0, refusal))

    # ---- events

    def wanting(self, event: Event, ids: tuple[int, ...] = ()) -> list[Interest]:
        """Who is shown an event; `ids` are the subscriptions that the broker sent it for, where it says so."""
        found = self._by_topic.get(event.topic)
        if found is None:
            found = self._look(event.topic)
        if ids:
            patterns = [self._by_identifier.get(identifier) for identifier in ids]
            found = tuple(one for one in found if one.pattern in patterns)
        return [one for one in found if one.wants is None or one.wants(event)]

    def sole(self, topic: str) -> Interest | None:
        """The only one who could be shown events of a topic, if it then is shown all of them."""
        found = self._by_topic.get(topic)
        if found is None:
            found = self._look(topic)
        return found[0] if len(found) == 1 and found[0].wants is None else None

    def _look(self, topic: str) -> tuple[Interest, ...]:
        if len(self._by_topic) >= TOPICS_REMEMBERED:
            self._by_topic.clear()
        interests = self._interests.values()
        found = self._by_topic[topic] = tuple(one for one in interests if matches_pattern(one.pattern, topic))
        return found


def newest_without(interests: list[Interest], topic: str, mark: int) -> Interest | None:
    """Who is shown a retained event: each subscription has asked for one copy, the latest one last."""
    for interest in reversed(interests):
        if interest.kept.get(topic) != mark:
            if len(interest.kept) >= KEPT_REMEMBERED:
                del interest.kept[next(iter(interest.kept))]
            interest.kept[topic] = mark
            return interest
    return None
