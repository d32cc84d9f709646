"""Every study by its name. A study is a module with `figures(run)`; it is imported when it is run, and not before."""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from tidings.errors import InputError
from tidings.studies.figure import Figure
from tidings.studies.study_run import StudyRun


class Study(Protocol):
    """What a study's module offers."""

    def figures(self, run: StudyRun) -> Iterator[Figure]:
        """The figures, one after the other; names are unique."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One study: its module, and what it is about in one line."""

    module: str
    about: str

    def load(self) -> Study:
        """The module itself."""
        study: Study = importlib.import_module(self.module)
        return study


STUDIES: Final[Mapping[str, Entry]] = {
    "fifo": Entry("tidings.studies.fifo", "probabilistic FIFO: how much order for how much delay"),
    "total": Entry("tidings.studies.total", "total order: sizes of timestamps, ways of requests, deployments"),
    "groups": Entry("tidings.studies.groups", "order across groups: latency, sequencing nodes, atoms, placement"),
    "content": Entry("tidings.studies.content", "prediction: contents, queues, lifetimes, and whom to admit"),
    "dcrd": Entry(
        "tidings.studies.dcrd", "routing by deadline: who is on time through failing links, for how many packets"
    ),
    "mobility": Entry("tidings.studies.mobility", "subscribers that move: phases of contact, reliability by hand-off"),
    "overlay": Entry("tidings.studies.overlay", "brokers and links that fail: delays, reliability, choice of the home"),
    "stuck": Entry("tidings.studies.stuck", "how often the published sequencer of total order gets stuck"),
}
"""One line for each study; nothing else has to know of it."""


def study_of(name: str) -> Study:
    """The study of this name; InputError when there is none."""
    if name not in STUDIES:
        raise InputError(f"there is no study {name!r}; there are {', '.join(STUDIES)}")
    return STUDIES[name].load()
