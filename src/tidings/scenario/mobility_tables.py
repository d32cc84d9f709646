"""How subscribers move: one table of keys per model, and `[mobility]`, what happens between access points.

Models as in the reliability thesis, 4.4: fixed trajectories, mixtures of them, random waypoint, Manhattan, semi-Markov
graphs; and recorded positions.
"""

from dataclasses import dataclass
from typing import Any, Final

from tidings.scenario.chance import DURATION_LAW, SPEED
from tidings.scenario.kinds import (
    FLAG,
    NAME,
    POINT,
    POSITIVE_DURATION,
    PROBABILITY,
    TEXT,
    list_of,
    named,
    number,
    one_of,
)
from tidings.scenario.measured import named_file
from tidings.scenario.schema import Kind, dump_table, key, keys_of, read_table, table_kind, unknown
from tidings.scenario.source import Place
from tidings.scenario.world import Mobility, NamedFile
from tidings.vocabulary.distribution import Distribution

_SURE: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomWaypoint:
    """To a point drawn on the map, straight; then a pause; then to the next."""

    model: str = key(one_of("random-waypoint"), "its name")
    speed: Distribution = key(SPEED, "drawn for each leg")
    pause: Distribution | None = key(DURATION_LAW, "drawn at each point; 0 without it", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """What a walker does at a junction; the four sum to 1."""

    straight: float = key(PROBABILITY, "probability", default=0.0)
    left: float = key(PROBABILITY, "probability", default=0.0)
    right: float = key(PROBABILITY, "probability", default=0.0)
    back: float = key(PROBABILITY, "probability", default=0.0)

    def check(self, place: Place) -> None:
        """The four exclude each other and leave nothing out."""
        total = self.straight + self.left + self.right + self.back
        if abs(total - 1.0) > _SURE:
            raise place.wrong(total, "straight, left, right and back must sum to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manhattan:
    """Along straight roads, with a turn drawn at every junction; at the border back on the same road."""

    model: str = key(one_of("manhattan"), "its name")
    speed: Distribution = key(SPEED, "drawn once per walker")
    vertical: tuple[float, ...] = key(list_of(number(0.0), least=1), "the x of each vertical road, in metres")
    horizontal: tuple[float, ...] = key(list_of(number(0.0), least=1), "the y of each horizontal road, in metres")
    turns: Turns = key(
        table_kind(Turns, "a table of turns"),
        "what is done at a junction",
        default=Turns(straight=0.5, left=0.25, right=0.25),
    )
    pause: Distribution | None = key(DURATION_LAW, "drawn at each junction; 0 without it", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """A straight movement at constant speed."""

    move: tuple[float, float] = key(POINT, "change of position, in metres")
    lasting: int = key(POSITIVE_DURATION, "how long it takes")


LEGS: Final = list_of(table_kind(Leg, '{ move = [x, y], lasting = "10s" }'), least=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One of several ways that a walker may take."""

    weight: float = key(number(0.0, open_low=True), "how likely, relative to the others", default=1.0)
    start: tuple[float, float] = key(POINT, "where it begins")
    legs: tuple[Leg, ...] = key(LEGS, "its legs, one after the other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A given way, or one drawn from several."""

    model: str = key(one_of("trajectory"), "its name")
    start: tuple[float, float] | None = key(POINT, "where it begins", default=None)
    legs: tuple[Leg, ...] = key(LEGS, "its legs, one after the other", default=())
    ways: tuple[Way, ...] = key(
        list_of(table_kind(Way, "a table of weight, start and legs"), least=1),
        "instead: one of these, drawn",
        default=(),
    )
    repeat: bool = key(FLAG, "begin again after the last leg; else stay there", default=False)

    def check(self, place: Place) -> None:
        """One way, or several to draw from."""
        single = self.start is not None and bool(self.legs)
        if bool(self.ways) == single or (self.ways and self.start is not None):
            raise place.child("legs").wrong("…", "give start and legs, or ways, and not both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """From one state to another."""

    origin: str = key(NAME, "the state that is left")
    target: str = key(NAME, "the state that is reached")
    probability: float = key(PROBABILITY, "among the transitions of the same origin")
    lasting: Distribution = key(DURATION_LAW, "how long it takes, straight")


@dataclass(frozen=True, slots=True, kw_only=True)
class SemiMarkov:
    """From state to state of a graph; a state without transitions is final."""

    model: str = key(one_of("semi-markov"), "its name")
    states: dict[str, tuple[float, float]] = key(named(POINT), "where each state is")
    start: str | None = key(NAME, "the first state; drawn from the long-run shares without it", default=None)
    transitions: tuple[Transition, ...] = key(
        list_of(table_kind(Transition, "a table of origin, target, probability and lasting"), least=1), "the graph"
    )

    def check(self, place: Place) -> None:
        """Transitions join known states, and those of one state sum to 1."""
        if self.start is not None and self.start not in self.states:
            raise place.child("start").wrong(self.start, unknown("state", self.start, self.states))
        sums: dict[str, float] = {}
        for index, one in enumerate(self.transitions):
            for name, state in (("origin", one.origin), ("target", one.target)):
                if state not in self.states:
                    where = place.child("transitions").item(index).child(name)
                    raise where.wrong(state, unknown("state", state, self.states))
            sums[one.origin] = sums.get(one.origin, 0.0) + one.probability
        for state, total in sums.items():
            if abs(total - 1.0) > _SURE:
                raise place.child("transitions").wrong(total, f"the transitions that leave {state} must sum to 1")


def _named_file(value: object, place: Place) -> NamedFile:
    return named_file(place, TEXT.read(value, place))


NAMED_FILE: Final = Kind("the name of a file", _named_file, lambda file: file.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Positions measured elsewhere."""

    model: str = key(one_of("recorded"), "its name")
    file: NamedFile = key(NAMED_FILE, "a table with the columns time_ns, x, y (metres), ascending in time")


MODELS: Final[dict[str, type[Any]]] = {
    "random-waypoint": RandomWaypoint,
    "manhattan": Manhattan,
    "trajectory": Trajectory,
    "semi-markov": SemiMarkov,
    "recorded": Recorded,
}


def _mobility(value: object, place: Place) -> Mobility:
    if not isinstance(value, dict):
        raise place.wrong(value, 'must be a table, as in { model = "random-waypoint", speed = "10m/s" }')
    model = one_of(*MODELS).read(value.get("model"), place.child("model"))
    entry = read_table(MODELS[model], value, place)
    options = {one.name: getattr(entry, one.name) for one in keys_of(MODELS[model]) if one.name != "model"}
    return Mobility(model=model, options=options)


def _mobility_table(mobility: Mobility) -> dict[str, object]:
    return dump_table(MODELS[mobility.model](model=mobility.model, **mobility.options))


MOBILITY: Final = Kind(f"a table with model = one of {', '.join(MODELS)}", _mobility, _mobility_table)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffTable:
    """What happens to a subscriber's events between two access points."""

    handoff: str = key(one_of("none", "reactive", "proactive"), "who keeps events meanwhile", default="none")
    latency: Distribution | None = key(DURATION_LAW, "time from in range to attached; 0 without it", default=None)
    neighbours: dict[str, tuple[str, ...]] | None = key(
        named(list_of(NAME)),
        "by broker, where a subscriber may turn up next: these fetch its events ahead under proactive; learned without it",
        default=None,
    )
