"""The report as a document, and its sums over runs."""

import json

from tidings.checking.report import MEANINGS, SUBSCRIBER_MEANINGS, AuditReport, SubscriberReport, summed

CONTRACT = [
    "fifo_inversions",
    "order_conflicts",
    "order_cycles",
    "causal_inversions",
    "tagged",
    "duplicates",
    "unexpected",
    "wanted",
    "on_time",
    "late",
    "expired",
    "lost",
    "exact",
    "subscribers",
]

ONE = AuditReport(
    fifo_inversions=1,
    order_conflicts=2,
    order_cycles=3,
    causal_inversions=4,
    tagged=5,
    fifo_chances=6,
    delays={16: 2, 32: 1},
    topic_inversions=7,
    subscribers={
        "s": SubscriberReport(
            wanted=4,
            on_time=1,
            late=1,
            expired=1,
            lost=1,
            acknowledged_lost=1,
            delay_ns=(1, 2, 3, 4),
            batches=((4, 1),),
        ),
        "r": SubscriberReport(duplicates=2, unexpected=3, fifo_inversions=1),
    },
)


def test_the_document_has_exactly_the_contracts_keys():
    """In its order; `runs` only with several."""
    assert list(ONE.to_json()) == CONTRACT
    assert list(MEANINGS) == CONTRACT
    assert list(summed({"seed-1": ONE, "seed-2": ONE}).to_json()) == [*CONTRACT, "runs"]


def test_counts_and_totals():
    """What concerns subscribers is summed over them."""
    document = ONE.to_json()
    expected = {"fifo_inversions": 1, "order_conflicts": 2, "order_cycles": 3, "causal_inversions": 4, "tagged": 5}
    expected |= {"duplicates": 2, "unexpected": 3, "wanted": 4, "on_time": 1, "late": 1, "expired": 1, "lost": 1}
    assert {key: document[key] for key in expected} == expected
    assert document["exact"] is True
    assert ONE.total("acknowledged_lost") == 1


def test_a_subscribers_entry():
    """All of it, and null for the reliability of one who wanted nothing."""
    entry = ONE.to_json()["subscribers"]["s"]
    assert entry["reliability"] == 0.25
    assert entry["delay_ns"] == {"p50": 1, "p90": 2, "p99": 3, "max": 4}
    assert entry["late_by_ns"] == {}
    assert entry["reliability_low"] < 0.25 < entry["reliability_high"]
    assert set(SUBSCRIBER_MEANINGS) <= set(entry)
    assert set(entry) <= set(SUBSCRIBER_MEANINGS) | set(MEANINGS)
    assert ONE.to_json()["subscribers"]["r"]["reliability"] is None


def test_the_document_is_json():
    """Nothing in it needs an encoder."""
    assert json.loads(json.dumps(ONE.to_json())) == ONE.to_json()


def test_runs_add_up():
    """Counts are sums, quantiles stay with the runs, one inexact run makes the sum inexact."""
    four = SubscriberReport(wanted=4, on_time=4, batches=((4, 4),))
    other = AuditReport(fifo_inversions=10, exact=False, delays={32: 3}, subscribers={"s": four})
    both = summed({"seed-1": ONE, "seed-2": other})
    assert both.fifo_inversions == 11
    assert both.fifo_chances == 6
    assert both.exact is False
    assert list(both.subscribers) == ["s", "r"]
    assert both.subscribers["s"].reliability == 5 / 8
    assert both.subscribers["s"].delay_ns == ()
    assert both.subscribers["s"].batches == ((4, 1), (4, 4))
    assert both.delays == {16: 2, 32: 4}
    assert both.subscribers["r"] == ONE.subscribers["r"]
    assert both.to_json()["runs"] == {"seed-1": ONE.to_json(), "seed-2": other.to_json()}
    assert both.to_json()["wanted"] == 8
