"""Who may come in: names, with the argon2id hash of a password or the SHA-256 of a token, in a file of lines.

    ann password $argon2id$v=19$m=65536,t=3,p=4$…
    desk token 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef

A token is 32 random bytes: no dictionary holds it, so that a fast hash is enough, and checking it costs nothing. A password is
what people think of: its check takes a while on purpose.
"""

import hashlib
import hmac
import os
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tidings.errors import InputError
from tidings.mqtt.limits import NAME_CHARACTERS_MAX
from tidings.runtime.secret_file import read_secret, write_secret

PASSWORD_BYTES_MAX: Final = 1_024
_HASHER: Final = PasswordHasher()
_NOBODY: Final = _HASHER.hash("nobody has this password, and checking it takes as long as any other")
_HEX_DIGITS: Final = 64
_FORBIDDEN: Final = frozenset(":/+#$")

Kind: TypeAlias = Literal["password", "token"]


class Account(NamedTuple):
    """How one name proves to be itself."""

    kind: Kind
    hashed: str


def check_name(name: str) -> str:
    """Give `name` back if it can be a principal's; InputError otherwise."""
    if not name or len(name) > NAME_CHARACTERS_MAX:
        raise InputError(f"name {name[:60]!r}: names have 1 to {NAME_CHARACTERS_MAX} characters")
    if not name.isprintable() or any(sign.isspace() or sign in _FORBIDDEN for sign in name):
        raise InputError(f"name {name!r}: names have no spaces and none of : / + # $")
    return name


def read_accounts(path: Path) -> dict[str, Account]:
    """The accounts in a file; InputError names file and line."""
    accounts: dict[str, Account] = {}
    for number, line in enumerate(read_secret(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            name, kind, hashed = line.split()
            account = _account(kind, hashed)
            check_name(name)
        except (ValueError, InputError):
            raise InputError(
                f"{path}: line {number}: not a name, password or token, and a hash; use tidings user"
            ) from None
        if name in accounts:
            raise InputError(f"{path}: line {number}: {name} stands there twice")
        accounts[name] = account
    return accounts


def write_accounts(path: Path, accounts: Mapping[str, Account]) -> None:
    """Put the file in its place."""
    write_secret(path, "".join(f"{name} {one.kind} {one.hashed}\n" for name, one in sorted(accounts.items())))


def password_account(password: str) -> Account:
    """An account with a password; InputError when it cannot be one."""
    if not password or len(password.encode()) > PASSWORD_BYTES_MAX:
        raise InputError(f"a password has 1 to {PASSWORD_BYTES_MAX} bytes")
    return Account("password", _HASHER.hash(password))


def token_account() -> tuple[str, Account]:
    """A new token, which is shown once and stored nowhere, and its account."""
    token = urlsafe_b64encode(os.urandom(32)).decode("ascii").rstrip("=")
    return token, Account("token", _digest(token.encode()))


def matches(account: Account | None, secret: bytes) -> bool:
    """Whether a secret is the account's; takes as long for a name that nobody has. May take a tenth of a second."""
    if account is not None and account.kind == "token":
        if hmac.compare_digest(account.hashed, _digest(secret)):
            return True
        account = None
    try:
        _HASHER.verify(_NOBODY if account is None else account.hashed, secret[: PASSWORD_BYTES_MAX + 1])
    except (VerificationError, InvalidHashError):
        return False
    return account is not None


def _account(kind: str, hashed: str) -> Account:
    if kind == "token" and len(hashed) == _HEX_DIGITS and not set(hashed) - set("0123456789abcdef"):
        return Account("token", hashed)
    if kind == "password" and hashed.startswith("$argon2id$"):
        return Account("password", hashed)
    raise ValueError(kind)


def _digest(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()
