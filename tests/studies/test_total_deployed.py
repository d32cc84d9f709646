"""Deployments of drawn worlds, and the figures about them."""

import pytest

from studies.total_worlds import looked_at
from tidings.studies.total_deployed import RATES, bandwidth_figure, rates_figure, sizes_figure, ways_figure
from tidings.studies.total_setting import SHAPES


@pytest.fixture(scope="module")
def looked():
    """One draw of everything."""
    return looked_at()


def rows(figure):
    """Findings by what they are of."""
    return {row.what: row for row in figure.findings}


def test_every_deployment_is_there(looked):
    """The published one and three trees, in each of the four worlds, at all rates."""
    worlds, sized = looked
    assert len(worlds) == len(sized) == 4
    for (found,) in worlds.values():
        assert found.deployed[0].name == "published"
        assert len(found.deployed) == 4
        assert all(len(one.served) == len(RATES) for one in found.deployed)
        assert found.entries > 1
        assert found.fan_out > 5


def test_planning_saves_messages_and_depth(looked):
    """In every world, and never more than is possible."""
    found = rows(ways_figure(looked[0]))
    names = [what.removesuffix(", published: depth") for what in found if what.endswith(", published: depth")]
    assert len(names) == 4
    for name in names:
        for what in ("depth", "messages between sites per event"):
            assert found[f"{name}, planned, shallow: {what}"].ours < found[f"{name}, published: {what}"].ours
        least = found[f"{name}: messages between sites, no plan needs fewer than"].ours
        assert least <= found[f"{name}, planned, by site: messages between sites per event"].ours


def test_bandwidth_follows_precedence(looked):
    """Server 1 has the highest topics and sends nothing on; spraying makes the others send more."""
    found = rows(bandwidth_figure(looked[0]))
    assert len(found) == 20
    for what, row in found.items():
        assert 0 <= row.ours < 1
        assert "server 1 " not in what or row.ours == 0
    far, own = (f"{shape.about} ({shape.printed}, as exponents)" for shape in (SHAPES[1], SHAPES[0]))
    what = "bytes that server 4 sends to others, of those it handles"
    assert found[f"{far}: {what}"].ours > found[f"{own}: {what}"].ours


def test_rates_and_sizes_have_a_row_and_a_curve_for_each(looked):
    """Four worlds, four deployments, two measures; the paper's words beside its own deployment."""
    worlds, sized = looked
    for figure in (rates_figure(worlds), sizes_figure(worlds, sized)):
        assert len(figure.findings) == 32
        assert [len(plot.curves) for plot in figure.plots] == [16, 16]
        assert all(row.paper is None or "published" in row.what for row in figure.findings)
        assert all(row.ours > 0 for row in figure.findings)
