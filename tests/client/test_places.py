"""URLs of brokers."""

import pytest

from tidings.client.places import read_place
from tidings.errors import InputError


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("mqtt://localhost", "mqtt://localhost:1883"),
        ("mqtts://broker.example/", "mqtts://broker.example:8883"),
        ("mqtt://10.0.0.1:1", "mqtt://10.0.0.1:1"),
        ("mqtt://[::1]:1884", "mqtt://[::1]:1884"),
        ("MQTT://Localhost", "mqtt://localhost:1883"),
    ],
)
def test_a_url_names_a_place(url, shown):
    """Host and port, with the port that is usual."""
    assert str(read_place(url)) == shown


def test_user_and_password_may_hold_anything():
    """Encoded as URLs have it; shown nowhere."""
    place = read_place("mqtt://an%40n:p%3Aw%2F%C3%A9@host:5")
    assert (place.user, place.password.value) == ("an@n", "p:w/é".encode())
    assert "p:w" not in repr(place) + str(place)
    assert "an@n" not in str(place)
    assert read_place("mqtt://host").user is None


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://host", "write mqtt://host:port"),
        ("host:1883", "write mqtt://host:port"),
        ("", "write mqtt://host:port"),
        ("mqtt://", "names no host"),
        ("mqtt://ann:secret@:5", "names no host"),
        ("mqtt://ann:secret@host/topic", "nothing follows the port"),
        ("mqtt://host?x=1", "nothing follows the port"),
        ("mqtt://ann:secret@host:port", "does not parse"),
        ("mqtt://ann:secret@host:99999", "does not parse"),
        ("mqtt://ann:secret@host:0", "there is no port 0"),
        ("mqtt://[::1", "does not parse"),
    ],
)
def test_what_is_no_place_is_refused_without_its_secrets(url, problem):
    """One line that says what would be right."""
    with pytest.raises(InputError, match=problem) as refused:
        read_place(url)
    assert "secret" not in str(refused.value)
