"""`tidings bench`: rates, latencies, fan-out and order of one broker, or of several by the same workload in one run."""

import contextlib
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.bench_tally import HEADER_BYTES, latencies_ms, together
from tidings.cli.console import PROMISE_BROKEN, note, print_json, print_table
from tidings.cli.reaching import URL, CaOption, CertificateOption, KeyOption, QosOption, UrlOption, reach
from tidings.errors import InputError, NoConnection

if TYPE_CHECKING:
    from tidings.cli.bench_worker import Job, Outcome

EXAMPLE: Final = "tidings bench --subscribers 10 --events 50000 --url mqtt://localhost:1883 --url mqtt://localhost:1884"
_PATIENCE_S: Final = 600.0


def bench(
    url: UrlOption = None,
    events: Annotated[int, typer.Option(min=1, help="In all.")] = 100_000,
    publishers: Annotated[int, typer.Option(min=1, max=1_000, help="Clients that publish.")] = 1,
    subscribers: Annotated[int, typer.Option(min=0, max=1_000, help="Clients that are shown everything.")] = 1,
    processes: Annotated[int, typer.Option(min=1, max=64, help="For publishers, and as many for subscribers.")] = 1,
    payload: Annotated[int, typer.Option(min=HEADER_BYTES, max=1 << 20, help="Bytes of each.")] = 64,
    qos: QosOption = 0,
    rate: Annotated[
        float | None, typer.Option(min=1.0, help="Events a second in all; else as fast as it goes.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="One event a packet, also with brokers that take rows.")
    ] = False,
    ca: CaOption = None,
    certificate: CertificateOption = None,
    key: KeyOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Publish and count. Exit code 1 when a publisher's order was broken, or with --qos 1 or 2 something was lost.

    Several URLs are measured one after the other; only ratios taken in one run count.
    """
    from tidings.cli.bench_worker import Job
    from tidings.client.places import read_place

    url = url or [URL]
    places = [read_place(one) for one in url]
    settings = reach(ca=ca, certificate=certificate, key=key, carriers=not plain)
    runs = []
    for one, place in zip(url, places, strict=True):
        job = Job(
            url=one,
            settings=settings,
            topic=f"tidings-bench/{os.urandom(4).hex()}",
            publishers=publishers,
            mine=(),
            events=-(-events // publishers),
            payload_bytes=payload,
            qos=qos,
            rate=None if rate is None else rate / publishers,
        )
        outcomes = run_jobs(jobs_of(job, subscribers, processes))
        runs.append({"url": str(place), **result_of(job, subscribers, outcomes)})
    if as_json:
        print_json({"cores": os.cpu_count(), "plain": plain, "runs": runs})
    else:
        _print(runs)
    if any(map(_is_broken, runs)):
        raise typer.Exit(PROMISE_BROKEN)


def jobs_of(job: "Job", subscribers: int, processes: int) -> "list[Job]":
    """One for each process, those who subscribe first."""
    import msgspec

    listening = [len(range(one, subscribers, processes)) for one in range(processes)]
    saying = [tuple(range(one, job.publishers, processes)) for one in range(processes)]
    jobs = [msgspec.structs.replace(job, subscribers=count) for count in listening if count]
    return jobs + [msgspec.structs.replace(job, mine=mine) for mine in saying if mine]


def run_jobs(jobs: "Sequence[Job]") -> "list[Outcome]":
    """Everybody connects, then everybody begins; subscribers are told when everything is said."""
    from tidings.cli.bench_worker import GO, READY, SAID

    with _started(jobs) as pipes:
        for pipe in pipes:
            heard = _heard(pipe)
            if heard != READY:
                raise NoConnection(f"bench: a worker said {heard!r} too early")
        for pipe in pipes:
            pipe.send(GO)
        saying = [_heard(pipe) for job, pipe in zip(jobs, pipes, strict=True) if job.mine]
        listening = [pipe for job, pipe in zip(jobs, pipes, strict=True) if not job.mine]
        for pipe in listening:
            pipe.send(SAID)
        return [*saying, *map(_heard, listening)]


@contextlib.contextmanager
def _started(jobs: "Sequence[Job]") -> Iterator[list[Connection]]:
    """A process for each job, and a way to talk to it; whatever happens, none of them stays."""
    from tidings.cli.bench_worker import work

    context, processes, pipes = multiprocessing.get_context("spawn"), [], []
    try:
        for job in jobs:
            ours, theirs = context.Pipe()
            process = context.Process(target=work, args=(job, theirs), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            pipes.append(ours)
        yield pipes
        for process in processes:
            process.join(_PATIENCE_S)
    finally:
        for process in processes:
            process.kill()
            process.join()
        for pipe in pipes:
            pipe.close()


def _heard(pipe: Connection) -> Any:
    """The next word of a worker; its problem, if it has one, is ours."""
    from tidings.cli.bench_worker import READY

    if not pipe.poll(_PATIENCE_S):
        raise NoConnection(f"bench: nothing was heard of a worker for {_PATIENCE_S:g} seconds")
    try:
        heard = pipe.recv()
    except EOFError:
        raise NoConnection("bench: a worker has ended without a word") from None
    if isinstance(heard, str) and heard != READY:
        raise InputError(f"bench: {heard}")
    return heard


def result_of(job: "Job", subscribers: int, outcomes: "Sequence[Outcome]") -> dict[str, Any]:
    """What `--json` says of one broker."""
    tally = together([one.tally for one in outcomes])
    saying = [one for one in outcomes if one.ended_ns]
    began_ns = min(one.began_ns for one in saying)
    published = sum(one.published for one in saying)
    samples = [sample for one in outcomes for sample in one.samples]
    return {
        "publishers": job.publishers,
        "subscribers": subscribers,
        "events": job.events * job.publishers,
        "payload_bytes": job.payload_bytes,
        "qos": job.qos,
        "published_per_s": _rate(published, max(one.ended_ns for one in saying) - began_ns),
        "received_per_s": _rate(tally.events, tally.last_ns - began_ns),
        "received": tally.events,
        "lost": published * subscribers - tally.events,
        "out_of_order": tally.out_of_order,
        "latency_ms": latencies_ms(samples),
    }


def _is_broken(run: Mapping[str, Any]) -> bool:
    """Order is promised at every quality, arrival only where it is acknowledged."""
    return bool(run["out_of_order"] or (run["qos"] and run["lost"]))


def _rate(count: int, nanoseconds: int) -> float:
    return round(count * 1e9 / nanoseconds, 1) if count and nanoseconds > 0 else 0.0


def _print(runs: Sequence[Mapping[str, Any]]) -> None:
    first = runs[0]
    note(
        f"{first['events']:,} events of {first['payload_bytes']} bytes, qos {first['qos']}, {first['publishers']} publishers, "
        f"{first['subscribers']} subscribers"
    )
    columns = ("broker", "published/s", "received/s", "ratio", "lost", "out of order", "p50 ms", "p99 ms", "max ms")
    rows = []
    for run in runs:
        basis, latency = first["received_per_s"] or first["published_per_s"], run["latency_ms"]
        rows.append(
            (
                run["url"],
                round(run["published_per_s"]),
                round(run["received_per_s"]),
                round((run["received_per_s"] or run["published_per_s"]) / basis, 3) if basis else None,
                run["lost"],
                run["out_of_order"],
                *(latency.get(name) for name in ("p50", "p99", "max")),
            )
        )
    print_table("bench", columns, rows, rows_max=len(rows))
