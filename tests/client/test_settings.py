"""What can be said when connecting."""

import ssl

import msgspec
import pytest

from client.certificates import make_certificates
from tidings.client.settings import Settings, machine_options, read_settings, tls_context
from tidings.errors import InputError, WorldError
from tidings.mqtt_client.options import Secret
from tidings.runtime.clock import read_clocks


def options(url="mqtt://host", **said):
    """What the machine is told."""
    places, settings = read_settings((url,), said)
    return machine_options(places[0], settings)


def test_a_program_without_a_name_leaves_nothing_behind():
    """Each has another made-up name, and starts anew."""
    one, other = options(), options()
    assert one.client_id != other.client_id
    assert one.client_id.startswith("tidings-")
    assert one.clean_start
    assert one.clock == read_clocks().boot


def test_a_name_of_its_own_makes_a_session_last():
    """For as long as asked for."""
    found = options(client_id="ann", session="1h", keep_alive="5s", receive_maximum=3, carriers=False)
    assert (found.client_id, found.clean_start, found.session_expiry_s) == ("ann", False, 3_600)
    assert (found.keep_alive_s, found.receive_maximum, found.carriers) == (5, 3, False)
    assert options(session="200d").session_expiry_s == 200 * 86_400
    assert options(session="100000d").session_expiry_s == 2**32 - 2


def test_what_is_said_beside_the_url_goes_before_it():
    """User and password apart; a token is a password by another name."""
    url = "mqtt://ann:old@host"
    for said, user, word in (
        ({}, "ann", b"old"),
        ({"user": "bob"}, "bob", b"old"),
        ({"password": "new"}, "ann", b"new"),
        ({"token": Secret(b"t")}, "ann", b"t"),
    ):
        found = options(url, **said)
        assert (found.user_name, found.password.value) == (user, word)
    assert options().password is None


@pytest.mark.parametrize(
    ("urls", "said", "problem"),
    [
        ((), {}, "name a broker"),
        (("mqtt://a", "ftp://b"), {}, "write mqtt://"),
        (("mqtt://a",), {"colour": 1}, "no setting 'colour'; there are client_id"),
        (("mqtt://a",), {"password": "x", "token": "y"}, "give one of them"),
        (("mqtt://a",), {"keep_alive": "soon"}, "keep_alive = 'soon': a duration is"),
        (("mqtt://a",), {"keep_alive": "1d"}, "at most 65535 seconds"),
        (("mqtt://a",), {"session": "5"}, "session = '5'"),
        (("mqtt://a",), {"receive_maximum": 0}, "1 to 65535"),
        (("mqtt://a",), {"receive_maximum": 70_000}, "1 to 65535"),
    ],
)
def test_what_makes_no_sense_is_refused(urls, said, problem):
    """By name, before anything is tried."""
    with pytest.raises(InputError, match=problem):
        read_settings(urls, said)


def test_patience_is_a_duration():
    """As asyncio counts."""
    assert Settings(patience="1500ms").patience_s == 1.5
    with pytest.raises(InputError, match="patience"):
        _ = Settings(patience="long").patience_s


def test_settings_do_not_change():
    """One value for the life of a client."""
    with pytest.raises(AttributeError):
        Settings().user = "x"
    assert msgspec.structs.replace(Settings(), user="x").user == "x"


def test_brokers_are_believed_by_their_certificates_only(tmp_path):
    """TLS 1.2 at least, names checked, files that can be used."""
    folder = make_certificates(tmp_path)
    context = tls_context(Settings(ca=folder / "ca.pem", certificate=folder / "client.pem", key=folder / "client.key"))
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert tls_context(Settings()).verify_mode == ssl.CERT_REQUIRED
    for said in ({"ca": folder / "none.pem"}, {"ca": folder / "ca.key"}, {"certificate": folder / "client.csr"}):
        with pytest.raises(WorldError, match="not usable for TLS"):
            tls_context(Settings(**said))
