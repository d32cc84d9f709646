"""`tidings check-config`: what a broker would start with, or why it would not."""

import json

from tidings.cli.app import run
from tidings.runtime.accounts import password_account, write_accounts


def test_the_effective_config_is_shown(tmp_path, capsys):
    """With all defaults, as a table or as JSON; no secret is in it."""
    account = password_account("secret")
    write_accounts(tmp_path / "users", {"ann": account})
    config = tmp_path / "broker.toml"
    config.write_text('tidings = 1\nusers = "users"\n[[right]]\nwho = ["ann"]\npublish = ["a/#"]\n')
    assert run(["check-config", str(config), "--json"]) == 0
    written = capsys.readouterr().out
    document = json.loads(written)
    assert document["users"] == ["ann"]
    assert document["config"]["limits"]["connections"] == 1_024
    assert document["config"]["right"] == [{"who": ["ann"], "publish": ["a/#"], "subscribe": [], "deny": []}]
    assert run(["check-config", str(config)]) == 0
    table = capsys.readouterr().out
    assert "  listener[0].port = 1883\n" in table
    assert "  users named = ann\n" in table
    for shown in (written, table):
        assert account.hashed not in shown


def test_what_is_wrong_ends_with_two(tmp_path, capsys):
    """In the config, or in a file that it names; nothing on standard output."""
    config = tmp_path / "broker.toml"
    for text, says in (
        ("tidings = 1\nnmae = 'x'\n", "nmae"),
        ("tidings = 1\n[tls]\ncertificate = 'a.pem'\nkey = 'a.key'\n", "a.key"),
        ("tidings = 1\n[[listener]]\naddress = '0.0.0.0'\n", "--insecure"),
    ):
        config.write_text(text)
        assert run(["check-config", str(config)]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert says in shown.err
        assert shown.err.count("\n") == 1
    assert run(["check-config", str(config), "--insecure"]) == 0
