"""Soft state between two neighbours of a tree: what one side wants, as the other knows it.

The `Teller` keeps a numbered set of filters and brings its neighbour up to date: changes as they come, the whole set
where a change was lost or the process is new, a renewal from time to time. The `Listener` holds what it was told, forgets
it when renewals stop, and answers how far it is and how far the brokers beyond it are.

Both are told the time and never wait; lost, repeated and overtaking frames do no harm.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from tidings.vocabulary.frames import Interests, InterestsKnown
from tidings.vocabulary.instant import SECOND

ANSWER_NS: Final = SECOND
"""First wait for an answer that says "known everywhere"; it doubles with every try."""
ANSWER_NS_MAX: Final = 60 * SECOND
TRIES_MAX: Final = 4
"""Unanswered tries after which a neighbour counts as missing; asking goes on, but nobody waits for it."""
RENEWALS_MISSED_MAX: Final = 3
"""Renewals that may fail to come before what was told is forgotten."""


class Known(msgspec.Struct, frozen=True):
    """How far the other side is: everything up to `confirmed` is known beyond it, but for `missing`."""

    confirmed: int
    missing: tuple[str, ...]


class Teller:
    """One side of a link: tells `neighbour` what is wanted on this side of `tree`."""

    def __init__(
        self, *, tree: str, neighbour: str, incarnation: int, renew_ns: int | None, patient: bool = False
    ) -> None:
        self.tree, self.neighbour, self.incarnation, self.renew_ns = tree, neighbour, incarnation, renew_ns
        self._patient = patient
        """Never gives the neighbour up: what is not confirmed there is not confirmed."""
        self.version = 0
        self._wanted: dict[str, None] = {}
        self._told = False
        self._acknowledged = 0
        self._beyond = Known(0, ())
        self._asked = 0
        """Tries since there was something new to ask about."""
        self._unanswered = 0
        self._given_up = False
        self._ask_ns: int | None = None
        self._renew_at_ns: int | None = None

    @property
    def known(self) -> Known:
        """What the neighbour has confirmed; one that does not answer counts as having confirmed, and as missing."""
        if self._given_up:
            return Known(self.version, (self.neighbour,))
        return self._beyond

    @property
    def is_confirmed(self) -> bool:
        """True when the neighbour itself has said that everything is known beyond it."""
        return self._beyond.confirmed == self.version

    @property
    def deadline(self) -> int | None:
        """When `due` has something to say."""
        if self._ask_ns is None or self._renew_at_ns is None:
            return self._ask_ns if self._renew_at_ns is None else self._renew_at_ns
        return min(self._ask_ns, self._renew_at_ns)

    def change(self, added: Iterable[str], removed: Iterable[str], now: int) -> Interests:
        """Take a change in and say it. The first word of a process is always the whole set."""
        added, removed = tuple(added), tuple(removed)
        for text in removed:
            del self._wanted[text]
        self._wanted.update(dict.fromkeys(added))
        self.version += 1
        self._asked = self._unanswered = 0
        self._ask_ns = now + ANSWER_NS
        if not self._told:
            return self.whole(now)
        return Interests(self.tree, self.incarnation, self.version, self.version - 1, added, removed)

    def whole(self, now: int) -> Interests:
        """Everything that is wanted, whatever the neighbour knew before."""
        self._told = True
        if self.renew_ns is not None and self._renew_at_ns is None:
            self._renew_at_ns = now + self.renew_ns
        if self._ask_ns is None:
            self._ask_ns = now + ANSWER_NS
        return Interests(self.tree, self.incarnation, self.version, None, tuple(self._wanted))

    def hear(self, answer: InterestsKnown, now: int) -> Interests | None:
        """Take an answer in; returns the whole set when the neighbour needs it."""
        if answer.behind:
            self._unanswered = 0
            return self.whole(now)
        if answer.incarnation != self.incarnation or max(answer.version, answer.confirmed) > self.version:
            return None
        self._unanswered = 0
        self._acknowledged = max(self._acknowledged, answer.version)
        if answer.confirmed >= self._beyond.confirmed:
            self._beyond = Known(answer.confirmed, answer.missing)
        if self.is_confirmed:
            self._given_up = False
        if self._beyond == Known(self.version, ()):
            self._asked, self._ask_ns = 0, None
        elif self._ask_ns is None:  # it knew more before, or an old answer has come late: the next may be lost
            self._ask_ns = now + ANSWER_NS
        return None

    def deputy(self, neighbour: str, version: int, renew_ns: int | None) -> "Teller":
        """One that tells another broker the same from now on; `version` is the last that it was ever told, or -1."""
        other = Teller(tree=self.tree, neighbour=neighbour, incarnation=self.incarnation, renew_ns=renew_ns)
        other.version, other._wanted = version + 1, dict(self._wanted)
        return other

    def farewell(self) -> Interests:
        """The last word: from us nothing is wanted there any more."""
        return Interests(self.tree, self.incarnation, self.version + 1, None)

    def despair(self) -> None:
        """The neighbour cannot be reached: nobody waits for it, unless with patience."""
        self._given_up = not self._patient

    def hurry(self, now: int) -> None:
        """The neighbour is there again: whatever it was asked, it is asked at once."""
        if self._ask_ns is not None:
            self._asked, self._ask_ns = 0, now

    def due(self, now: int) -> Interests | None:
        """What must be said at `now`: the whole set again while unacknowledged, else a renewal."""
        asks = self._ask_ns is not None and self._ask_ns <= now
        renews = self._renew_at_ns is not None and self._renew_at_ns <= now
        if not (asks or renews):
            return None
        if renews and self.renew_ns is not None:
            self._renew_at_ns = now + self.renew_ns
        if asks:
            self._asked += 1
            self._unanswered += 1
            self._given_up |= self._unanswered > TRIES_MAX and not self._patient
            self._ask_ns = now + min(ANSWER_NS << min(self._asked, TRIES_MAX + 2), ANSWER_NS_MAX)
        if self._acknowledged < self.version:
            return self.whole(now)
        return Interests(self.tree, self.incarnation, self.version, self.version)


class Change(msgspec.Struct, frozen=True):
    """What a frame changed in what the other side wants."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    behind: bool = False
    """The frame could not be applied: the whole set must be asked for."""


