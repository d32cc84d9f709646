"""What brokers tell each other where events are addressed to brokers: what their clients want, and what links are good for.

Every broker reports both of itself to all others. A wish is known everywhere when all others have said that they learned the
report that holds it; one that does not say so in time counts as missing, unless with patience.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tidings.node.wishes import Wishes
from tidings.routing.beliefs import Beliefs
from tidings.routing.destinations import DestinationTable
from tidings.routing.link_monitor import LinkMonitor
from tidings.routing.link_state import SAY_AGAIN_NS, LinkState
from tidings.routing.wants import TableOptions
from tidings.routing.ways import Links
from tidings.vocabulary.frames import (
    LinkReports,
    LinkReportsKnown,
    ReportHeard,
    Subscribe,
    Subscribed,
    Unsubscribe,
)
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import SendFrame
from tidings.vocabulary.overlay import Overlay

ASK_NS: Final = 2 * SECOND
"""First wait for all to say that they have learned a report; twice as long before each further one, up to `ASK_NS_MAX`."""
ASK_NS_MAX: Final = 60 * SECOND
TRIES_MAX: Final = 2
"""Reports after which whoever has not learned one counts as missing."""
SETTLED_NS: Final = SECOND
"""Without news of links for so long, what was reported is believed: so all brokers come to believe the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulletinOptions:
    """What every broker knows from the beginning."""

    name: str
    overlay: Overlay
    expected: Links
    """What links are taken for until something is measured."""
    table: TableOptions
    monitor_ns: int | None
    """How often what was measured is reported; None: never."""
    patient: bool
    """Wishes count as known only where everybody has learned them."""


@dataclass(slots=True)
class _Waiting:
    """A wish whose client is to be answered: the report that holds it, and who was missing when it was last told."""

    version: int | None = None
    said: tuple[str, ...] | None = None


