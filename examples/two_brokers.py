"""Two broker processes, a subscriber at one and a publisher at the other: only what is wanted is shown, and in time.

`python examples/asyncio_driver.py` runs it, and so does this file. It starts five things at most and stops each.
"""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from small_world import EVENTS, WANTED, WISH

DRIVER: Final = Path(__file__).with_name("asyncio_driver.py")
TOGETHER_S: Final = 60.0
"""After this long the demonstration has failed."""


class Programs:
    """The processes that were started, each with its standard output; leaving ends them all."""

    def __init__(self) -> None:
        self._running: list[asyncio.subprocess.Process] = []

    async def start(self, *words: str) -> asyncio.StreamReader:
        """`asyncio_driver.py` with these words; gives what it prints."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(DRIVER),
            "--attached",
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self._running.append(process)
        assert process.stdout is not None
        return process.stdout

    async def stop(self) -> None:
        """End every process that still runs, and wait until it has ended."""
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        for process in self._running:
            await process.wait()


async def line(output: asyncio.StreamReader) -> list[str]:
    """The next line as words; raises EOFError when the process has ended instead."""
    read = (await output.readline()).decode().split()
    if not read:
        raise EOFError("a process ended without saying what was waited for")
    return read


async def shown_events(programs: Programs, wish: str, events: Sequence[str], last: str) -> list[str]:
    """What a subscriber with `wish` at broker b is shown of what is published at broker a, up to `last`."""
    a = (await line(await programs.start("broker", "a", "--peer", "b")))[1]
    b = (await line(await programs.start("broker", "b", "--peer", f"a={a}")))[1]
    subscriber = await programs.start("subscribe", "s", f"b={b}", wish)
    while await line(subscriber) != ["subscribed"]:  # with names behind it while brokers do not answer
        pass
    publisher = await programs.start("publish", "p", f"a={a}", *events)
    for _ in events:
        await line(publisher)
    shown: list[str] = []
    while not shown or shown[-1] != last:
        shown.append(" ".join((await line(subscriber))[1:]))
    return shown


async def demonstrate() -> bool:
    """Prints what was published and shown; true exactly when that is what was wanted, in time."""
    programs = Programs()
    try:
        async with asyncio.timeout(TOGETHER_S):
            shown = await shown_events(programs, WISH, EVENTS, WANTED[-1])
    except (TimeoutError, EOFError) as problem:
        print(f"failed: {problem!r}", file=sys.stderr)
        return False
    finally:
        await programs.stop()
    print(f"wanted: {WISH}")
    for event in EVENTS:
        print(f"{'shown    ' if event in shown else 'not shown'}  {event}")
    return tuple(shown) == WANTED


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(demonstrate()) else 1)
