"""The demonstration's overlay: connected, and no faster than light in glass."""

from tidings.demo.cities import CITIES, LINKS_MS


def test_every_city_can_be_reached():
    """Along the links, from any of them."""
    reached = {CITIES[0]}
    for _ in CITIES:
        reached |= {city for one, other, _ in LINKS_MS for city in (one, other) if {one, other} & reached}
    assert reached == set(CITIES)


def test_links_are_plain():
    """Each pair once, none to itself, all with a delay."""
    pairs = [frozenset((one, other)) for one, other, _ in LINKS_MS]
    assert len(set(pairs)) == len(pairs)
    assert all(len(pair) == 2 for pair in pairs)
    assert all(ms > 0 for _, _, ms in LINKS_MS)
