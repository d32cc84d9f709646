"""The study of the published sequencer: its runs, its counts, and what it must show."""

import pytest

from tidings.studies import stuck
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams


@pytest.fixture(scope="module")
def found():
    """The quick form."""
    return {figure.name: {row.what: row for row in figure.findings} for figure in stuck.figures(StudyRun(seed=2))}


def test_the_smallest_shape_sticks_in_most_runs(found):
    """More than half, with the interval; the trees never, under any shape."""
    rows = found["stuck"]
    assert rows["smallest, published: runs that get stuck"].low > 0.4
    trees = [row.ours for what, row in rows.items() if ", tree" in what]
    assert len(trees) == 10
    assert set(trees) == {0}
    assert rows["pairs of subscribers that disagree, over all trees"].ours == 0


def test_one_shared_subscriber_makes_it_worse(found):
    """More overlaps, more circles."""
    rows = found["stuck"]
    for topics in (6, 12):
        pairs, single = (
            rows[f"{topics} topics, {k}, published: runs that get stuck"].ours for k in ("pairs", "one shared")
        )
        assert 0 < pairs < single


def test_the_tree_visits_more_and_a_plan_fewer(found):
    """A stage each: no fewer stages than the published way. Three planned ones: fewer."""
    rows = found["cost"]
    for shape in stuck.SHAPES:
        published, each, planned = (
            rows[f"{shape.name}, {routing}: stages that a request visits"].ours for routing in stuck.ROUTINGS
        )
        assert published <= each
        assert planned < each


def test_runs_do_not_depend_on_how_they_are_dealt():
    """Each has a stream of its own."""
    whole = stuck.tallies(stuck.StuckJob(shape=stuck.SHAPES[1], seed=1, runs=range(4)))
    halves = [
        one
        for part in (range(2), range(2, 4))
        for one in stuck.tallies(stuck.StuckJob(shape=stuck.SHAPES[1], seed=1, runs=part))
    ]
    assert whole == halves


def test_shapes_draw_what_they_say():
    """Topics, subscribers, and from one topic to the most."""
    interests = stuck.SHAPES[3].interests(Streams(1)("x"))
    assert len(interests) == 24
    assert {len(wanted) for wanted in interests.values()} == {1, 2, 3, 4}
    assert stuck.SHAPES[0].interests(Streams(1)("x")) == stuck.SMALLEST
