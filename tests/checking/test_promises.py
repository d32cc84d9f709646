"""Which findings break which promises."""

import pytest

from tidings.checking.promises import Promises, promises_of, verdict
from tidings.checking.report import AuditReport, SubscriberReport
from tidings.errors import InputError
from tidings.logs import LogFolder


def report(**counts):
    """A report with these counts, of the run or of its one subscriber."""
    own = {key: value for key, value in counts.items() if key in SubscriberReport.__dataclass_fields__}
    rest = {key: value for key, value in counts.items() if key not in own or key == "fifo_inversions"}
    return AuditReport(**rest, subscribers={"s": SubscriberReport(**own)})


GUARANTEES = ("none", "fifo", "total", "causal", "groups")
BREAKS = {
    "duplicates": GUARANTEES,
    "unexpected": GUARANTEES,
    "order_conflicts": ("total", "causal", "groups"),
    "topic_inversions": ("total", "groups"),
    "order_cycles": ("causal",),
    "causal_inversions": ("causal",),
    "fifo_inversions": ("causal",),
    "lost": (),
    "late": (),
    "tagged": (),
    "acknowledged_lost": (),
}


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("count", BREAKS)
def test_what_each_guarantee_promises(guarantee, count):
    """One finding breaks exactly the promises that speak of it."""
    broken = verdict(report(fifo_chances=100, **{count: 1}), Promises(guarantee=guarantee))
    assert len(broken) == (guarantee in BREAKS[count])


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_clean_report_breaks_nothing(guarantee):
    """Also without a single event."""
    assert verdict(AuditReport(), Promises(guarantee=guarantee, mechanism="buffering", k=1)) == []


@pytest.mark.parametrize(("k", "broken"), [(1, 1), (2, 0)])
@pytest.mark.parametrize("count", ["order_cycles", "causal_inversions"])
def test_groups_promise_cause_with_k_of_1(count, k, broken):
    """With 2 they are information."""
    assert len(verdict(report(**{count: 1}), Promises(guarantee="groups", k=k))) == broken


@pytest.mark.parametrize(
    ("mechanism", "broken"), [("none", 0), ("bypass", 0), ("buffering", 1), ("bypass+buffering", 1)]
)
def test_buffering_promises_what_was_acknowledged(mechanism, broken):
    """Other mechanisms promise nothing."""
    assert len(verdict(report(lost=5, acknowledged_lost=1), Promises(mechanism=mechanism))) == broken


@pytest.mark.parametrize(
    ("inversions", "tolerance", "broken"), [(5, 0.05, 0), (9, 0.05, 0), (12, 0.05, 1), (1, 0.0, 1)]
)
def test_fifo_may_be_broken_within_its_tolerance(inversions, tolerance, broken):
    """The lower end of the interval decides, of 100 chances."""
    found = verdict(
        report(fifo_inversions=inversions, fifo_chances=100), Promises(guarantee="fifo", tolerance=tolerance)
    )
    assert len(found) == broken


def test_sentences_count_and_say_what():
    """Singular and plural."""
    found = verdict(report(duplicates=1, unexpected=2), Promises())
    assert found == [
        "1 showing of an event that the subscriber had been shown before",
        "2 showings that no interest allows",
    ]


def folder_with(path, scenario):
    """A finished run with this scenario."""
    with LogFolder.create(path, names=[]) as folder:
        folder.write_text("scenario.toml", scenario)
        return folder.finish({})


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        ("tidings = 1", Promises()),
        (
            '[ordering]\nguarantee = "fifo"\ntolerance = 0.01\n[reliability]\nmechanism = "buffering"',
            Promises(guarantee="fifo", tolerance=0.01, mechanism="buffering"),
        ),
        ('[ordering]\nguarantee = "causal"', Promises(guarantee="causal", k=1)),
        ('[ordering]\nguarantee = "groups"\nk = 1', Promises(guarantee="groups", k=1)),
    ],
)
def test_promises_stand_in_the_scenario(tmp_path, scenario, expected):
    """With the contract's defaults."""
    assert promises_of(folder_with(tmp_path / "run", scenario)) == expected


@pytest.mark.parametrize(
    ("scenario", "words"), [('[ordering]\nguarantee = "fastest"', "one of none, fifo"), ("ordering = 3", "a table")]
)
def test_promises_that_cannot_be_read(tmp_path, scenario, words):
    """Said with what would be right."""
    with pytest.raises(InputError, match=words):
        promises_of(folder_with(tmp_path / "run", scenario))
