"""Reason codes, and what MQTT 3.1.1 has in their place."""

import pytest

from tidings.wire.mqtt_reasons import FAILURE, Reason, return_code


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_return_code(reason):
    """0 exactly for success; 3.1.1 knows five failures."""
    assert return_code(reason) in range(6)
    assert (return_code(reason) == 0) == (reason == Reason.SUCCESS)


def test_failures_begin_at_0x80():
    """Below are successes of several kinds."""
    assert min(reason for reason in Reason if "ERROR" in reason.name) == FAILURE