class Bulletin:
    """One broker's; made anew with every process."""

    def __init__(self, options: BulletinOptions, incarnation: int, now: int) -> None:
        self._options, self._here, self._incarnation = options, options.name, incarnation
        others = [name for name in options.overlay.brokers if name != options.name]
        self.wishes = Wishes()
        self.table = DestinationTable(others, options.table)
        self.monitor = LinkMonitor(
            {there: quality for (here, there), quality in options.expected.items() if here == options.name}
        )
        self._links = LinkState(options.name, options.overlay)
        self._links.begin(incarnation)
        self._beliefs = Beliefs(options.expected)
        self._new_wishes: dict[int, str] = {}
        self._waiting: dict[tuple[str, int], _Waiting] = {}
        self._learned = dict.fromkeys(others, 0)
        """By broker, the last of our reports that it is known to have learned."""
        self._said: tuple[str, ...] = ()
        self._version = 0
        """Of the last report that was asked about."""
        self._tries = 0
        self._ask_ns: int | None = None
        self._heard: dict[str, list[tuple[str, int, int, str]]] = {}
        self._answers: list[SendFrame] = []
        self._monitor_ns = None if options.monitor_ns is None else now + options.monitor_ns
        self._probe: tuple[int, int, dict[str, None]] | None = None
        """A report whose first answers are a measurement: version, instant, neighbours that have not answered."""
        self._believe_ns: int | None = None
        self._is_stirred = True
        """Something has come in since the last flush."""
        self.deadline: int | None = None
        """When `due` has something to do; known after `flush`."""

    # ---- what comes in

    def subscribe(self, sender: str, frame: Subscribe) -> bool:
        """A client wants something, or says so again; True when that is news."""
        known = self.wishes.text(sender, frame.number)
        if known is not None and known != frame.filter:
            self.unsubscribe(sender, Unsubscribe(frame.number))
            known = None
        if known is None:
            self._new_wishes[self.wishes.add(sender, frame.number, frame.filter)] = frame.filter
        self._waiting[sender, frame.number] = _Waiting()
        self._is_stirred = True
        return known is None

    def unsubscribe(self, sender: str, frame: Unsubscribe) -> bool:
        """A client takes a wish back; True when there was one."""
        if self.wishes.text(sender, frame.number) is None:
            return False
        self._is_stirred = True
        key = self.wishes.remove(sender, frame.number)
        self._waiting.pop((sender, frame.number), None)
        if self._new_wishes.pop(key, None) is None:
            self.table.unsubscribe((key,))
        return True

    def is_neighbour(self, name: str) -> bool:
        """True when a link of the overlay leads there."""
        return self._links.is_neighbour(name)

    def hear(self, sender: str, frame: LinkReports) -> None:
        """A neighbour says what it has learned."""
        self._links.hear(sender, frame)
        self._is_stirred = True

    def known(self, sender: str, frame: LinkReportsKnown, now: int) -> None:
        """A neighbour says how far it is."""
        self._links.acknowledged(sender, frame)
        self._is_stirred = True
        if self._probe is not None:
            version, since, silent = self._probe
            if sender in silent and (self._here, self._incarnation, version) in frame.known:
                del silent[sender]
                took = now - since
                if took < SAY_AGAIN_NS:
                    self.monitor.answered(sender, took / 2)
                else:
                    self.monitor.missed(sender)

    def heard(self, frame: ReportHeard) -> None:
        """Somebody has learned a report: ours, or one whose author is told by the way that the report came."""
        self._is_stirred = True
        for author, incarnation, version, by in frame.heard:
            if author != self._here:
                self._tell_author(author, incarnation, version, by)
            elif incarnation == self._incarnation and by in self._learned:
                self._learned[by] = max(self._learned[by], version)

    def returned(self, neighbour: str) -> None:
        """The failure detector heard a neighbour again."""
        self._links.hurry(neighbour)
        self._is_stirred = True

    # ---- time

    def due(self, now: int, believe: Callable[[Links], None]) -> None:
        """Report what was measured, ask again, believe what was reported."""
        if self.deadline is None or self.deadline > now:
            return
        self._is_stirred = True
        if self._monitor_ns is not None and self._monitor_ns <= now:
            self._measure(self._monitor_ns, now)
        if self._ask_ns is not None and self._ask_ns <= now:
            self._tries += 1
            self._say(now)
        if self._believe_ns is not None and self._believe_ns <= now:
            self._believe_ns = None
            believe(self._beliefs.links)

    def flush(self, now: int) -> list[SendFrame]:
        """What neighbours and clients must be told after all this."""
        if not self._is_stirred:
            return []
        self._is_stirred = False
        self._learn(now)
        if self._new_wishes:
            wishes, self._new_wishes = self._new_wishes, {}
            self.table.subscribe(wishes)
        if self.table.announced != self._said:
            self._tries = 0
            self._say(now)
        self._answer_clients(now)
        frames, self._answers = self._answers, []
        for neighbour, entries in self._heard.items():
            frames.append(SendFrame(neighbour, ReportHeard(tuple(entries))))
        self._heard = {}
        frames += self._links.flush(now)
        instants = (self._links.deadline, self._monitor_ns, self._ask_ns, self._believe_ns)
        self.deadline = min((one for one in instants if one is not None), default=None)
        return frames

    # ---- inside

    def _say(self, now: int) -> None:
        self._said = self.table.announced
        own = self._links.report_of(self._here)
        measured = () if own is None else own.links
        self._version = self._links.say(self._said, measured, asks=True)
        self._ask_ns = now + min(ASK_NS << self._tries, ASK_NS_MAX)

    def _measure(self, period_began_ns: int, now: int) -> None:
        assert self._options.monitor_ns is not None
        self._monitor_ns = period_began_ns + self._options.monitor_ns
        if self._probe is not None:
            for silent in self._probe[2]:
                self.monitor.missed(silent)
        version = self._links.say(self._said, self.monitor.report(), asks=False)
        own = self._links.report_of(self._here)
        if own is not None and self._beliefs.learn(own):
            self._believe_ns = now + SETTLED_NS
        self._probe = (version, now, dict.fromkeys(self._options.overlay.neighbours(self._here)))

    def _learn(self, now: int) -> None:
        for report in self._links.take_news():
            self.table.replace(report.broker, report.wants)
            if self._beliefs.learn(report):
                self._believe_ns = now + SETTLED_NS
            if report.asks:
                self._tell_author(report.broker, report.incarnation, report.version, self._here)

    def _tell_author(self, author: str, incarnation: int, version: int, by: str) -> None:
        teacher = self._links.teacher(author)
        if teacher is not None:
            self._heard.setdefault(teacher, []).append((author, incarnation, version, by))

    def _answer_clients(self, now: int) -> None:
        """Tell clients whose wishes are known everywhere, again when fewer are missing."""
        for (client, number), one in list(self._waiting.items()):
            if one.version is None:
                one.version = self._version
            missing = tuple(name for name, version in self._learned.items() if version < one.version)
            if missing and (self._options.patient or self._tries < TRIES_MAX):
                continue
            if missing != one.said:
                self._answers.append(SendFrame(client, Subscribed(number, missing)))
                one.said = missing
            if not missing:
                del self._waiting[client, number]
        if not self._waiting:
            self._ask_ns = None
        elif self._ask_ns is None:
            self._ask_ns = now + ASK_NS
