"""TLS contexts, and whom certificates name."""

import ssl

import pytest

from runtime.certificates import Certificates
from tidings.errors import InputError
from tidings.runtime.encryption import named_by, renew_certificate, server_context


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One authority for all of these tests."""
    return Certificates(tmp_path_factory.mktemp("tls"))


def test_old_versions_are_not_offered(made):
    """TLS 1.2 at least, no renegotiation, no compression; certificates of clients only where somebody vouches for them."""
    folder = made.folder
    context = server_context(folder / "broker.pem", folder / "broker.key", None)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert context.verify_mode == ssl.CERT_NONE
    assert context.options & ssl.OP_NO_RENEGOTIATION
    assert context.options & ssl.OP_NO_COMPRESSION
    context = server_context(folder / "broker.pem", folder / "broker.key", folder / "ca.pem")
    assert context.verify_mode == ssl.CERT_OPTIONAL


@pytest.mark.parametrize(
    ("certificate", "key", "authority"),
    [
        ("none.pem", "broker.key", None),
        ("broker.pem", "none.key", None),
        ("broker.pem", "other.key", None),
        ("broker.key", "broker.key", None),
        ("broker.pem", "broker.key", "none.pem"),
        ("broker.pem", "broker.key", "broker.key"),
    ],
)
def test_files_that_are_not_right_are_named(made, certificate, key, authority):
    """In one line."""
    made.issue("other", "other.test")
    folder = made.folder
    with pytest.raises(InputError) as refusal:
        server_context(folder / certificate, folder / key, None if authority is None else folder / authority)
    assert str(folder) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_key_that_others_can_read_is_refused(made):
    """At the start, and when it is renewed."""
    folder = made.folder
    context = server_context(folder / "broker.pem", folder / "broker.key", None)
    (folder / "broker.key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        renew_certificate(context, folder / "broker.pem", folder / "broker.key")
    (folder / "broker.key").chmod(0o600)
    renew_certificate(context, folder / "broker.pem", folder / "broker.key")


@pytest.mark.parametrize(
    ("certificate", "name"),
    [
        (None, None),
        ({}, None),
        ({"subject": ((("commonName", "ann"),),)}, None),
        ({"subjectAltName": (("DNS", "ann"), ("DNS", "bob"))}, "ann"),
        ({"subjectAltName": (("email", "ann@home"), ("DNS", "desk"))}, "desk"),
        ({"subjectAltName": (("email", "ann@home"),)}, "ann@home"),
        ({"subjectAltName": (("URI", "a://b"),)}, None),
        ({"subjectAltName": (("IP Address", "127.0.0.1"),)}, None),
        ({"subjectAltName": (("DNS", "*"), ("DNS", "bob"))}, "*"),
        ({"subjectAltName": (("DNS", "a b"),)}, None),
    ],
)
def test_whom_a_certificate_names(certificate, name):
    """The first alternative name, if it can be a principal's; never its common name."""
    assert named_by(certificate) == name
