"""Spreading interests over one tree, as one broker does it: the table and its links, kept together.

What a neighbour or a client wants goes into the table; what the table says the others must be told goes to their
tellers. An interest counts as known beyond this broker when every neighbour that had to be told has confirmed; that
answer travels back to where the interest came from. On a tree this cannot wait in a circle.

Where a neighbour that cannot be reached is bypassed, others stand in for it: they are told what it would be told, and what
they say counts as said on its side.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidings.delivery.soft_state import ANSWER_NS, ANSWER_NS_MAX, Change, Known, Listener, Teller
from tidings.node.stand_ins import StandIns
from tidings.routing.interest_table import Difference, InterestTable
from tidings.routing.wants import TableOptions
from tidings.vocabulary.frames import Interests, InterestsKnown
from tidings.vocabulary.machine import SendFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadingOptions:
    """What a broker's place in a tree is, and how soft its state."""

    tree: str
    neighbours: Sequence[str]
    renew_ns: int | None
    """Interests that do not last are renewed so often; None: they are told once and never forgotten."""
    table: TableOptions
    lasting: bool = False
    """What neighbours want survives crashes, here and there: it is told once, nobody is given up, nobody asks again."""
    side_of: Callable[[str], str | None] | None = None
    """The neighbour on whose side another broker lies, where brokers stand in for neighbours; None: they do not."""


@dataclass(slots=True)
class _Ticket:
    """An interest that is not yet known everywhere: where it came from, and what its neighbours must confirm."""

    source: str | None
    version: int
    waits: dict[str, int]


