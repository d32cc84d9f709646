"""What is measured of links: it moves towards what happens, and old things weigh less."""

from tidings.routing.link_monitor import GAIN, PRIOR, LinkMonitor
from tidings.routing.link_quality import LinkQuality


def monitor():
    """Of one link."""
    return LinkMonitor({"b": LinkQuality(100.0, 0.5)})


def test_nothing_measured_is_what_was_expected():
    """Also after what concerns others."""
    one = monitor()
    one.answered("c", 7.0)
    one.missed("c")
    assert one.report() == (("b", 100, 0.5),)


def test_answers_and_their_delays_count():
    """An answer to nobody knows what counts as an answer alone."""
    one = monitor()
    one.answered("b", 200.0)
    one.answered("b", None)
    one.missed("b")
    ((name, delay_ns, ratio),) = one.report()
    assert (name, delay_ns) == ("b", round(100 + GAIN * 100))
    assert ratio == round((PRIOR * 0.5 + 2) / (PRIOR + 3), 6)


def test_a_link_that_fails_is_found_out_however_long_it_was_good():
    """What was counted before a report weighs half as much after it."""
    one = monitor()
    for _ in range(1_000):
        one.answered("b", 100.0)
    assert one.report()[0][2] > 0.98
    for _ in range(8):
        for _ in range(100):
            one.missed("b")
        ratio = one.report()[0][2]
    assert ratio < 0.15
