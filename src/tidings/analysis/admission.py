"""Whom to admit: as many subscribers as can all get what they require (thesis, 3.3), each with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tidings.analysis.best_set import BestSet, best_set
from tidings.analysis.door import Decision, admitted_for, decided
from tidings.analysis.greedy import admitted_greedily
from tidings.analysis.predicting import PredictOptions
from tidings.analysis.priorities import ONLINE, PRIORITIES, order_of
from tidings.analysis.trials import Trials
from tidings.errors import InputError
from tidings.scenario.unimplemented import refuse
from tidings.scenario.world import World

BEST: Final = "best"
WAYS: Final = (BEST, *PRIORITIES, ONLINE)
"""`best` is the best of the thesis's four, and of a search that begins there."""
PREDICTIONS_MAX: Final = 300
"""For the search; few subscribers need a dozen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Who is in and who is not."""

    way: str
    proven: bool
    """No larger set can be served."""
    decisions: Mapping[str, Decision]
    """In the order of the world."""
    heuristics: Mapping[str, int]
    """How many each of the priorities that were tried admits."""
    uncontrolled: int
    """How many would get what they require if all were in."""
    overloaded: tuple[str, ...]
    """Brokers and links that even those admitted overload."""
    predictions: int
    """How many it took."""

    @property
    def admitted(self) -> tuple[str, ...]:
        """Who is in."""
        return tuple(name for name, one in self.decisions.items() if one.admitted)

    @property
    def refused(self) -> tuple[str, ...]:
        """Who is not."""
        return tuple(name for name, one in self.decisions.items() if not one.admitted)

    def to_json(self) -> dict[str, Any]:
        """The document of `admit --json`."""
        return {
            "way": self.way,
            "proven": self.proven,
            "admitted": list(self.admitted),
            "refused": list(self.refused),
            "heuristics": dict(self.heuristics),
            "uncontrolled": self.uncontrolled,
            "overloaded": list(self.overloaded),
            "predictions": self.predictions,
            "decisions": {name: one.to_json() for name, one in self.decisions.items()},
        }


def admit(world: World, way: str = BEST, options: PredictOptions | None = None) -> Admission:
    """Decide about every subscriber of a world, by one of `WAYS`; all by prediction, nothing runs.

    Who requires nothing is satisfied whatever it gets, and in as long as nobody else falls below. Raises NotImplementedYet
    for what cannot be predicted, InputError for a way that there is not.
    """
    if way not in WAYS:
        raise InputError(f"there is no way {way!r} to admit; there are {', '.join(WAYS)}")
    refuse(world, "predict")
    trials = Trials(world, options)
    names = PRIORITIES if way == BEST else (way,)
    tried = {
        name: admitted_greedily(trials, order_of(name, world.subscribers, world.seed, trials.ground)) for name in names
    }
    _, most = max((len(members), members) for members in tried.values())
    found = BestSet(frozenset(most), proven=False)
    if way == BEST:
        found = best_set(trials, found.members, predictions_max=PREDICTIONS_MAX)
    decisions = _decisions(trials, found.members)
    inside = trials.of(name for name, one in decisions.items() if one.admitted)
    return Admission(
        way=way,
        proven=found.proven or all(one.admitted for one in decisions.values()),
        decisions=decisions,
        heuristics={name: len(members) for name, members in tried.items()},
        uncontrolled=len(world.subscribers) - len(trials.of(trials.by_id).unserved),
        overloaded=inside.predictor.prediction().overloaded,
        predictions=trials.predictions,
    )


def _decisions(trials: Trials, members: frozenset[str]) -> dict[str, Decision]:
    """With the reasons of those who are not in; a search that was ended early may have left room for one of them."""
    found: dict[str, Decision] = {}
    inside = set(members)
    for one in trials.world.subscribers:
        if one.id not in members:
            found[one.id] = decided(trials, inside, one)
            if found[one.id].admitted:
                inside.add(one.id)
    last = trials.of(inside)
    for name in inside:
        one, share = trials.by_id[name], last.reliability(trials.by_id[name])
        decision = Decision(admitted=True, reliability=share, requires=one.requires, reason=admitted_for(share, one))
        found[name] = decision
    return {one.id: found[one.id] for one in trials.world.subscribers}


def requiring(world: World, share: float) -> World:
    """The world in which those who say nothing require so much."""
    return replace(
        world,
        subscribers=tuple(
            one if one.requires is not None else replace(one, requires=share) for one in world.subscribers
        ),
    )
