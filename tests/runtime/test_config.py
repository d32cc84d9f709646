"""The config of a broker: what is read, and how each thing that is wrong is named."""

import pytest

from tidings.errors import InputError
from tidings.mqtt.limits import Limits
from tidings.mqtt.rights import Rights
from tidings.runtime.accounts import token_account, write_accounts
from tidings.runtime.config import load_config
from tidings.vocabulary.instant import DAY, SECOND

FULL = """
tidings = 1
name = "oslo"
data = "var/oslo"
json = true
users = "users"

[[listener]]
port = 1883

[[listener]]
address = "0.0.0.0"
port = 8883
tls = true

[tls]
certificate = "oslo.pem"
key = "oslo.key"

[[right]]
who = ["ann"]
publish = ["quotes/#"]

[[right]]
who = ["ann", "bob"]
subscribe = ["quotes/#"]
deny = ["quotes/secret/#"]

[keep]
time = "3d"
bytes = 1_000_000

[limits]
connections = 10
payload_bytes = 1_000
keep_alive = "2min"
"""


@pytest.fixture
def load(tmp_path):
    """Read a text as a config, in a folder that holds users."""
    write_accounts(tmp_path / "users", {name: token_account()[1] for name in ("ann", "bob")})

    def read(text, **options):
        path = tmp_path / "broker.toml"
        path.write_text(text, "utf-8")
        return load_config(path, **options)

    return read


def test_everything_that_can_be_said(load, tmp_path):
    """Times are texts, files lie beside the config, rights add up."""
    settings = load(FULL)
    config = settings.config
    assert (config.name, config.json, settings.path(config.data)) == ("oslo", True, tmp_path / "var/oslo")
    assert [(one.address, one.port, one.tls) for one in config.listener] == [
        ("127.0.0.1", 1883, False),
        ("0.0.0.0", 8883, True),
    ]
    assert settings.rights["ann"] == Rights(publish=("quotes/#",), subscribe=("quotes/#",), deny=("quotes/secret/#",))
    assert settings.rights["bob"] == Rights(subscribe=("quotes/#",), deny=("quotes/secret/#",))
    assert (settings.keep_ns, config.keep.bytes) == (3 * DAY, 1_000_000)
    assert (settings.limits.payload_bytes_max, settings.limits.keep_alive_s_max) == (1_000, 120)
    assert set(settings.accounts) == {"ann", "bob"}
    assert settings.anonymous is None


def test_almost_nothing_need_be_said(load):
    """Loopback, nothing kept, nobody may do anything; limits are those of the machines."""
    settings = load("tidings = 1")
    assert settings.limits == Limits()
    assert settings.rights == {}
    assert settings.keep_ns == 7 * DAY
    assert settings.limits.connect_ns_max == 5 * SECOND
    assert settings.config.listener[0].is_loopback


def test_whoever_comes_without_a_name(load):
    """May do what is said of `anonymous`, on loopback."""
    settings = load('tidings = 1\n[[right]]\nwho = ["anonymous"]\nsubscribe = ["#"]')
    assert settings.anonymous == "anonymous"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "tidings: must be given"),
        ("tidings = 2", "tidings = 2: this version reads 1"),
        ('tidings = "1"', "tidings: expected `int`"),
        ("tidings = 1\nprot = 5", "prot: there is no such key"),
        ("tidings = 1\n[limits]\nprot = 5", "limits.prot: there is no such key"),
        ("tidings = 1\n[[listener]]\nport = 1\nprot = 5", "listener[0].prot: there is no such key"),
        ("tidings = 1\n[tls]\ncertificate = 'x'", "tls.key: must be given"),
        ("tidings = 1\ntidings = 1", "overwrite"),
        ("tidings = 1\n[limits]\nconnections = 0", "limits.connections: expected `int` >= 1"),
        ("tidings = 1\n[limits]\nconnections = -1", "limits.connections"),
        ("tidings = 1\n[limits]\nconnections = true", "limits.connections"),
        ("tidings = 1\n[limits]\nconnections = 1.5", "limits.connections"),
        ("tidings = 1\n[limits]\npayload_bytes = 2_000_000", "limits.payload_bytes"),
        ("tidings = 1\n[limits]\npublish_rate = nan", "limits.publish_rate"),
        ("tidings = 1\n[limits]\nconnect = '5'", "limits.connect = '5': a duration is"),
        ("tidings = 1\n[limits]\nconnect = '0s'", "must be more than 0"),
        ("tidings = 1\n[keep]\ntime = 'x'", "keep.time = 'x'"),
        ("tidings = 1\n[[listener]]\nport = 65_536", "listener[0].port"),
        ("tidings = 1\nlistener = []", "listener: one at least"),
        ("tidings = 1\n[[listener]]\naddress = 'localhost'", "must be an address"),
        ("tidings = 1\n[[listener]]\ntls = true", "listener[0].tls = true: needs [tls]"),
        ("tidings = 1\nname = ''", "name: expected `str` of length >= 1"),
        ("tidings = 1\nusers = 'none'", "none: no such file"),
        ("tidings = 1\n[[right]]\nwho = ['ann']", "right[0].who = 'ann': is not among the users"),
        ("tidings = 1\nusers='users'\n[[right]]\nwho = ['a b']", "right[0]: name 'a b'"),
        ("tidings = 1\nusers='users'\n[[right]]\nwho = ['ann']\npublish = ['a/#/b']", "right[0]"),
        ("tidings = 1\n[[listener]]\naddress = '0.0.0.0'", "give it tls = true"),
        ("tidings = 1\n[[listener]]\naddress = '::'", "give it tls = true"),
        ("tidings = 1\n[tls]\ncertificate='a'\nkey='b'\n[[listener]]\naddress = '0.0.0.0'\ntls = true", "name users"),
        (FULL + "[[right]]\nwho = ['anonymous']\n", "no right for anonymous"),
        ("tidings = 1\n[health]\nport = 1\naddress = '0.0.0.0'", "others can ask"),
        ("tidings = 1\n[health]\nport = 1\naddress = 'here'", "health.address = 'here'"),
        ("tidings = 1\n[health]", "health.port: must be given"),
        ("tidings = 1\nlog = 'xml'", "log: "),
        ("\ufeff\0", "broker.toml"),
    ],
)
def test_what_is_wrong_is_named(load, tmp_path, text, says):
    """File, key, and what would be right, in one line."""
    with pytest.raises(InputError) as refusal:
        load(text)
    sentence = str(refusal.value)
    assert says in sentence
    assert "\n" not in sentence
    assert str(tmp_path) in sentence


def test_what_is_insecure_has_to_be_asked_for(load):
    """By a word on the command line, not in the file."""
    text = "tidings = 1\n[[listener]]\naddress = '0.0.0.0'\n[[right]]\nwho = ['anonymous']\n"
    with pytest.raises(InputError):
        load(text)
    assert load(text, insecure=True).anonymous == "anonymous"


def test_a_secret_that_others_can_read_is_refused(load, tmp_path):
    """The file of users."""
    (tmp_path / "users").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        load("tidings = 1\nusers = 'users'")


def test_a_file_that_is_not_there(tmp_path):
    """Or is no text."""
    with pytest.raises(InputError, match="No such file"):
        load_config(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match="utf-8"):
        load_config(tmp_path / "bytes.toml")
