"""Who is it? Right answers, wrong ones, too many, and too many at once."""

import asyncio

import pytest

from runtime.inn import PATIENCE_S, until
from tidings.runtime import doorkeeper
from tidings.runtime.accounts import password_account, token_account
from tidings.runtime.doorkeeper import WRONG_MAX, Doorkeeper

ANN = {"ann": password_account("secret")}


def asked(*questions, accounts=ANN, **options):
    """Ask one after the other; gives the answers and the doorkeeper."""

    async def run():
        door = Doorkeeper(accounts, **options)
        answers = [await ask(door, *one) for one in questions]
        door.close()
        return answers, door

    return asyncio.run(run())


async def ask(door, address, name, secret):
    """One question, answered."""
    answer = asyncio.get_running_loop().create_future()
    door.ask(address, name, secret, answer.set_result)
    return await asyncio.wait_for(answer, PATIENCE_S)


def test_names_and_passwords():
    """Only the two together; without a name nobody, unless somebody may be anonymous."""
    answers, door = asked(
        ("h", "ann", b"secret"),
        ("h", "ann", b"Secret"),
        ("h", "bob", b"secret"),
        ("h", None, b"secret"),
        ("h", "ann", None),
    )
    assert answers == ["ann", None, None, None, None]
    assert door.refused == 4
    assert asked(("h", None, None))[0] == [None]
    assert asked(("h", None, None), ("h", "bob", b""), anonymous="anonymous")[0] == ["anonymous", None]


def test_tokens():
    """As a password, with the name that they belong to."""
    token, account = token_account()
    other, second = token_account()
    answers, _ = asked(
        ("h", "desk", token.encode()), ("h", "desk", other.encode()), accounts={"desk": account, "lamp": second}
    )
    assert answers == ["desk", None]


def test_what_was_right_is_remembered_until_accounts_change():
    """A second time costs no hash; after a change it does, and a name that is gone is gone."""

    async def run():
        door = Doorkeeper(ANN)
        assert await ask(door, "h", "ann", b"secret") == "ann"
        heard = []
        door.ask("h", "ann", b"secret", heard.append)
        assert heard == ["ann"], "at once"
        door.replace({})
        assert await ask(door, "h", "ann", b"secret") is None
        door.replace(ANN, anonymous="anonymous")
        assert await ask(door, "h", "ann", b"secret") == "ann"
        assert await ask(door, "h", None, None) == "anonymous"
        door.close()

    asyncio.run(run())


def test_an_address_that_is_wrong_too_often_is_not_heard():
    """Not even with the right password; others are."""
    wrong = [("h", "ann", b"%d" % number) for number in range(WRONG_MAX)]
    answers, door = asked(*wrong, ("h", "ann", b"secret"), ("other", "ann", b"secret"))
    assert answers == [None] * (WRONG_MAX + 1) + ["ann"]
    assert (door.refused, door.unheard) == (WRONG_MAX, 1)


def test_an_address_is_heard_again_later():
    """When its wrong answers are a minute old."""

    async def run():
        door = Doorkeeper(ANN)
        now = asyncio.get_running_loop().time()
        door._wrong["h"] = doorkeeper.deque([now - 61] * WRONG_MAX, maxlen=WRONG_MAX)
        assert await ask(door, "h", "ann", b"secret") == "ann"
        door._wrong["h"] = doorkeeper.deque([now - 61] + [now] * (WRONG_MAX - 1), maxlen=WRONG_MAX)
        assert await ask(door, "h", "ann", b"other") is None
        assert await ask(door, "h", "ann", b"secret again") is None
        assert door.unheard == 1
        door.close()

    asyncio.run(run())


def test_what_is_remembered_is_bounded():
    """Addresses and right answers; and not too many wait for a hash."""

    async def run():
        door = Doorkeeper({})
        for number in range(doorkeeper.ADDRESSES_MAX + 10):
            door._note_wrong(str(number))
        assert len(door._wrong) == doorkeeper.ADDRESSES_MAX
        door.accounts["ann"] = token_account()[1]
        heard = []
        for number in range(doorkeeper.WAITING_MAX + 3):
            door.ask(f"new {number}", "ann", b"%d" % number, heard.append)
        assert heard == [None] * 3
        door.close()
        await until(lambda: door._waiting == 0 or len(heard) >= 3)

    asyncio.run(run())


def test_right_answers_are_forgotten_when_they_are_many():
    """All at once, which costs some hashes."""
    token, account = token_account()

    async def run():
        door = Doorkeeper({"desk": account})
        door._right.update(dict.fromkeys(b"%d" % number for number in range(doorkeeper.REMEMBERED_MAX)))
        assert await ask(door, "h", "desk", token.encode()) == "desk"
        assert len(door._right) == 1
        door.close()

    asyncio.run(run())


@pytest.mark.parametrize("secret", [b"\xff\xfe", b"\0", bytes(100_000)])
def test_secrets_may_be_any_bytes(secret):
    """No error, no match."""
    assert asked(("h", "ann", secret))[0] == [None]