class Listener:
    """The other side: what the neighbour wants, as far as it told."""

    def __init__(self, *, renew_ns: int | None) -> None:
        self.renew_ns = renew_ns
        self.incarnation = -1
        self.version = -1
        self.deadline: int | None = None
        """When what is wanted is forgotten, unless renewed."""
        self._wanted: dict[str, None] = {}

    def learn(self, frame: Interests, now: int) -> Change | None:
        """Apply what the neighbour says; None for words older than what is known."""
        if frame.incarnation < self.incarnation:
            return None
        same = frame.incarnation == self.incarnation
        if same and frame.version < self.version:
            return None
        if frame.base is None:
            change = self._replace(frame.added)
        elif same and frame.version == self.version:
            change = Change()
        elif same and frame.base == self.version:
            change = self._apply(frame)
        else:
            return Change(behind=True)
        self.incarnation, self.version = frame.incarnation, frame.version
        if self.renew_ns is not None:
            self.deadline = now + RENEWALS_MISSED_MAX * self.renew_ns
        return change

    def whole(self, tree: str) -> Interests:
        """All that is wanted, as the neighbour would say it."""
        return Interests(tree, self.incarnation, self.version, None, tuple(self._wanted))

    def forget(self) -> Change:
        """Renewals have stopped: nothing is wanted any more, and the next word must be the whole set."""
        self.version, self.deadline = -1, None
        return self._replace(())

    def _replace(self, texts: tuple[str, ...]) -> Change:
        wanted = dict.fromkeys(texts)
        added = tuple(text for text in wanted if text not in self._wanted)
        removed = tuple(text for text in self._wanted if text not in wanted)
        self._wanted = wanted
        return Change(added, removed)

    def _apply(self, frame: Interests) -> Change:
        added = tuple(text for text in dict.fromkeys(frame.added) if text not in self._wanted)
        removed = tuple(text for text in dict.fromkeys(frame.removed) if text in self._wanted)
        for text in removed:
            del self._wanted[text]
        self._wanted.update(dict.fromkeys(added))
        return Change(added, removed)
