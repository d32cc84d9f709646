"""`tidings broker`: its options, and what it says about them; how the process lives is tested in tests/runtime."""

import signal

from runtime.real_broker import RealBroker
from tidings.cli.app import run


def test_a_port_must_be_one(capsys):
    """Refused before anything is started."""
    assert run(["broker", "--port", "70000"]) == 2
    assert "65535" in capsys.readouterr().err


def test_help_says_what_it_serves(capsys):
    """MQTT, to clients of this machine."""
    assert run(["broker", "--help"]) == 0
    assert "MQTT 5 and 3.1.1" in capsys.readouterr().out


def test_a_folder_that_cannot_be_made_is_named(capsys, tmp_path):
    """One line and exit code 2, from the verb itself."""
    (tmp_path / "file").write_text("x")
    assert run(["broker", "--port", "0", "--data", str(tmp_path / "file" / "below")]) == 2
    assert str(tmp_path / "file" / "below") in capsys.readouterr().err


def test_it_serves_until_it_is_told_to_end(tmp_path):
    """With the folder that was named."""
    with RealBroker("--data", tmp_path / "new") as broker:
        assert list((tmp_path / "new").glob("segment-*"))
        assert broker.end(signal.SIGTERM) == 0
