"""How a study is run: small or as large as the paper's, from which seed, on how many processes."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from tidings.processes import Workers
from tidings.vocabulary.streams import Streams

Progress: TypeAlias = Callable[[int, int], None]
"""Called with what is done and what there is to do so far."""

Job = TypeVar("Job")
Result = TypeVar("Result")
Size = TypeVar("Size")


class StudyRun:
    """What a study is given. Results depend on seed and size alone, never on the number of processes."""

    def __init__(
        self, *, seed: int = 1, full: bool = False, workers: Workers | None = None, progress: Progress | None = None
    ) -> None:
        self.seed = seed
        self.full = full
        """The paper's sizes; else what is done within a minute on two cores."""
        self._workers = workers or Workers(1)
        self._progress = progress
        self._done = self._total = 0

    @property
    def streams(self) -> Streams:
        """Where draws come from that are not made in a job."""
        return Streams(self.seed)

    def sized(self, *, quick: Size, full: Size) -> Size:
        """One of the two."""
        return full if self.full else quick

    def map(self, function: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
        """`function` of each job, in order, spread over the processes. A job carries its own seed or stream."""
        self._total += len(jobs)
        self._tell()
        results = []
        for result in self._workers.map(function, jobs):
            results.append(result)
            self._done += 1
            self._tell()
        return results

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._done, self._total)
