"""One process of a benchmark: connects its clients, says that it is ready, and begins when it is told to."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tidings.cli.bench_tally import Counting, Tally, payload, together
from tidings.errors import TidingsError
from tidings.vocabulary.instant import SECOND

if TYPE_CHECKING:
    from tidings.client import LiveClient, Publication, Subscription

READY: Final = "ready"
GO: Final = "go"
SAID: Final = "said"
"""Everything is published: subscribers wait for what is still under way, and no longer."""
_TICK_S: Final = 0.005
_GRACE_S: Final = 1.0
"""So long after the last event a subscriber believes that no more will come."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What one process does."""

    url: str
    settings: dict[str, Any]
    topic: str
    publishers: int
    """Of the whole benchmark."""
    mine: tuple[int, ...]
    """Publishers of this process; empty: it subscribes."""
    subscribers: int = 0
    """Of this process."""
    events: int
    """Of each publisher."""
    payload_bytes: int
    qos: int
    rate: float | None = None
    """Events a second of each publisher; None: as fast as it goes."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    began_ns: int = 0
    ended_ns: int = 0
    published: int = 0
    tally: Tally
    samples: tuple[bytes, ...] = ()


def work(job: Job, pipe: Connection) -> None:
    """The process's main function; an error goes back as its sentence."""
    try:
        pipe.send(asyncio.run(_publish(job, pipe) if job.mine else _subscribe(job, pipe)))
    except (TidingsError, OSError, EOFError) as problem:
        with contextlib.suppress(OSError):
            pipe.send(str(problem))
    except KeyboardInterrupt:
        pass


async def _connected(stack: contextlib.AsyncExitStack, job: Job) -> "LiveClient":
    from tidings.client import connect

    return await stack.enter_async_context(connect(job.url, **job.settings))


async def _told(pipe: Connection, word: str) -> None:
    """Wait for a word of the process that has started this one."""
    heard = await asyncio.to_thread(pipe.recv)
    assert heard == word


# ---- publishing


async def _publish(job: Job, pipe: Connection) -> Outcome:
    async with contextlib.AsyncExitStack() as stack:
        clients = [await _connected(stack, job) for _ in job.mine]
        pipe.send(READY)
        await _told(pipe, GO)
        began_ns = time.monotonic_ns()
        await asyncio.gather(*(_say(job, one, number) for one, number in zip(clients, job.mine, strict=True)))
        for client in clients:
            await client.drain()
        ended_ns = time.monotonic_ns()
        published = sum(client.counts.published for client in clients)
    return Outcome(began_ns=began_ns, ended_ns=ended_ns, published=published, tally=Tally())


async def _say(job: Job, client: "LiveClient", publisher: int) -> None:
    if job.rate is None:
        await client.publish_many(_publications(job, publisher, 0, job.events))
        return
    began_s, done = time.monotonic(), 0
    async with asyncio.TaskGroup() as group:
        while done < job.events:
            due = min(job.events, int((time.monotonic() - began_s) * job.rate) + 1)
            if due > done:
                group.create_task(client.publish_many(list(_publications(job, publisher, done, due))))
                done = due
            await asyncio.sleep(_TICK_S)


def _publications(job: Job, publisher: int, first: int, end: int) -> "Iterator[Publication]":
    from tidings.client import Publication

    topic = f"{job.topic}/{publisher}"
    for number in range(first, end):
        yield Publication(topic, payload(publisher, number, time.monotonic_ns(), job.payload_bytes), qos=job.qos)


# ---- subscribing


async def _subscribe(job: Job, pipe: Connection) -> Outcome:
    wanted = job.publishers * job.events
    async with contextlib.AsyncExitStack() as stack:
        countings, tasks = [], []
        for _ in range(job.subscribers):
            client = await _connected(stack, job)
            subscription = client.subscribe(f"{job.topic}/#", qos=job.qos)
            await subscription.ready()
            counting = Counting(job.publishers)
            countings.append(counting)
            tasks.append(asyncio.create_task(_count(subscription, counting, wanted)))
        pipe.send(READY)
        await _told(pipe, GO)
        await _told(pipe, SAID)
        await _settled(countings, tasks)
        for task in tasks:
            task.cancel()
    samples = tuple(one.waits_ns.tobytes() for one in countings)
    return Outcome(tally=together([one.tally for one in countings]), samples=samples)


async def _count(subscription: "Subscription", counting: Counting, wanted: int) -> None:
    while counting.tally.events < wanted and (batch := await subscription.next_batch()):
        counting.take([event.payload for event in batch], time.monotonic_ns())


async def _settled(countings: list[Counting], tasks: "list[asyncio.Task[None]]") -> None:
    """Everybody has everything, or nothing has come for a while."""
    said_ns = time.monotonic_ns()
    while not all(task.done() for task in tasks):
        last_ns = max(said_ns, *(one.tally.last_ns for one in countings))
        if time.monotonic_ns() - last_ns > _GRACE_S * SECOND:
            return
        await asyncio.sleep(_TICK_S)
    for task in tasks:
        task.result()
