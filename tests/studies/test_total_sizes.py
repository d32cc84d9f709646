"""Fig. 7 and 8, and bytes: sizes of one draw, and the figures."""

import pytest

from tidings.studies.study_run import StudyRun
from tidings.studies.total_setting import SHAPES
from tidings.studies.total_sizes import CodingJob, SizeJob, coding, coding_figure, sizes


@pytest.mark.parametrize(("shape", "entries", "published"), [(SHAPES[1], 119, 458), (SHAPES[0], 24, 660)])
def test_sizes_by_shares(shape, entries, published):
    """Neither 46 nor 17; the numbers that the design page measured."""
    found = sizes(SizeJob(shape=shape, reading="shares", topics_each=10, seed=1, draw=0))
    assert abs(found.mean - entries) < 3
    assert abs(found.published - published) < 15
    assert found.deviation > 50


def test_one_topic_each_needs_one_entry():
    """Nothing overlaps."""
    found = sizes(SizeJob(shape=SHAPES[0], reading="exponents", topics_each=1, seed=1, draw=0))
    assert (found.mean, found.deviation, found.published) == (1, 0, pytest.approx(1))


def test_coding_draws_its_own_world():
    """The same job, the same bytes."""
    job = CodingJob(shape=SHAPES[1], reading="exponents", seed=3, draw=1, events=300)
    assert coding(job) == coding(job)


@pytest.mark.slow
def test_the_figure_of_bytes():
    """Four rows for each shape and reading; something is saved in each."""
    figure = coding_figure(StudyRun())
    assert len(figure.findings) == 16
    assert all(0.3 < row.ours < 1 for row in figure.findings if row.what.endswith("share saved"))
