"""The overlay as a picture: places that say how far brokers are, and what became of them."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from reporting.made_reports import SCENARIO
from tidings.logs import open_folder
from tidings.reporting.forecasts import world_of
from tidings.reporting.overlay_map import HEIGHT, WIDTH, downtimes, laid_out, overlay_map, svg_of_map
from tidings.reporting.pictures import overlay_of
from tidings.scenario import expand, load_scenario
from tidings.simulation import simulate


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run in which a broker fails."""
    place = tmp_path_factory.mktemp("map")
    (place / "s.toml").write_text(SCENARIO, "utf-8")
    simulate(expand(load_scenario(place / "s.toml")), out=place / "logs")
    return open_folder(place / "logs")


def test_brokers_on_a_line_lie_on_a_line():
    """In their order, as far apart as their delays say."""
    at = laid_out(4, [(0, 1), (1, 2), (2, 3)], [1.0, 2.0, 1.0])
    across = at[:, 0]
    assert np.ptp(across) == pytest.approx(1)
    assert sorted([across[0], across[3]]) == pytest.approx([0, 1])
    assert abs(across[2] - across[1]) == pytest.approx(0.5)


@pytest.mark.parametrize("brokers", [1, 2, 3])
def test_few_or_unconnected_brokers_have_places_too(brokers):
    """Within the paper, none of them nowhere."""
    at = laid_out(brokers, [], [])
    assert at.shape == (brokers, 2)
    assert np.isfinite(at).all()
    assert ((at >= 0) & (at <= 1)).all()


def test_the_same_overlay_is_drawn_the_same():
    """Whatever sign the library gives its vectors."""
    links, lengths = [(0, 1), (1, 2), (2, 0), (2, 3)], [1.0, 2.0, 2.5, 1.0]
    assert (laid_out(4, links, lengths) == laid_out(4, links, lengths)).all()


def test_what_became_of_brokers_is_shown(folder):
    """Down as long as the logs say; subscribers are counted where they are."""
    found = overlay_map(world_of(folder), folder)
    rows = [row for row in folder.table("outages").to_pylist() if row["component"] == "a"]
    total = sum(row["up_ns"] - row["down_ns"] for row in rows)
    assert found.down[0] == pytest.approx(total / 60e9)
    assert 0 < found.down[0] < 1
    assert found.subscribers == [0, 0, 3]
    assert downtimes(folder, 60 * 10**9) == {"a": pytest.approx(found.down[0])}


def test_the_picture_is_well_formed(folder):
    """Names are escaped, circles lie inside, each broker and each link is there."""
    root = ET.fromstring(svg_of_map(overlay_of(folder)))
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(circles) == 3
    assert sum(one.tag.endswith("path") for one in root.iter()) == 2
    for one in circles:
        assert 0 < float(one.get("cx")) < WIDTH
        assert 0 < float(one.get("cy")) < HEIGHT
    assert "<c>" in "".join(root.itertext())


def test_no_picture_where_there_is_too_much_to_draw(folder):
    """Too many brokers."""
    assert overlay_map(world_of(folder), folder, brokers_max=2) is None
