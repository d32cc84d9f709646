"""TLS: what a listener offers, and who a certificate says that somebody is."""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tidings.errors import InputError
from tidings.runtime.accounts import check_name
from tidings.runtime.secret_file import check_secret

HANDSHAKE_S: Final = 5.0
_KINDS: Final = ("DNS", "email", "URI")
"""Alternative names of a certificate that can name a principal, the first that is there."""


def server_context(certificate: Path, key: Path, client_ca: Path | None) -> ssl.SSLContext:
    """What a listener offers: TLS 1.2 and newer; with `client_ca`, certificates of clients are looked at.

    Raises:
        InputError: a file is not there, is readable for others, or is not what it should be.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    renew_certificate(context, certificate, key)
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except (OSError, ssl.SSLError) as problem:
            raise InputError(f"{client_ca}: {_sentence(problem)}") from None
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def renew_certificate(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    """Let new connections be offered this certificate; old ones go on."""
    check_secret(key)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as problem:
        raise InputError(f"{certificate}, {key}: {_sentence(problem)}") from None


def named_by(certificate: Mapping[str, Any] | None) -> str | None:
    """The principal that a verified certificate names; None: it names none, or there is none."""
    names = dict(reversed(certificate.get("subjectAltName", ()))) if certificate else {}
    found = next((names[kind] for kind in _KINDS if kind in names), None)
    if found is None:
        return None
    try:
        return check_name(found)
    except InputError:
        return None


def _sentence(problem: OSError) -> str:
    """One line, whatever OpenSSL says."""
    return str(getattr(problem, "reason", None) or problem.strerror or problem).lower().replace("_", " ")
