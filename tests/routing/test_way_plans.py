"""Ways by scheme: those of the rules, found once for each picture of the links."""

import pytest

from tidings.routing.link_quality import LinkQuality
from tidings.routing.way_plans import WAY_SCHEMES, WayPlans
from tidings.routing.ways import delay_ways, hop_ways, second_way, shortest_simple_ways

DELAYS = {("a", "b"): 10, ("b", "d"): 10, ("a", "c"): 15, ("c", "d"): 15, ("a", "d"): 50}
LINKS = {way: LinkQuality(float(delay), 0.9) for one, delay in DELAYS.items() for way in (one, one[::-1])}


def test_each_scheme_follows_its_rule():
    """Fewest hops, least delay, and of the five shortest the one that shares least with it."""
    hops, delays = hop_ways("abcd", LINKS, "a"), delay_ways("abcd", LINKS, "a")
    second = second_way(delays["d"], shortest_simple_ways("abcd", LINKS, "a", "d"), "a")
    expected = {"r-tree": (hops["d"],), "d-tree": (delays["d"],), "multipath": (delays["d"], second)}
    for scheme in WAY_SCHEMES:
        assert WayPlans(scheme, "abcd", "a").ways(LINKS, ("d",)) == {"d": expected[scheme]}
    assert second == ("c", "d")


@pytest.mark.parametrize("scheme", WAY_SCHEMES)
def test_where_no_way_leads_there_is_none(scheme):
    """The others have theirs; with one way only, multipath sends one copy."""
    links = {way: LinkQuality(1.0, 1.0) for way in (("a", "b"), ("b", "a"))}
    assert WayPlans(scheme, "abc", "a").ways(links, ("b", "c")) == {"b": (("b",),)}


def test_other_links_other_ways():
    """What is believed now counts."""
    plans = WayPlans("multipath", "abcd", "a")
    assert plans.ways(LINKS, ("d",))["d"][0] == ("b", "d")
    slower = {**LINKS, ("a", "b"): LinkQuality(90.0, 0.9), ("b", "a"): LinkQuality(90.0, 0.9)}
    assert plans.ways(slower, ("d",))["d"][0] == ("c", "d")
    assert plans.ways(LINKS, ("d",))["d"][0] == ("b", "d")
