"""What one session wants: its subscriptions, and with which of them an event is sent to it."""

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from tidings.matching import BitsetMatcher
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed

WISH: Final = "$tidings/wish/"
"""Topic filters of our client: a wish by its number, which stands for its content filter alone."""
_WILDCARDS: Final = ("+", "#")


class Subscription(msgspec.Struct, frozen=True, array_like=True):
    """One topic filter of a session, with what was granted."""

    pattern: str
    number: int
    """The session's own, never used again."""
    content: str = ""
    """The content filter; empty: none."""
    qos: int = 0
    no_local: bool = False
    as_published: bool = False
    identifier: int | None = None

    @property
    def text(self) -> str:
        """All that it wants, as one filter."""
        return filter_text(self.pattern, self.content)


class Grant(NamedTuple):
    """How an event is sent: highest quality of service, identifiers of subscriptions, the retain flag as it came."""

    qos: int
    ids: tuple[int, ...]
    as_published: bool


def filter_text(pattern: str, content: str) -> str:
    """A topic filter and a content filter as one."""
    if pattern.startswith(WISH):
        return content or "true"
    quoted = json.dumps(pattern, ensure_ascii=False)
    on_topic = f"topic matches {quoted}" if any(sign in pattern for sign in _WILDCARDS) else f"topic == {quoted}"
    return f"{on_topic} and ({content})" if content else on_topic


class Subscriptions:
    """All of one session's, by topic filter."""

    __slots__ = ("_by_number", "_by_pattern", "_matcher", "next_number", "sole")

    def __init__(self) -> None:
        self._by_pattern: dict[str, Subscription] = {}
        self._by_number: dict[int, Subscription] = {}
        self._matcher = BitsetMatcher()
        self.next_number = 0
        self.sole: Grant | None = None
        """How every event is sent, where there is one subscription and it excludes nobody."""

    def __len__(self) -> int:
        return len(self._by_pattern)

    def __iter__(self) -> Iterator[Subscription]:
        return iter(self._by_pattern.values())

    def get(self, pattern: str) -> Subscription | None:
        """The subscription with this topic filter."""
        return self._by_pattern.get(pattern)

    def put(self, one: Subscription) -> None:
        """Add it, in the place of one with the same topic filter."""
        self.remove(one.pattern)
        self._by_pattern[one.pattern] = self._by_number[one.number] = one
        self._matcher.add(one.number, parsed(one.text))
        self.next_number = max(self.next_number, one.number + 1)
        self._find_sole()

    def remove(self, pattern: str) -> Subscription | None:
        """Take one away; None when there is none."""
        one = self._by_pattern.pop(pattern, None)
        if one is not None:
            del self._by_number[one.number]
            self._matcher.remove(one.number)
            self._find_sole()
        return one

    def grant(self, event: Event, owner: str) -> Grant | None:
        """How `event` is sent to the session of `owner`; None: not at all."""
        found = [self._by_number[key] for key in self._matcher.match((event,))[0].tolist()]
        if event.publisher == owner:
            found = [one for one in found if not one.no_local]
        return _together(found) if found else None

    def _find_sole(self) -> None:
        ones = list(self._by_pattern.values())
        self.sole = _together(ones) if len(ones) == 1 and not ones[0].no_local else None


def _together(ones: list[Subscription]) -> Grant:
    ids = tuple(one.identifier for one in ones if one.identifier is not None)
    return Grant(max(one.qos for one in ones), ids, any(one.as_published for one in ones))
