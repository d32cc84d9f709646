"""Assumptions: those that matter for the world in question, and no others."""

from analysis.test_sources import trace
from simulation.worlds import changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.predicting import PredictOptions, predict
from tidings.scenario.world import LinkEpisodes
from tidings.vocabulary.distribution import Uniform
from tidings.vocabulary.instant import SECOND


def said(world, **options):
    """All assumptions as one text."""
    return "\n".join(predict(world, PredictOptions(**options)).assumptions)


def test_a_world_without_queues():
    """Publishers, and nothing else."""
    assert said(make_world()).count("\n") == 0


def test_queues():
    """Independent brokers where there are several; approximations by name; the mode."""
    two = make_world([serving("a", ms(10)), serving("b", const(10))], publishers=[publisher(every=const(100))])
    assert "added up as if independent" in said(two)
    assert "waits at b come from indices of dispersion" in said(two)
    assert "mode mean" in said(two, mode="mean")
    assert "overloaded" in said(changed(two, publishers=(publisher(every=const(5)),)))


def test_many_names_are_cut():
    """Five and how many more."""
    names = [serving(f"b{i}", const(10 + i)) for i in range(9)]
    world = make_world(names, publishers=[publisher(broker="b0", every=ms(100))], subscribers=[subscriber(broker="b8")])
    assert "b1, b2, b3, b4, b5 and 3 more" in said(world)


def test_contents(tmp_path):
    """Samples and records."""
    laws = {f"a{i}": Uniform(0.0, 1.0) for i in range(4)}
    wants = [subscriber(f"s{i}-{j}", "b", f"a{i} < {j / 20}") for i in range(4) for j in range(1, 20)]
    assert "sample of 4,096" in said(make_world(publishers=[publisher(attributes=laws)], subscribers=wants))
    file = trace(tmp_path / "x.parquet", [(i * SECOND, "t", {}) for i in range(5)])
    assert "recorded" in said(make_world(publishers=[publisher(trace=file)]))


def test_failures():
    """Only where something fails."""
    world = make_world(episodes=LinkEpisodes(probability=0.1, every_ns=SECOND, lasting_ns=SECOND))
    assert "repaired independently" in said(world)
