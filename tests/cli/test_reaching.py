"""How verbs reach a broker."""

from pathlib import Path

from tidings.cli.reaching import PATIENCE, reach
from tidings.client.settings import read_settings


def test_who_we_are_comes_from_the_environment():
    """Nothing secret has to stand on a command line."""
    said = reach({"TIDINGS_USER": "ann", "TIDINGS_PASSWORD": "pw", "HOME": "x"}, client_id="c")
    assert said == {"patience": PATIENCE, "client_id": "c", "user": "ann", "password": "pw"}
    assert reach({"TIDINGS_TOKEN": "t"}) == {"patience": PATIENCE, "token": "t"}


def test_what_was_not_said_is_left_to_the_client():
    """Empty words are none."""
    assert reach({"TIDINGS_PASSWORD": ""}, ca=None, key=Path("k")) == {"patience": PATIENCE, "key": Path("k")}


def test_every_setting_is_one_of_the_client():
    """It takes them as they are, and hides them."""
    said = reach({"TIDINGS_USER": "u", "TIDINGS_PASSWORD": "hidden"}, client_id="c", session="1h", carriers=False)
    places, settings = read_settings(("mqtt://host",), said)
    assert places[0].password.value == b"hidden"
    assert "hidden" not in repr(settings)
