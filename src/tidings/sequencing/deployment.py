"""One version of a deployment: the plan, and what all endpoints must agree on to read each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidings.ordering import Layout, SequencingPlan
from tidings.sequencing.messages import Names


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """Who sequences what. Everybody who takes part has the same value."""

    version: int
    plan: SequencingPlan
    names: Names = field(default_factory=Names)
    program_order: bool = False
    """A publisher's events are in one order across topics, as `causal` needs."""
    reliable: bool = True
    """Subscribers wait for what is missing and ask for it; else timestamps travel whole, and late events are tagged."""
    topics: tuple[str, ...] = field(init=False)
    """The list whose places are the codes of written timestamps."""
    codes: Mapping[str, int] = field(init=False, repr=False)
    layouts: Mapping[str, Layout] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        topics = tuple(self.plan.routes)
        object.__setattr__(self, "topics", topics)
        object.__setattr__(self, "codes", {topic: place for place, topic in enumerate(topics)})
        layouts = {topic: Layout(topic, route.group) for topic, route in self.plan.routes.items()}
        object.__setattr__(self, "layouts", layouts)

    def codes_of(self, topic: str) -> list[int]:
        """Codes of the members of a topic's sequencing group, ascending."""
        return [self.codes[member] for member in self.layouts[topic].members]
