"""What reactions carry, against a closure by hand."""

import pytest

from tidings.pipeline.reactions import causes_carried
from tidings.pipeline.workspace import Workspace

EVENTS = "event bigint, publisher bigint, rank bigint, published_ns bigint, published boolean"
SHOWINGS = "client bigint, event bigint, publisher bigint, rank bigint, delivered_ns bigint, published boolean"


def carried(spark, place, events, showings, **limits):
    """`{event: {publisher: seen}}`, and whether it is all."""
    frames = (
        spark.createDataFrame([(*row, True) for row in showings], SHOWINGS),
        spark.createDataFrame([(*row, True) for row in events], EVENTS),
    )
    found, whole = causes_carried(Workspace(spark, place, "x"), *frames, **limits)
    if found is None:
        return None, whole
    told = {}
    for row in found.collect():
        told.setdefault(row["event"], {})[row["publisher"]] = row["seen"]
    return told, whole


EVENTS_OF_THREE = [(10, 1, 1, 0), (11, 1, 2, 10), (20, 2, 1, 50), (30, 3, 1, 90), (21, 2, 2, 100)]
"""Of publishers 1, 2 and 3, at these instants."""


def test_causes_travel_through_several_hands(spark, tmp_path):
    """2 heard two events of 1, 3 heard 2: so 3's event has both behind it; what comes at the same instant is too late."""
    heard = [(2, 10, 1, 1, 20), (2, 11, 1, 2, 30), (3, 20, 2, 1, 60), (2, 30, 3, 1, 100)]
    assert carried(spark, tmp_path / "w", EVENTS_OF_THREE, heard) == (
        {20: {1: 2}, 30: {1: 2, 2: 1}, 21: {1: 2}},
        True,
    )


def test_nobody_reacts(spark, tmp_path):
    """Subscribers that publish nothing carry nothing."""
    assert carried(spark, tmp_path / "w", EVENTS_OF_THREE, [(9, 10, 1, 1, 20)]) == (None, True)


@pytest.mark.parametrize("limits", [{"cells_max": 5}, {"steps_max": 2}])
def test_too_much_to_follow(spark, tmp_path, limits):
    """Is not followed, and said."""
    heard = [(2, 10, 1, 1, 20), (3, 20, 2, 1, 60)]
    assert carried(spark, tmp_path / "w", EVENTS_OF_THREE, heard, **limits) == (None, False)
