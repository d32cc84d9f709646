"""The trade-off: more guards, more packets, more on time."""

from studies.tiny import TinyRun, rows
from tidings.studies.dcrd_tradeoff import GUARDS, tradeoff


def test_packets_are_counted_against_those_of_dcrd():
    """In both settings, for any number of guards; answers and control beside them."""
    figure = tradeoff(TinyRun())
    found = rows(figure)
    for where in ("fully meshed", "degree 5"):
        assert found[f"packets for each of dcrd's, {where}, dcrd"].ours == 1
        packets = [found[f"packets for each of dcrd's, {where}, dcrd+ with {guards} guards"].ours for guards in GUARDS]
        assert packets == sorted(packets)
        assert found[f"on time, {where}, dcrd+ with 2 guards"].ours > found[f"on time, {where}, dcrd"].ours
        assert f"other control traffic for each subscriber, {where}, dcrd+ with 1 guards" in found
    assert [(curve.name, len(curve.x)) for curve in figure.plots[0].curves] == [("fully meshed", 5), ("degree 5", 5)]
