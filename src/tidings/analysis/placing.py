"""At which broker a subscriber is served best (thesis, 5.6): each subscriber by itself, all others where they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidings.analysis.blame import Blame
from tidings.analysis.trials import Trial, Trials
from tidings.errors import InputError
from tidings.scenario.unimplemented import refuse
from tidings.scenario.world import Subscriber, World

_BETTER: Final = 1e-6
"""Less than that is no reason to move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where one subscriber is, and where it would be served best."""

    home: str
    reliability: float
    best: str
    best_reliability: float
    at_most: Mapping[str, float]
    """At each broker that it may choose: what a listener would get there, which is never less."""
    reason: str

    @property
    def gain(self) -> float:
        """By moving there."""
        return self.best_reliability - self.reliability

    def to_json(self) -> dict[str, Any]:
        """As `place --json` prints it."""
        return {
            "home": self.home,
            "reliability": self.reliability,
            "best": self.best,
            "best_reliability": self.best_reliability,
            "gain": self.gain,
            "at_most": dict(self.at_most),
            "reason": self.reason,
        }


def place(world: World, *, only: str | None = None, among: Sequence[str] = ()) -> dict[str, Home]:
    """The best broker of `among` (all, when none is named) for each subscriber, or for one of them only.

    Raises NotImplementedYet for what cannot be predicted, InputError for names that there are not.
    """
    refuse(world, "predict")
    candidates = tuple(among) or tuple(one.id for one in world.brokers)
    unknown = [name for name in candidates if name not in {one.id for one in world.brokers}]
    if unknown:
        raise InputError(f"{world.file} has no broker {unknown[0]!r}")
    chosen = [one for one in world.subscribers if only in (None, one.id)]
    if only is not None and not chosen:
        raise InputError(f"{world.file} has no subscriber {only!r}")
    placing = Placing(Trials(world), candidates)
    return {one.id: placing.of(one) for one in chosen}


class Placing:
    """Finds homes; alike subscribers are looked at once."""

    def __init__(self, trials: Trials, candidates: Sequence[str]) -> None:
        self._trials, self._candidates = trials, candidates
        self._now = trials.among(trials.world.subscribers)
        self._known: dict[object, Home] = {}

    def of(self, one: Subscriber) -> Home:
        """Of one subscriber."""
        key = one.broker, one.filter, one.deadline_ns, tuple(one.deadlines.items()), repr(one.link), repr(one.mobility)
        if key not in self._known:
            self._known[key] = self._roams(one) if one.mobility is not None else self._find(one)
        return self._known[key]

    def _find(self, one: Subscriber) -> Home:
        """Brokers in the order of what they can give at most, until none of the others can give more."""
        everybody = sum(self._trials.weights.values())
        others = tuple(other for other in self._trials.world.subscribers if other is not one)
        listened = self._trials.among(others, everybody)
        at_most = {name: listened.reliability(replace(one, broker=name)) for name in self._candidates}
        best, trial = one, self._now
        for name in sorted(self._candidates, key=lambda name: -at_most[name]):
            if at_most[name] <= trial.reliability(best) + _BETTER:
                break
            moved = replace(one, broker=name)
            there = self._trials.among((*others, moved))
            if there.reliability(moved) > trial.reliability(best) + _BETTER:
                best, trial = moved, there
        return Home(
            home=one.broker,
            reliability=self._now.reliability(one),
            best=best.broker,
            best_reliability=trial.reliability(best),
            at_most=at_most,
            reason=_stays(one, self._now, at_most) if best is one else _moves((one, self._now), (best, trial)),
        )

    def _roams(self, one: Subscriber) -> Home:
        share = self._now.reliability(one)
        return Home(
            home=one.broker,
            reliability=share,
            best=one.broker,
            best_reliability=share,
            at_most={},
            reason="it roams: where it is decides which broker serves it",
        )


def _stays(one: Subscriber, now: Trial, at_most: Mapping[str, float]) -> str:
    share = now.reliability(one)
    others = {name: most for name, most in at_most.items() if name != one.broker}
    if not others:
        return f"it has no choice: {one.broker} gives {share:.4f}"
    second = max(others, key=lambda name: others[name])
    return f"no broker gives more than {one.broker} with {share:.4f}; {second} gives {others[second]:.4f} at most"


def _moves(before: tuple[Subscriber, Trial], after: tuple[Subscriber, Trial]) -> str:
    """What is better there: time, losses, and which part is no longer on the way."""
    (one, now), (moved, then) = before, after
    said = f"{moved.broker} gives {then.reliability(moved):.4f}, {one.broker} {now.reliability(one):.4f}"
    here, there = now.predictor.audience.forecast(one), then.predictor.audience.forecast(moved)
    if here.delay_mean_s is not None and there.delay_mean_s is not None:
        said += f": {there.delay_mean_s:.4g} s in the mean instead of {here.delay_mean_s:.4g} s for what is shown"
    if here.lost - there.lost > _BETTER:
        said += f", {there.lost:.4f} lost instead of {here.lost:.4f}"
    return said + Blame(now.predictor).avoided(one, Blame(then.predictor).times(moved))
