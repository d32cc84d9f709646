"""The few numbers that say most of a run, each as a name, a value and what it means."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tidings.reporting.judged import Judged, prevented


class Telling(NamedTuple):
    """One number for people."""

    what: str
    value: str
    meaning: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.value}" + (f" ({self.meaning})" if self.meaning else "")


def telling(judged: Sequence[Judged]) -> list[Telling]:
    """Five, or fewer where there was less to judge."""
    return [
        *(_on_time(next((one for one in judged if one.comparison is not None), judged[0]))),
        *_order(judged),
        *_delays(judged),
        *_worst(judged),
    ][:5]


def _on_time(one: Judged) -> Iterator[Telling]:
    found = one.comparison
    wanted, on_time = one.report.total("wanted"), one.report.total("on_time")
    if found is None:
        if wanted:
            yield Telling("on time", f"{on_time / wanted:.2%}", f"of {wanted:,} wanted events, {one.name}")
        return
    yield Telling("on time", f"{found.measured:.2%}", f"predicted {found.predicted:.2%}, of {wanted:,} wanted events")
    yield Telling(
        "prediction off by",
        f"{found.mean_error * 100:.2f} points",
        f"mean over {len(found.rows):,} subscribers; {found.inside:,} measured intervals hold it",
    )


def _order(judged: Sequence[Judged]) -> Iterator[Telling]:
    both = prevented(judged)
    if both is not None:
        guarantee = both[1].guarantee
        without, ordered = (one.violations(guarantee) for one in both)
        names = f"{both[0].name}, then {both[1].name}"
        yield Telling(f"violations of {guarantee} order", f"{without:,} → {ordered:,}", names)
    else:
        for one in judged[:1]:
            yield Telling("violations of order", f"{sum(one.order().values()):,}", one.name)


def _delays(judged: Sequence[Judged]) -> Iterator[Telling]:
    shown = [one for one in judged if one.report.delays][:2]
    if shown:
        values = (f"{(one.delay_s(0.5) or 0) * 1e3:,.0f} / {(one.delay_s(0.99) or 0) * 1e3:,.0f} ms" for one in shown)
        yield Telling("delay, median / 99 %", " → ".join(values), ", then ".join(one.name for one in shown))


def _worst(judged: Sequence[Judged]) -> Iterator[Telling]:
    for one in judged:
        if one.comparison is not None:
            row = min(one.comparison.rows, key=lambda row: (row.measured, row.subscriber))
            yield Telling("worst served", f"{row.subscriber}, {row.measured:.2%}", f"predicted {row.predicted:.2%}")
            return
    shares = [
        (entry.reliability, name)
        for name, entry in judged[0].report.subscribers.items()
        if entry.reliability is not None
    ]
    if shares:
        share, name = min(shares)
        yield Telling("worst served", f"{name}, {share:.2%}")
