"""`tidings user`: who may come in at a broker."""

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.console import print_json, print_text
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.runtime.accounts import Account

EXAMPLE: Final = "tidings user users ann"


def user(
    file: Annotated[Path, typer.Argument(help="The file that a config's `users` names; made when it is not there.")],
    name: Annotated[str | None, typer.Argument(help="Who; without it, all are listed.")] = None,
    token: Annotated[
        bool, typer.Option("--token", help="Make a token, printed once, instead of asking for a password.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the name out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Add a user, or give one a new password, which is asked for or read from standard input. SIGHUP tells a broker."""
    from tidings.runtime.accounts import read_accounts, write_accounts

    accounts = read_accounts(file) if file.exists() else {}
    if name is None:
        if token or remove:
            raise InputError("--token, --remove: say whose, after the file")
        _show({"users": {one: account.kind for one, account in sorted(accounts.items())}}, as_json=as_json)
        return
    secret, what = None, "removed"
    if remove:
        if accounts.pop(name, None) is None:
            raise InputError(f"{file}: {name!r} is not there")
    else:
        what = "changed" if name in accounts else "added"
        secret, accounts[name] = _new_account(name, token=token)
    write_accounts(file, accounts)
    _show({what: name} if secret is None else {what: name, "token": secret}, as_json=as_json)


def _new_account(name: str, *, token: bool) -> "tuple[str | None, Account]":
    from tidings.runtime.accounts import check_name, password_account, token_account

    check_name(name)
    if token:
        return token_account()
    return None, password_account(_asked_password(name))


def _asked_password(name: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass(f"password for {name}: ")
    if getpass.getpass("again: ") != first:
        raise InputError("the two were not the same; nothing was written")
    return first


def _show(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    for key, value in document.items():
        if isinstance(value, dict):
            print_text("".join(f"{name} {kind}\n" for name, kind in value.items()))
        else:
            print_text(f"{key}: {value}\n")
