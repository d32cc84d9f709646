"""What is wanted: the wishes of a broker's clients and the interests of its neighbours, in all trees.

Gathers what comes in between two flushes, so that a batch of frames is told on, and answered, once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tidings.delivery.keeper import Noted
from tidings.errors import PeerError
from tidings.node.spreading import Spreading, SpreadingOptions
from tidings.node.wishes import Waiting, Wishes
from tidings.routing.wants import NOBODY, TableOptions, Wanted
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_logic import topics_of
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.frames import Interests, InterestsKnown, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.machine import SendFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandOptions:
    """Where a broker stands in its trees, and how interests are remembered."""

    name: str
    neighbours: Mapping[str, Sequence[str]]
    """By tree; a tree in which the broker is alone has none."""
    tree_of: Callable[[str], str | None]
    """The tree of a topic, None for a topic that no tree serves."""
    table: TableOptions
    renew_ns: int | None
    """Interests that do not last are renewed this often, and forgotten when renewals stop; None: never."""
    lasting: bool
    """Interests survive crashes."""
    side_of: Callable[[str, str], str | None] | None = None
    """By tree and broker the neighbour on whose side that broker lies, where brokers stand in for neighbours."""
    clients_kept: bool = False
    """What clients want is written down elsewhere."""


class Demand:
    """One broker's; made anew with every process."""

    def __init__(self, options: DemandOptions, incarnation: int) -> None:
        self.options = options
        self.wishes = Wishes()
        self._waiting: dict[tuple[str, int], Waiting] = {}
        """Wishes whose clients are to be answered, or answered better: by client and number."""
        self._new_wishes: dict[str, dict[int, str]] = {}
        self._touched: dict[str, None] = {}
        """Trees whose neighbours may have to be told something."""
        self._answers: list[SendFrame] = []
        self.spreadings = {
            tree: Spreading(
                SpreadingOptions(
                    tree=tree,
                    neighbours=neighbours,
                    renew_ns=options.renew_ns,
                    table=options.table,
                    lasting=options.lasting,
                    side_of=None if options.side_of is None else partial(options.side_of, tree),
                ),
                incarnation,
            )
            for tree, neighbours in options.neighbours.items()
        }
        self.deadline: int | None = None
        """When `due` has something to do; known after `flush`."""

    # ---- what is wanted

    def wanted(self, event: Event) -> Wanted:
        """Who wants `event`."""
        tree = self.options.tree_of(event.topic)
        return NOBODY if tree is None else self.spreadings[tree].table.wanted(event)

    @property
    def version(self) -> int:
        """Grows whenever what `wanted` says may have changed."""
        return sum(spreading.table.version for spreading in self.spreadings.values())

    def notes(self) -> Iterator[Noted]:
        """All that neighbours want, and clients unless they are kept elsewhere, as frames that say so."""
        for spreading in self.spreadings.values():
            for sender, frame in spreading.told():
                yield Noted(sender, frame)
        if not self.options.clients_kept:
            for client, number, text in self.wishes.everyone():
                yield Noted(client, Subscribe(number, text))

    # ---- what comes in: true when something else is wanted now

    def subscribe(self, sender: str, frame: Subscribe) -> bool:
        """A client wants something, or says so again."""
        known = self.wishes.text(sender, frame.number)
        if known is not None and known != frame.filter:
            self.unsubscribe(sender, Unsubscribe(frame.number))
            known = None
        trees = self._trees_of(frame.filter)
        if not trees:
            self._answers.append(SendFrame(sender, Subscribed(frame.number)))
        if known is None:
            key = self.wishes.add(sender, frame.number, frame.filter)
            for tree in trees:
                self._new_wishes.setdefault(tree, {})[key] = frame.filter
        if trees:
            self._waiting[sender, frame.number] = Waiting(dict.fromkeys(trees))
            self._touch(trees)
        return known is None

    def unsubscribe(self, sender: str, frame: Unsubscribe) -> bool:
        """A client takes a wish back."""
        text = self.wishes.text(sender, frame.number)
        if text is None:
            return False
        key = self.wishes.remove(sender, frame.number)
        self._waiting.pop((sender, frame.number), None)
        for tree in self._trees_of(text):
            if self._new_wishes.get(tree, {}).pop(key, None) is None:
                self.spreadings[tree].unsubscribe((key,))
            self._touched[tree] = None
        return True

    def learn(self, sender: str, frame: Interests, now: int) -> bool:
        """A neighbour says what it wants."""
        is_news = self._spreading_with(sender, frame.tree).learn(sender, frame, now)
        self._touched[frame.tree] = None
        return is_news

    def hear(self, sender: str, frame: InterestsKnown, now: int) -> None:
        """A neighbour says what it knows."""
        self._answers += self._spreading_with(sender, frame.tree).hear(sender, frame, now)
        self._touched[frame.tree] = None

    def _spreading_with(self, sender: str, tree: str) -> Spreading:
        spreading = self.spreadings.get(tree)
        if spreading is None or not spreading.knows(sender):
            raise PeerError(f"{sender} is no neighbour of {self.options.name} in tree {tree!r}")
        return spreading

    def _trees_of(self, text: str) -> tuple[str, ...]:
        topics = topics_of(parsed(text))
        if topics is None:
            return tuple(self.spreadings)
        trees = (self.options.tree_of(topic) for topic in topics)
        return tuple(dict.fromkeys(tree for tree in trees if tree is not None))

    def _touch(self, trees: Sequence[str]) -> None:
        self._touched.update(dict.fromkeys(trees))

    # ---- life

    def recover(self, now: int) -> None:
        """The process is back without memory: the neighbours are asked."""
        for spreading in self.spreadings.values():
            self._answers += spreading.recover(now)
        self._touch(tuple(self.spreadings))

    def resume(self, notes: Sequence[Noted], now: int) -> None:
        """The process is back, and this is what it knew: take it in again, and say everything to all neighbours."""
        for note in notes:
            if isinstance(note.frame, Subscribe):
                self.subscribe(note.sender, note.frame)
            elif isinstance(note.frame, Unsubscribe):
                self.unsubscribe(note.sender, note.frame)
            else:
                self.learn(note.sender, note.frame, now)
        self._answers = []
        for tree, spreading in self.spreadings.items():
            spreading.subscribe(self._new_wishes.pop(tree, {}))
            self._answers += spreading.resume(now)
        self._touch(tuple(self.spreadings))

    def hurry(self, neighbour: str, now: int) -> None:
        """A neighbour is there again: what it has not confirmed is said at once."""
        for tree, spreading in self.spreadings.items():
            if neighbour in spreading.tellers:
                spreading.hurry(neighbour, now)
                self._touched[tree] = None

    def cut_off(self, tree: str, neighbour: str, stand_ins: Sequence[str], now: int) -> None:
        """A neighbour in a tree cannot be reached, and these stand in for it, and for nobody else."""
        self._answers += self.spreadings[tree].cut_off(neighbour, stand_ins, now)
        self._touched[tree] = None

    def rejoined(self, tree: str, neighbour: str, now: int) -> None:
        """A neighbour that was cut off in a tree can be reached again."""
        self._answers += self.spreadings[tree].rejoined(neighbour, now)
        self._touched[tree] = None

    def due(self, now: int) -> None:
        """Renew, ask again, forget."""
        for tree, spreading in self.spreadings.items():
            due = spreading.deadline
            if due is not None and due <= now:
                self._answers += spreading.due(now)
                self._touched[tree] = None

    # ---- after every batch

    def flush(self, now: int) -> list[SendFrame]:
        """What neighbours and clients must be told after all this."""
        if not self._touched and not self._answers:
            return []
        frames, self._answers = self._answers, []
        for tree in self._touched:
            spreading = self.spreadings[tree]
            wishes = self._new_wishes.pop(tree, {})
            if wishes:
                spreading.subscribe(wishes)
            frames += spreading.flush(now)
        self._touched = {}
        deadlines = (spreading.deadline for spreading in self.spreadings.values())
        self.deadline = min((instant for instant in deadlines if instant is not None), default=None)
        return frames + self._answers_for_clients()

    def _answers_for_clients(self) -> list[SendFrame]:
        """Tell clients whose wishes are known everywhere, again when fewer are missing."""
        frames, done = [], []
        for (client, number), one in self._waiting.items():
            missing = self._missing_for(one)
            if missing is not None and missing != one.said:
                frames.append(SendFrame(client, Subscribed(number, missing)))
                one.said = missing
            if missing == ():
                done.append((client, number))
        for wish in done:
            del self._waiting[wish]
        return frames

    def _missing_for(self, one: Waiting) -> tuple[str, ...] | None:
        """Who does not know the wish though everybody was asked; None while answers are awaited."""
        missing: set[str] = set()
        for tree, version in one.versions.items():
            spreading = self.spreadings[tree]
            known = spreading.confirmed_locally()
            due = spreading.local_version if version is None else version
            one.versions[tree] = due
            if known.confirmed < due:
                return None
            missing.update(known.missing)
        return tuple(sorted(missing))
