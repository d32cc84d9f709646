"""What brokers say of themselves, as one broker knows it: every broker reports to all that it can reach.

A report names lost neighbours, so that everybody knows which links of the overlay work; where events are addressed to
brokers it also says what clients want and what was measured of links. A report goes from neighbour to neighbour and is said again until it is acknowledged. A neighbour that returns, or comes back
without memory, is told everything. A link works when neither of its ends reports the other lost; of whom nothing was
reported, all links work.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from tidings.vocabulary.frames import Frame, LinkReport, LinkReports, LinkReportsKnown
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import SendFrame
from tidings.vocabulary.overlay import Overlay

SAY_AGAIN_NS: Final = SECOND
"""First wait for an acknowledgement; twice as long before each further one, up to `SAY_AGAIN_NS_MAX`."""
SAY_AGAIN_NS_MAX: Final = 60 * SECOND


class _Owed:
    """Brokers whose reports one neighbour has not acknowledged."""

    __slots__ = ("again_ns", "brokers", "unsaid", "wait_ns")

    def __init__(self) -> None:
        self.brokers: dict[str, None] = {}
        self.unsaid: dict[str, None] = {}
        """Those of them whose report was not said yet."""
        self.again_ns: int | None = None
        self.wait_ns = SAY_AGAIN_NS

    def add(self, brokers: Iterable[str]) -> None:
        """To be said at once."""
        new = dict.fromkeys(brokers)
        self.brokers.update(new)
        self.unsaid.update(new)

    def due(self, now: int) -> list[str]:
        """What is to be said: whatever was not said yet, and in time everything again."""
        if self.again_ns is not None and self.again_ns <= now:
            self.wait_ns = min(2 * self.wait_ns, SAY_AGAIN_NS_MAX)
            said = self.brokers
        elif self.unsaid:
            self.wait_ns = SAY_AGAIN_NS
            said = self.unsaid
        else:
            return []
        self.again_ns, self.unsaid = now + self.wait_ns, {}
        return list(said)


class LinkState:
    """One broker's view and its part in spreading it."""

    def __init__(self, here: str, overlay: Overlay) -> None:
        self.here, self._overlay = here, overlay
        self._neighbours = dict.fromkeys(overlay.neighbours(here))
        self._brokers = dict.fromkeys(overlay.brokers)
        self._reports = {here: LinkReport(here, 0, 0, ())}
        self._lost: dict[str, None] = {}
        """Our own lost neighbours."""
        self._owed = {name: _Owed() for name in self._neighbours}
        self._answers: dict[str, list[tuple[str, int, int]]] = {}
        self._teachers: dict[str, str] = {}
        """By author, the neighbour from whom its last report came."""
        self._news: list[LinkReport] = []
        self.version = 0
        """Grows whenever other links work than before."""
        self._ways: dict[str, tuple[str, ...]] | None = None

    # ---- what is known

    def is_neighbour(self, name: str) -> bool:
        """True when a link of the overlay leads there."""
        return name in self._neighbours

    def works(self, one: str, other: str) -> bool:
        """True when neither end of a link reports the other lost."""
        return not (self._says_lost(one, other) or self._says_lost(other, one))

    def way(self, to: str) -> tuple[str, ...] | None:
        """The shortest way to a broker over links that work, both ends included; None: there is none."""
        if self._ways is None:
            self._ways = self._find_ways()
        return self._ways.get(to)

    def report_of(self, broker: str) -> LinkReport | None:
        """The last that a broker said of itself; None: nothing yet."""
        return self._reports.get(broker)

    def teacher(self, author: str) -> str | None:
        """The neighbour from whom an author's last report came; None: there was none."""
        return self._teachers.get(author)

    def take_news(self) -> list[LinkReport]:
        """Reports of others that were learned since the last call."""
        news, self._news = self._news, []
        return news

    # ---- what comes in

    def say(self, wants: tuple[str, ...], links: tuple[tuple[str, int, float], ...], *, asks: bool) -> int:
        """Report what clients want and links are good for, to be told to everybody; gives the report's version."""
        own = self._reports[self.here]
        self._take(LinkReport(self.here, own.incarnation, own.version + 1, own.lost, wants, links, asks))
        self._owe((self.here,))
        return own.version + 1

    def begin(self, incarnation: int) -> None:
        """A new process. After a crash its neighbours hear of it, since they may hold what an earlier one reported."""
        self._reports[self.here] = LinkReport(self.here, incarnation, 0, ())
        if incarnation > 0:
            self._owe((self.here,))

    def lost(self, neighbour: str) -> None:
        """The failure detector gave a neighbour up."""
        if neighbour in self._neighbours and neighbour not in self._lost:
            self._lost[neighbour] = None
            self._owed[neighbour] = _Owed()
            self._report()

    def returned(self, neighbour: str) -> None:
        """The failure detector heard a neighbour again; it may have missed anything."""
        if neighbour in self._lost:
            del self._lost[neighbour]
            self._report()
            self._owe_everything(neighbour)

    def hear(self, sender: str, frame: LinkReports) -> None:
        """A neighbour says what it has learned."""
        for report in frame.reports:
            self._learn(sender, report)
            known = self._reports.get(report.broker, report)
            self._answers.setdefault(sender, []).append((known.broker, known.incarnation, known.version))

    def acknowledged(self, sender: str, frame: LinkReportsKnown) -> None:
        """A neighbour says how far it is."""
        owed = self._owed[sender]
        for broker, *age in frame.known:
            report = self._reports.get(broker)
            if report is None or tuple(age) >= _age(report):
                owed.brokers.pop(broker, None)
                owed.unsaid.pop(broker, None)
        if not owed.brokers:
            self._owed[sender] = _Owed()

    def hurry(self, neighbour: str) -> None:
        """A neighbour can be reached again: what it has not acknowledged is said at once."""
        owed = self._owed.get(neighbour)
        if owed is not None:
            owed.unsaid = dict(owed.brokers)

    # ---- what goes out

    @property
    def deadline(self) -> int | None:
        """When `flush` has something to say again; ask after it."""
        return min((owed.again_ns for owed in self._owed.values() if owed.again_ns is not None), default=None)

    def flush(self, now: int) -> list[SendFrame]:
        """What neighbours must be told, and told again."""
        frames: list[tuple[str, Frame]] = [
            (name, LinkReportsKnown(tuple(known))) for name, known in self._answers.items()
        ]
        self._answers = {}
        for name, owed in self._owed.items():
            brokers = owed.due(now)
            if brokers:
                frames.append((name, LinkReports(tuple(self._reports[broker] for broker in brokers))))
        return [SendFrame(name, frame) for name, frame in frames]

    # ---- inside

    def _learn(self, sender: str, report: LinkReport) -> None:
        known = self._reports.get(report.broker)
        if report.broker == self.here or report.broker not in self._brokers:
            return
        if known is not None and _age(report) < _age(known):
            self._owed[sender].add((report.broker,))
        elif known is None or _age(report) > _age(known):
            self._take(report)
            self._teachers[report.broker] = sender
            self._news.append(report)
            self._owe((report.broker,), but=sender)
            if report.broker == sender and report.incarnation > (0 if known is None else known.incarnation):
                self._owe_everything(sender)

    def _take(self, report: LinkReport) -> None:
        before = self._reports.get(report.broker)
        self._reports[report.broker] = report
        if report.lost != (() if before is None else before.lost):
            self.version += 1
            self._ways = None

    def _report(self) -> None:
        own = self._reports[self.here]
        self._take(msgspec.structs.replace(own, version=own.version + 1, lost=tuple(self._lost)))
        self._owe((self.here,))

    def _owe(self, brokers: Iterable[str], but: str | None = None) -> None:
        for name, owed in self._owed.items():
            if name != but and name not in self._lost:
                owed.add(brokers)

    def _owe_everything(self, neighbour: str) -> None:
        self._owed[neighbour].add(broker for broker in self._reports if broker != neighbour)

    def _says_lost(self, one: str, other: str) -> bool:
        report = self._reports.get(one)
        return report is not None and other in report.lost

    def _find_ways(self) -> dict[str, tuple[str, ...]]:
        links = [ends for ends in self._overlay.links if self.works(*ends)]
        delays = tuple(self._overlay.delay_ns(*ends) for ends in links)
        return Overlay(self._overlay.brokers, tuple(links), delays).ways_from(self.here)


def _age(report: LinkReport) -> tuple[int, int]:
    return report.incarnation, report.version
