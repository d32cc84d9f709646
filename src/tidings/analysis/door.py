"""Admission one by one, while the system runs: before it admits one more subscriber it asks here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tidings.analysis.blame import Blame
from tidings.analysis.predicting import PredictOptions
from tidings.analysis.trials import Trial, Trials
from tidings.errors import ScenarioError
from tidings.scenario.unimplemented import refuse
from tidings.scenario.world import Subscriber, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """About one subscriber."""

    admitted: bool
    reliability: float
    """What it gets when it is in beside all who were admitted."""
    requires: float | None
    falling: tuple[str, ...] = ()
    """Who would get less than they require if it was in, itself among them."""
    reason: str

    def to_json(self) -> dict[str, Any]:
        """As `admit --json` prints it."""
        return {
            "admitted": self.admitted,
            "reliability": self.reliability,
            "requires": self.requires,
            "falling": list(self.falling),
            "reason": self.reason,
        }


class Door:
    """Who is in, and whether somebody else can be as well."""

    def __init__(self, world: World, options: PredictOptions | None = None) -> None:
        refuse(world, "predict")
        self._options = options or PredictOptions()
        self._trials = Trials(world, self._options)
        self._inside = {one.id: one for one in world.subscribers}

    @property
    def inside(self) -> Sequence[Subscriber]:
        """In the order in which they came."""
        return tuple(self._inside.values())

    def ask(self, newcomer: Subscriber) -> Decision:
        """What would happen; nothing changes.

        Admitted is who gets what it requires where nobody who is satisfied now falls below. InputError for a subscriber
        that cannot be: at no broker of the world, or of a name that is taken.
        """
        world = self._trials.world
        if newcomer.broker not in {one.id for one in world.brokers}:
            raise ScenarioError(
                world.file, "subscriber.broker", newcomer.broker, "must be one of the scenario's brokers"
            )
        if newcomer.id in self._inside:
            raise ScenarioError(world.file, "subscriber.id", newcomer.id, "is in already; another name would be right")
        everybody = replace(world, subscribers=(*self.inside, newcomer))
        trials = Trials(everybody, self._options, ground=self._trials.ground)
        return decided(trials, self._inside, newcomer)

    def admit(self, newcomer: Subscriber) -> Decision:
        """Ask, and let in whoever can be."""
        decision = self.ask(newcomer)
        if decision.admitted:
            self._inside[newcomer.id] = newcomer
        return decision

    def leave(self, name: str) -> None:
        """Somebody goes; no harm if it was not there."""
        self._inside.pop(name, None)


def decided(trials: Trials, inside: Collection[str], newcomer: Subscriber) -> Decision:
    """About somebody who is not inside yet."""
    before, after = trials.of(inside), trials.of((*inside, newcomer.id))
    lost = [one for one in before.members if before.serves(one) and not after.serves(one)]
    itself = after.serves(newcomer)
    falling = (*(one.id for one in lost), *(() if itself else (newcomer.id,)))
    # Brokers that know one subscription, and no events of anybody's.
    alone = trials.of((), 1.0)
    return Decision(
        admitted=not falling,
        reliability=after.reliability(newcomer),
        requires=newcomer.requires,
        falling=falling,
        reason=_of_others(before, after, newcomer, lost) if itself else _of_itself(alone, after, newcomer),
    )


def _of_itself(alone: Trial, after: Trial, newcomer: Subscriber) -> str:
    said = f"would get {after.reliability(newcomer):.4f} of the {newcomer.requires:.4f} that it requires"
    if not alone.serves(newcomer):
        return (
            f"{said}, and with nobody else {alone.reliability(newcomer):.4f}: {Blame(alone.predictor).cause(newcomer)}"
        )
    return f"{said}, and with nobody else {alone.reliability(newcomer):.4f}: {grown(alone, after, newcomer)}"


def _of_others(before: Trial, after: Trial, newcomer: Subscriber, lost: Sequence[Subscriber]) -> str:
    if not lost:
        return admitted_for(after.reliability(newcomer), newcomer)
    one = max(lost, key=lambda other: (other.requires or 0.0) - after.reliability(other))
    others = f", and {len(lost) - 1} more below theirs" if len(lost) > 1 else ""
    return (
        f"{one.id} would fall from {before.reliability(one):.4f} to {after.reliability(one):.4f}, below the "
        f"{one.requires:.4f} that it requires{others}; {grown(before, after, one)}"
    )


def grown(before: Trial, after: Trial, subscriber: Subscriber) -> str:
    """What became slower in between."""
    return Blame(after.predictor).since(Blame(before.predictor), subscriber)


def admitted_for(share: float, subscriber: Subscriber) -> str:
    """Why somebody is in."""
    if subscriber.requires is None:
        return f"requires nothing, and gets {share:.4f}"
    return f"gets {share:.4f} of the {subscriber.requires:.4f} that it requires"
