"""Work spread over processes: results come back in the order of the jobs, whoever was quicker.

What is to be done is a function of a module and a job that both can travel. How many processes there are changes
nothing but the time it takes.
"""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import TracebackType
from typing import Generic, Self, TypeVar

from tidings.errors import InputError, TidingsError, WorldError

Job = TypeVar("Job")
Result = TypeVar("Result")


class Workers:
    """Processes that are started when there is work and ended with the block, at once when the block fails."""

    def __init__(self, processes: int) -> None:
        """With 1 everything is done here, in the caller's own process."""
        if processes < 1:
            raise InputError(f"processes = {processes} must be 1 or more")
        self._processes = processes
        self._others = multiprocessing.active_children()
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if error is not None:
            # Nobody waits for the other jobs any more: Ctrl-C, or one of them has failed.
            for child in multiprocessing.active_children():
                if child not in self._others:
                    child.terminate()
        self._pool.shutdown(cancel_futures=True)

    def map(self, function: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """The result of each job, in order, as they come. An error of ours ends it with the same sentence."""
        if self._processes == 1:
            yield from map(function, jobs)
            return
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self._processes, mp_context=context, initializer=_leave_interrupts_to_the_parent
            )
        try:
            for answer in self._pool.map(partial(_apart, function), jobs):
                if isinstance(answer, _Refused):
                    raise InputError(answer.sentence)
                yield answer.result
        except BrokenProcessPool as error:
            raise WorldError(
                "a process was ended from outside, perhaps for want of memory; try fewer --processes"
            ) from error


class _Done(Generic[Result]):
    def __init__(self, result: Result) -> None:
        self.result = result


class _Refused:
    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


def _leave_interrupts_to_the_parent() -> None:
    """A process that ended its job at Ctrl-C would begin with the next one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _apart(function: Callable[[Job], Result], job: Job) -> _Done[Result] | _Refused:
    """What another process sends back; our errors as their sentence, since not each of them can travel."""
    try:
        return _Done(function(job))
    except TidingsError as error:
        return _Refused(str(error))
