"""From a config to what a process is told; what is read again while it runs."""

import asyncio

import pytest

from runtime.certificates import Certificates
from tidings.errors import InputError
from tidings.mqtt.rights import ALL_RIGHTS, NO_RIGHTS
from tidings.runtime.accounts import token_account, write_accounts
from tidings.runtime.config import load_config
from tidings.runtime.furnishing import EVERYBODY, configured_options, lone_options

TEXT = """
tidings = 1
users = "users"
[[listener]]
port = 0
tls = true
[tls]
certificate = "broker.pem"
key = "broker.key"
client_ca = "ca.pem"
[[right]]
who = ["ann"]
publish = ["a"]
"""


@pytest.fixture
def config(tmp_path):
    """A config with everything that it names beside it."""
    Certificates(tmp_path)
    write_accounts(tmp_path / "users", {"ann": token_account()[1]})
    path = tmp_path / "broker.toml"
    path.write_text(TEXT)
    return path


def test_a_lone_broker_trusts_this_machine(tmp_path):
    """Everybody on loopback is one principal with all rights."""
    options = lone_options(7, tmp_path)
    (entrance,) = options.entrances
    assert (entrance.address, entrance.port, entrance.trusted) == ("127.0.0.1", 7, EVERYBODY)
    assert options.opening.rights_of(EVERYBODY) is ALL_RIGHTS
    assert options.renew is None


def test_a_config_denies_by_default(config, tmp_path):
    """Whoever is not named in a right has none."""
    options = configured_options(load_config(config))
    (entrance,) = options.entrances
    assert entrance.trusted is None
    assert entrance.context is not None
    assert options.opening.rights_of("ann").may_publish("a")
    assert options.opening.rights_of("bob") is NO_RIGHTS
    assert options.opening.rights_of(EVERYBODY) is NO_RIGHTS
    assert options.opening.data is None
    config.write_text('tidings = 1\ndata = "var"\n')
    options = configured_options(load_config(config))
    assert options.opening.data == tmp_path / "var"
    assert options.entrances[0].context is None


def test_rights_users_and_certificates_are_read_again(config, tmp_path):
    """What the machines ask sees the new rights at once; the rest is handed on."""
    options = configured_options(load_config(config))
    write_accounts(tmp_path / "users", {"bob": token_account()[1]})
    config.write_text(TEXT.replace('["ann"]', '["bob", "anonymous"]'))
    Certificates(tmp_path)
    renewal = options.renew()
    assert (set(renewal.accounts), renewal.anonymous) == ({"bob"}, "anonymous")
    assert not options.opening.rights_of("ann").may_publish("a")
    assert options.opening.rights_of("bob").may_publish("a")


def test_what_is_wrong_when_read_again_changes_nothing(config, tmp_path):
    """A config, or a certificate."""
    options = configured_options(load_config(config))
    config.write_text("tidings = 3")
    with pytest.raises(InputError):
        options.renew()
    config.write_text(TEXT.replace('["a"]', '["b"]'))
    (tmp_path / "broker.pem").unlink()
    with pytest.raises(InputError):
        options.renew()
    assert options.opening.rights_of("ann").may_publish("a")
    assert not options.opening.rights_of("ann").may_publish("b")


def test_options_need_no_loop(config):
    """They are made before there is one."""
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
    assert configured_options(load_config(config)).connections_max == 1_024