class Spreading:
    """One broker's interests in one tree. `flush` must follow every change before anybody is answered."""

    def __init__(self, options: SpreadingOptions, incarnation: int) -> None:
        self.options = options
        self.table = InterestTable(options.neighbours, options.table)
        renew_ns = None if options.lasting else options.renew_ns
        self.tellers = {
            name: Teller(
                tree=options.tree, neighbour=name, incarnation=incarnation, renew_ns=renew_ns, patient=options.lasting
            )
            for name in options.neighbours
        }
        """Of the neighbours."""
        self._listeners = {name: Listener(renew_ns=renew_ns) for name in options.neighbours}
        """Of the neighbours, and of whoever else has said something."""
        self._stand_ins = StandIns(options.renew_ns)
        self._untold: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        self._opened: list[_Ticket] = []
        self._tickets: list[_Ticket] = []
        self._confirmed: dict[str | None, int] = dict.fromkeys((None, *options.neighbours), -1)
        self._confirmed[None] = 0
        self._incarnations = dict.fromkeys(options.neighbours, -1)
        self.local_version = 0
        self._to_answer: dict[str, bool] = {}
        self._said: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._silent_until_ns: int | None = None
        self._ask_ns: int | None = None
        """When those who have not answered since the process came back are asked again."""
        self._unheard: set[str] = set()

    # ---- what comes in

    def recover(self, now: int) -> list[SendFrame]:
        """The process is back without memory: ask all neighbours, and say nothing before they have answered."""
        self._unheard = set(self.options.neighbours)
        if self._unheard:
            self._silent_until_ns = now + ANSWER_NS_MAX
        return self._ask_all(now)

    def subscribe(self, wishes: Mapping[int, str]) -> None:
        """Clients want more. It is known everywhere when the new `local_version` is confirmed."""
        self._collect(self.table.subscribe(wishes))
        self.local_version += 1
        self._opened.append(_Ticket(None, self.local_version, {}))

    def unsubscribe(self, keys: Sequence[int]) -> None:
        """Clients want less."""
        self._collect(self.table.unsubscribe(keys))

    def knows(self, sender: str) -> bool:
        """True for those who may say what they want here."""
        return self._side(sender) is not None

    def resume(self, now: int) -> list[SendFrame]:
        """The process is back and has been told again all that it knew: say everything to all neighbours."""
        return self._speak_again(now)

    def hurry(self, neighbour: str, now: int) -> None:
        """A neighbour is there again: what it has not confirmed is said at once."""
        self.tellers[neighbour].hurry(now)

    def cut_off(self, neighbour: str, stand_ins: Sequence[str], now: int) -> list[SendFrame]:
        """A neighbour cannot be reached, and these stand in for it, and for nobody else."""
        self._unheard.discard(neighbour)
        self.tellers[neighbour].despair()
        new = self._stand_ins.appoint(self.tellers[neighbour], stand_ins)
        frames = [self._known_frame(name, behind=True) for name in new]
        if self._silent_until_ns is None:
            frames += [SendFrame(name, self._stand_ins.tellers[name].whole(now)) for name in new]
        return frames

    def rejoined(self, neighbour: str, now: int) -> list[SendFrame]:
        """A neighbour that was cut off can be reached again."""
        return self._stand_ins.release(self.tellers[neighbour], now)

    def learn(self, sender: str, frame: Interests, now: int) -> bool:
        """Somebody says what he wants; True when that, or the number that it counts from, is another than before."""
        listener = self._listener(sender)
        before = (listener.incarnation, listener.version)
        change = listener.learn(frame, now)
        if change is None:
            return False
        if frame.incarnation > self._incarnations.get(sender, -1) and not change.behind:
            self._start_over(sender, frame.incarnation)
        self._to_answer[sender] = change.behind
        if not change.behind:
            self._unheard.discard(sender)
            self._changed(sender, change)
        return before != (listener.incarnation, listener.version)

    def hear(self, sender: str, frame: InterestsKnown, now: int) -> list[SendFrame]:
        """A neighbour answers, or asks for everything."""
        teller = self._everyone().get(sender)
        if teller is None:
            return []  # it thinks that we stand in for somebody, or it did so itself
        if frame.behind and self._silent_until_ns is not None:
            if frame.incarnation < 0:
                self._unheard.discard(sender)  # it is coming back as we are, and has nothing to tell
            return []
        whole = teller.hear(frame, now)
        return [] if whole is None else [SendFrame(sender, whole)]

    def due(self, now: int) -> list[SendFrame]:
        """Renew, ask again, forget: whatever the time calls for."""
        asked: list[SendFrame] = []
        if self._silent_until_ns is not None and self._silent_until_ns <= now:
            self._unheard.clear()
        elif self._ask_ns is not None and self._ask_ns <= now:
            asked = self._ask_all(now)
        for name, listener in self._listeners.items():
            if listener.deadline is not None and listener.deadline <= now:
                self._changed(name, listener.forget())
        frames = ((name, teller.due(now)) for name, teller in self._everyone().items())
        return asked + [SendFrame(name, frame) for name, frame in frames if frame is not None]

    # ---- what goes out

    @property
    def deadline(self) -> int | None:
        """When `due` has something to do."""
        instants = [teller.deadline for teller in self._everyone().values()]
        instants += [listener.deadline for listener in self._listeners.values()]
        instants += [self._silent_until_ns, self._ask_ns]
        return min((instant for instant in instants if instant is not None), default=None)

    def flush(self, now: int) -> list[SendFrame]:
        """Tell the neighbours what has changed and answer those who told or waited."""
        if self._silent_until_ns is not None:
            if self._unheard:
                return self._answers()
            frames = self._speak_again(now)
        else:
            frames = self._tell(now)
        self._settle()
        return [*frames, *self._stand_ins.goodbyes(self.tellers), *self._answers()]

    def told(self) -> Iterator[tuple[str, Interests]]:
        """All that neighbours want, as one frame of each that told anything."""
        for name in self.tellers:
            if self._listeners[name].version >= 0:
                yield name, self._listeners[name].whole(self.options.tree)

    def confirmed_locally(self) -> Known:
        """How far the clients' interests are known everywhere, and but for whom."""
        return Known(self._confirmed[None], self._missing(None))

    # ---- inside

    def _side(self, name: str) -> str | None:
        if name in self.tellers:
            return name
        return None if self.options.side_of is None else self.options.side_of(name)

    def _everyone(self) -> Mapping[str, Teller]:
        """All tellers, also of those who stand in for somebody."""
        return self.tellers | self._stand_ins.tellers if self._stand_ins.tellers else self.tellers

    def _listener(self, name: str) -> Listener:
        if name not in self._listeners:
            self._listeners[name] = Listener(renew_ns=self.options.renew_ns)
        return self._listeners[name]

    def _changed(self, source: str, change: Change) -> None:
        if change.added or change.removed:
            self._collect(self.table.change(source, change.added, change.removed, side=self._side(source)))
        self._opened.append(_Ticket(source, self._listeners[source].version, {}))

    def _start_over(self, source: str, incarnation: int) -> None:
        """A neighbour's new process counts its versions anew."""
        self._incarnations[source] = incarnation
        self._confirmed[source] = -1
        self._opened = [ticket for ticket in self._opened if ticket.source != source]
        self._tickets = [ticket for ticket in self._tickets if ticket.source != source]

    def _collect(self, told: Mapping[str, Difference]) -> None:
        for name, (added, removed) in told.items():
            more, less = self._untold.setdefault(name, ({}, {}))
            for text in removed:
                if text in more:
                    del more[text]
                else:
                    less[text] = None
            for text in added:
                if text in less:
                    del less[text]
                else:
                    more[text] = None

    def _tell(self, now: int) -> list[SendFrame]:
        untold = {name: (tuple(more), tuple(less)) for name, (more, less) in self._untold.items() if more or less}
        self._untold = {}
        frames = [SendFrame(name, self.tellers[name].change(*difference, now)) for name, difference in untold.items()]
        frames += self._stand_ins.tell(untold, now)
        for ticket in self._opened:
            side = None if ticket.source is None else self._side(ticket.source)
            ticket.waits = {name: one.version for name, one in self._everyone().items() if self._side(name) != side}
        self._tickets += self._opened
        self._opened = []
        return frames

    def _ask_all(self, now: int) -> list[SendFrame]:
        """Ask for everything, those from whom nothing was heard since the process came back."""
        self._ask_ns = now + ANSWER_NS if self._unheard else None
        return [self._known_frame(name, behind=True) for name in self.options.neighbours if name in self._unheard]

    def _speak_again(self, now: int) -> list[SendFrame]:
        self._silent_until_ns = self._ask_ns = None
        self._tell(now)
        return [SendFrame(name, teller.whole(now)) for name, teller in self._everyone().items()]

    def _settle(self) -> None:
        reached = {name: teller.known.confirmed for name, teller in self._everyone().items()}
        waiting = []
        for ticket in self._tickets:
            if all(reached.get(name, version) >= version for name, version in ticket.waits.items()):
                self._confirmed[ticket.source] = max(self._confirmed.get(ticket.source, -1), ticket.version)
            else:
                waiting.append(ticket)
        self._tickets = waiting

    def _missing(self, source: str | None) -> tuple[str, ...]:
        side = None if source is None else self._side(source)
        others = (one.known.missing for name, one in self._everyone().items() if self._side(name) != side)
        return tuple(sorted({broker for missing in others for broker in missing}))

    def _answers(self) -> list[SendFrame]:
        """To everybody who told something, and to those for whom more is confirmed, or less missing, than last said."""
        for name in self._listeners:
            if name not in self._to_answer and self._news_for(name):
                self._to_answer[name] = False
        frames = [self._known_frame(name, behind=behind) for name, behind in self._to_answer.items()]
        self._to_answer = {}
        return frames

    def _news_for(self, name: str) -> bool:
        said = self._said.get(name)
        return said is not None and said != (self._confirmed.get(name, -1), self._missing(name))

    def _known_frame(self, name: str, *, behind: bool) -> SendFrame:
        listener = self._listener(name)
        self._said[name] = (self._confirmed.get(name, -1), self._missing(name))
        confirmed, missing = self._said[name]
        frame = InterestsKnown(self.options.tree, listener.incarnation, listener.version, confirmed, behind, missing)
        return SendFrame(name, frame)
