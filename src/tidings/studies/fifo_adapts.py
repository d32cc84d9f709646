"""Fig. 4: how the latch follows a publisher whose rate changes."""

import numpy as np

from tidings.ordering import PredictiveReach, Relevance, Stamp, TwoLaplace
from tidings.ordering.samples import Samples
from tidings.studies.fifo_setting import KINDS
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.latch_flows import Flow, stamped
from tidings.studies.study_run import StudyRun
from tidings.studies.worker_brokers import Message, deliver, line
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.streams import Streams

BROKERS = 8
RATES = (20.0, 100.0, 400.0, 100.0, 20.0, 250.0, 20.0)
"""Messages per second, each for the same time."""
TOLERANCE = 0.05


def changing_flow(seed: int, seconds: float) -> Flow:
    """A publisher with these rates over a chain of brokers; the subscriber wants one kind of many."""
    streams = Streams(seed)
    draw = streams("fifo fig4 published")
    parts = [(place + np.sort(draw.random(int(rate * seconds)))) * seconds for place, rate in enumerate(RATES)]
    departures = np.concatenate(parts)
    kinds = draw.integers(KINDS, size=len(departures))
    sent = [Message(at, 0, frozenset([BROKERS - 1])) for at in departures.tolist()]
    left = deliver(line(BROKERS), sent, streams("fifo fig4 services"))[:, BROKERS - 1]
    arrived = np.round(left * 1e9).astype(np.int64)
    numbers = np.flatnonzero(kinds == 0)
    order = numbers[np.argsort(arrived[numbers], kind="stable")]
    return Flow(
        departures_ns=tuple(np.round(departures * 1e9).astype(np.int64).tolist()),
        kinds=tuple(kinds.tolist()),
        wanted=0,
        arrivals=tuple(zip(arrived[order].tolist(), order.tolist(), strict=True)),
    )


def judged(flow: Flow, record: int) -> list[tuple[float, float, float]]:
    """At each arrival: when it departed, how likely it breaks the order if shown, and its latch time, in seconds."""
    law, wish, samples = TwoLaplace(1.0), Relevance(), Samples(25)
    wish.wish(0, parse_filter(f"kind == {flow.wanted}"))
    reach = PredictiveReach(law, TOLERANCE)
    come, last, found = set[int](), None, []
    for now, event, stamp in stamped(flow, record):
        number = event.id
        departed_ns, known_ns = _latest_missing(stamp, number, come, wish), reach.reach_ns(samples)
        chance = latch_s = 0.0
        if departed_ns is not None and known_ns is not None:
            gap_ns = max(0, event.published_ns - departed_ns)
            scale_ns = samples.total_ns / len(samples) / law.mean_absolute
            chance = float(law.survival(np.array([gap_ns / scale_ns]))[0])
            latch_s = max(0, known_ns - gap_ns) / 1e9
        found.append((event.published_ns / 1e9, chance, latch_s))
        if last is not None:
            samples.add(now - last[0] - (event.published_ns - last[1]))
        last = now, event.published_ns
        come.add(number)
    return found


def _latest_missing(stamp: Stamp, number: int, come: set[int], wish: Relevance) -> int | None:
    """Departure of the latest event before this one that has not come and may matter."""
    departed_ns = None
    for past in stamp.before:
        number -= 1
        departed_ns = past.departed_ns
        if number not in come and wish.may_matter(past):
            return departed_ns
    # Below the record nothing is told: somebody may be missing there.
    return departed_ns if number > 0 else None


def adaptivity(run: StudyRun) -> Figure:
    """Fig. 4 for one pair of publisher and subscriber."""
    seconds = run.sized(quick=5.0, full=30.0)
    flow = changing_flow(run.seed, seconds)
    basic, enhanced = judged(flow, 0), judged(flow, 25)
    late = _out_of_order(flow)
    calm, busy = min(RATES), max(RATES)
    return Figure(
        name="fig4",
        title="the latch follows the publisher's rate",
        findings=(
            Finding("messages wanted", None, len(flow.arrivals)),
            Finding("of them received out of order", None, len(late)),
            Finding("mean chance of a violation, 20 messages/s, basic", None, _mean(basic, 1, calm, seconds)),
            Finding("mean chance of a violation, 400 messages/s, basic", None, _mean(basic, 1, busy, seconds)),
            Finding("mean latch, 20 messages/s, basic, ms", None, 1e3 * _mean(basic, 2, calm, seconds)),
            Finding("mean latch, 400 messages/s, basic, ms", None, 1e3 * _mean(basic, 2, busy, seconds)),
            Finding("share of messages latched, basic", None, _share(basic)),
            Finding("share of messages latched, record of 25", None, _share(enhanced)),
        ),
        plots=(
            _over_time("out of order", "departure, s", "out of order", [(at, 1.0) for at in late], "points"),
            _over_time("publication rate", "time, s", "messages/s", _rates(seconds), "steps"),
            _over_time("chance of a violation, basic", "departure, s", "probability", [(t, p) for t, p, _ in basic]),
            _over_time("latch, record of 25", "departure, s", "latch, s", [(t, h) for t, _, h in enhanced]),
            _over_time("latch, basic", "departure, s", "latch, s", [(t, h) for t, _, h in basic]),
        ),
    )


def _out_of_order(flow: Flow) -> list[float]:
    highest, late = -1, []
    for _, number in flow.arrivals:
        if number < highest:
            late.append(flow.departures_ns[number] / 1e9)
        highest = max(highest, number)
    return late


def _mean(rows: list[tuple[float, float, float]], column: int, rate: float, seconds: float) -> float:
    """Over the messages that departed while the publisher had this rate."""
    chosen = [row[column] for row in rows if RATES[min(int(row[0] / seconds), len(RATES) - 1)] == rate]
    return float(np.mean(chosen))


def _share(rows: list[tuple[float, float, float]]) -> float:
    return float(np.mean([row[2] > 0 for row in rows]))


def _rates(seconds: float) -> list[tuple[float, float]]:
    ends = [(place * seconds, rate) for place, rate in enumerate(RATES)]
    return [*ends, (len(RATES) * seconds, RATES[-1])]


def _over_time(title: str, x: str, y: str, points: list[tuple[float, float]], style: str = "line") -> Plot:
    curve = Curve(
        title,
        tuple(at for at, _ in points),
        tuple(value for _, value in points),
        "points" if style == "points" else "steps" if style == "steps" else "line",
    )
    return Plot(title=title, x=x, y=y, curves=(curve,))
