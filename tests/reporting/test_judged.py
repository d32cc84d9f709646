"""A folder as a report knows it."""

from reporting.made_reports import judged, report


def test_the_document_is_that_of_the_audit_and_more():
    """Each predicted subscriber's share stands beside the measured one."""
    document = judged(broken=["x"], judged_by="spark (embedded)").document()
    assert document["subscribers"]["s1"]["predicted"] == 0.9
    assert "predicted" not in document["subscribers"]["idle"]
    assert document["prediction"]["inside"] == 1
    assert (document["broken"], document["judged_by"]) == (["x"], "spark (embedded)")
    assert document["fifo_inversions"] == 7


def test_violations_are_those_that_a_guarantee_is_about():
    """Of fifo the publisher's order alone, of total the pairs, of causal everything."""
    assert [judged().violations(one) for one in ("fifo", "total", "causal", "none")] == [7, 3, 10, 10]


def test_delays_by_share():
    """The class in which so many showings have passed."""
    one = judged()
    assert [one.delay_s(share) for share in (0.5, 0.75, 0.76, 0.99, 1.0)] == [0.001, 0.001, 0.002, 0.004, 0.004]
    assert judged(found=report()).delay_s(0.5) == 0.001


def test_no_delays():
    """Nothing was shown."""
    from tidings.checking import AuditReport
    from tidings.reporting.judged import Judged

    assert Judged(name="x", report=AuditReport()).delay_s(0.5) is None


def test_order_prevents_where_there_is_something_to_compare():
    """The first without and the first with an order."""
    from tidings.reporting.judged import prevented

    off, on = judged("off"), judged("on", guarantee="fifo")
    assert prevented([on, off]) == (off, on)
    assert prevented([off]) is None
    assert prevented([on]) is None
