"""Options: what an ordinary program needs is the default, and nothing secret shows."""

import pytest

from tidings.mqtt.limits import EVENTS_IN_FLIGHT_MAX
from tidings.mqtt_client.options import SEEN_REMEMBERED, ClientOptions, Secret


def test_secrets_do_not_show():
    """Neither alone nor among other options, nor in a traceback that prints them."""
    options = ClientOptions(client_id="ann", user_name="ann", password=Secret(b"hunter2"))
    for text in (repr(options), str(options), f"{options.password}", str(options.password)):
        assert "hunter2" not in text
    assert options.password.value == b"hunter2"


def test_more_is_remembered_than_a_broker_may_repeat():
    """Of the events of carriers."""
    assert SEEN_REMEMBERED > EVENTS_IN_FLIGHT_MAX


def test_options_do_not_change():
    """Whoever wants others makes another client."""
    with pytest.raises(AttributeError):
        ClientOptions(client_id="ann").client_id = "bob"
