"""Fig. 2: delays from low traffic to congestion, and whether their variation depends on them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.study_run import StudyRun
from tidings.studies.worker_brokers import Message, deliver, low_degree_tree
from tidings.vocabulary.streams import Streams

Floats = NDArray[np.float64]

BROKERS, DIAMETER = 8, 3
LOADS = (0.2, 0.4, 0.6, 0.8, 0.95, 1.1, 0.8, 0.4)
"""Of what a broker can do, one after the other: up to congestion, and back."""
THRESHOLD_S = 1.5
"""Where the paper divides the delays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadJob:
    """One run: everything enters at one broker and goes to another as far as can be."""

    seed: int
    seconds: float
    """For each load."""
    threads: bool


def consecutive_delays(job: LoadJob) -> Floats:
    """Delays in the order of departure."""
    streams = Streams(job.seed)
    network = replace(low_degree_tree(BROKERS, DIAMETER, streams("fifo fig2 tree")), threads=job.threads)
    capacity = network.workers / network.service_mean
    draw = streams("fifo fig2 published")
    parts = [
        (number + np.sort(draw.random(int(load * capacity * job.seconds)))) * job.seconds
        for number, load in enumerate(LOADS)
    ]
    departures = np.concatenate(parts)
    far = int(network.hops()[0].argmax())
    sent = [Message(at, 0, frozenset([far])) for at in departures.tolist()]
    delays: Floats = deliver(network, sent, streams("fifo fig2 services"))[:, far] - departures
    return delays


def loads(run: StudyRun) -> Figure:
    """Fig. 2 for brokers with workers; beside it the one that the paper's description of threads would give."""
    seconds = run.sized(quick=10.0, full=60.0)
    jobs = [LoadJob(seed=run.seed, seconds=seconds, threads=threads) for threads in (False, True)]
    workers, threads = run.map(consecutive_delays, jobs)
    plots = (_scatter(workers), _variation("four workers", workers), _variation("a thread for each", threads))
    return Figure(
        name="fig2",
        title="delays and their variation from low traffic to congestion, 8 brokers",
        findings=(*_findings("four workers", workers, 0.35), *_findings("a thread for each", threads, None)),
        plots=plots,
    )


def divided(delays: Floats) -> tuple[Floats, Floats]:
    """Differences of consecutive delays, where the earlier is below and above the threshold."""
    differences, low = np.diff(delays), delays[:-1] < THRESHOLD_S
    return differences[low], differences[~low]


def _findings(kind: str, delays: Floats, paper: float | None) -> tuple[Finding, ...]:
    below, above = divided(delays)
    return (
        Finding(f"{kind}: messages", None, len(delays)),
        Finding(f"{kind}: longest delay, s", None, float(delays.max())),
        Finding(f"{kind}: correlation of consecutive delays", None, float(np.corrcoef(delays[:-1], delays[1:])[0, 1])),
        Finding(
            f"{kind}: rank-sum p of differences below and above 1.5 s",
            paper,
            float(stats.ranksums(below, above).pvalue),
        ),
        # Both sides lie around 0 whatever their widths: the test above could not tell them apart if they were.
        Finding(f"{kind}: rank-sum p of their sizes", None, float(stats.ranksums(abs(below), abs(above)).pvalue)),
        Finding(f"{kind}: mean size below, ms", None, 1e3 * float(np.abs(below).mean())),
        Finding(f"{kind}: mean size above, ms", None, 1e3 * float(np.abs(above).mean())),
    )


def _scatter(delays: Floats) -> Plot:
    stride = max(1, len(delays) // 1_500)
    x, y = delays[:-1:stride], delays[1::stride]
    curve = Curve("pairs", tuple(x.tolist()), tuple(y.tolist()), "points")
    return Plot(title="(a) delays of consecutive messages", x="delay, s", y="delay of the next, s", curves=(curve,))


def _variation(kind: str, delays: Floats) -> Plot:
    below, above = divided(delays)
    reach = float(np.quantile(np.abs(np.concatenate([below, above])), 0.995))
    edges = np.linspace(-reach, reach, 61)
    places = tuple(((edges[:-1] + edges[1:]) / 2).tolist())
    curves = [
        Curve(name, places, tuple(np.histogram(part, edges, density=True)[0].tolist()), "steps")
        for name, part in (("delays below 1.5 s", below), ("delays above", above))
    ]
    return Plot(title=f"(b, c) variation, {kind}", x="difference, s", y="density", curves=tuple(curves))
