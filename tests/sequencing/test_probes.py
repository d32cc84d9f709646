"""Probes: soon after a publication, then ever more seldom."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tidings.sequencing.probes import DOUBLED_MAX, FIRST_NS, HELD_TRIES, Probes


def rung(probes, times):
    """When the next probes of a topic come."""
    found = []
    for _ in range(times):
        now = probes.deadline()
        if probes.due(now):
            found.append(now)
    return found


def test_they_become_seldom():
    """Each time twice as long, up to an end."""
    probes = Probes()
    probes.published("a", 0)
    found = rung(probes, DOUBLED_MAX + 4)
    gaps = [after - before for before, after in pairwise(found)]
    assert gaps[:3] == [FIRST_NS, 2 * FIRST_NS, 4 * FIRST_NS]
    assert gaps[-1] == gaps[-2] == FIRST_NS << DOUBLED_MAX


def test_the_world_waits_for_the_first_ones():
    """Then nobody waits, though they go on; a publication begins anew."""
    probes = Probes()
    assert not probes.holds
    probes.published("a", 0)
    for _ in range(HELD_TRIES):
        assert probes.holds
        rung(probes, 1)
    assert not probes.holds
    assert probes.deadline() is not None
    probes.published("a", probes.deadline())
    assert probes.holds


def test_a_publication_brings_a_far_probe_near():
    """Else a lost last event would be noticed a minute later."""
    probes = Probes()
    probes.published("a", 0)
    rung(probes, 6)
    now = probes.deadline() - 20 * FIRST_NS
    probes.published("a", now)
    assert probes.deadline() == now + FIRST_NS
    assert probes.due(now + FIRST_NS) == ["a"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3 * FIRST_NS)), max_size=30))
def test_a_topic_is_probed_within_a_while_of_its_last_publication(steps):
    """Whatever the publications; and the count of young topics never goes wrong."""
    probes, now, last, found = Probes(), 0, {}, []

    def ring():
        at = probes.deadline()
        found.extend((topic, at) for topic in probes.due(at))

    for topic, wait in steps:
        while probes.deadline() is not None and probes.deadline() <= now + wait:
            ring()
        now += wait
        probes.published(topic, now)
        last[topic] = now
    for _ in range(40 if last else 0):
        ring()
    assert all(any(topic == one and at <= by <= at + FIRST_NS for one, by in found) for topic, at in last.items())
    assert not probes.holds
