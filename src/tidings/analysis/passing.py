"""The probability that an event passes each step of its way, for the rates of what is sent."""

from collections.abc import Iterable

from tidings.analysis.failures import Failures, delivers
from tidings.analysis.flows import Passing
from tidings.analysis.sources import Source


def passing_of(failures: Failures, sources: Iterable[Source]) -> Passing:
    """By publisher and by direction of each link; what is kept for later passes as well."""
    entering = {source.example.id: delivers(source.link) * failures.entering(source.broker) for source in sources}
    return Passing(entering=entering, links={step: failures.over(step) for step in failures.links})
