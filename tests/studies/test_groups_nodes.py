"""Fig. 5 to 8: what is counted of one membership, and the figures."""

import pytest

from tidings.studies import groups_nodes
from tidings.studies.groups_nodes import OCCUPANCIES, TREED_TOO, CountJob, counting_figures, counts
from tidings.studies.groups_setting import HOSTS, shared_nodes, tree_of
from tidings.studies.study_run import StudyRun


def test_what_is_counted():
    """Against the membership itself: atoms of each group, nodes of each way of sharing, groups that pass."""
    job = CountJob(seed=1, draws=range(2, 3), groups=8, trees=True)
    (found,) = counts(job)
    atoms = job.membership(2).atoms()
    assert found.overlaps == len(atoms.atoms)
    assert found.atoms == tuple(sum(group in atom.groups for atom in atoms.atoms) for group in atoms.groups)
    assert sum(found.atoms) == 2 * found.overlaps
    assert all(one <= other for one, other in zip(found.atoms, found.causal_atoms, strict=True))
    for sharing, sharers in zip(TREED_TOO, found.sharers, strict=True):
        nodes = shared_nodes(sharing, atoms, groups_nodes._nodes_stream(job, 2))
        assert sharers.nodes == len(nodes) == len(sharers.associated)
        tree = tree_of(sharing, atoms, groups_nodes._nodes_stream(job, 2))
        assert sharers.forwarded == tuple(len(tree.passing(node)) / 8 for node in range(tree.sequencing))
        assert sum(sharers.forwarded) >= sum(sharers.associated)


def test_draws_are_their_own():
    """A membership belongs to its kind and number, whoever counts it with which others."""
    assert counts(CountJob(seed=1, draws=range(3), groups=4))[2:] == counts(
        CountJob(seed=1, draws=range(2, 3), groups=4)
    )
    assert counts(CountJob(seed=1, draws=range(1)))[0] != counts(CountJob(seed=2, draws=range(1)))[0]
    (found,) = counts(CountJob(seed=1, draws=range(1), reading="shares", groups=8))
    assert found.overlaps < 10
    assert (found.causal_atoms, found.sharers[0].forwarded) == ((), ())


def test_occupancy():
    """Nobody overlaps at 0; at 1 all do, and as published all share one node."""
    empty, full = (counts(CountJob(seed=1, draws=range(1), occupancy=share))[0] for share in (0.0, 1.0))
    assert (empty.overlaps, empty.sharers[0].nodes) == (0, 0)
    assert (full.overlaps, full.sharers[0].nodes) == (32 * 31 // 2, 1)


@pytest.fixture(scope="module")
def counted():
    """Two draws of 8 and 16 groups, with trees."""
    return {groups: counts(CountJob(seed=1, draws=range(2), groups=groups, trees=True)) for groups in (8, 16)}


def test_stress_and_atoms(counted):
    """Shares of the groups, at most 1, more passing than numbered; atoms on a way below half of the members."""
    figure = groups_nodes._fig6(counted, counted)
    rows = {row.what: row.ours for row in figure.findings}
    assert all(0 < value <= 1 for value in rows.values())
    assert rows["8 groups, by home: largest, all that pass"] >= rows["8 groups, by home: mean stress, all that pass"]
    assert len(figure.plots) == len(TREED_TOO)
    most = max(max(one.atoms) for draws in counted.values() for one in draws)
    assert most / HOSTS < 0.5


def test_occupancies_reach_from_nothing_to_everything():
    """In steps of a twentieth."""
    assert (OCCUPANCIES[0], OCCUPANCIES[4], OCCUPANCIES[-1], len(OCCUPANCIES)) == (0.0, 0.2, 1.0, 21)


@pytest.mark.slow
def test_all_of_it():
    """The quick form: every figure, and what the paper says of most of them."""
    figures = {figure.name: figure for figure in counting_figures(StudyRun())}
    assert list(figures) == ["fig5", "fig6", "fig7", "fig8"]
    rows = {row.what: row.ours for figure in figures.values() for row in figure.findings}
    assert rows["64 groups: most atoms on a way, of all members"] < 0.5
    assert rows["as published: nodes at occupancy 1"] == 1
    assert 0.1 <= rows["as published: occupancy with most nodes"] <= 0.3
    assert 0.15 < rows["32 groups, as published: mean stress, groups with atoms"] < 0.25
    assert rows["by home: the same from 32 to 64"] < rows["by home: nodes for each group more, from 8 to 32 groups"]
