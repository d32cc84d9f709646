"""`tidings.connect` itself."""

import asyncio

import pytest

import tidings
from client.brokers import Mosquitto
from tidings.client import BlockingClient, LiveClient
from tidings.errors import InputError


def test_nothing_happens_before_it_is_entered():
    """But that what makes no sense is refused."""
    tidings.connect("mqtt://nowhere.invalid")
    with pytest.raises(InputError, match="write mqtt://"):
        tidings.connect("nowhere")


def test_one_door_for_both_kinds_of_programs():
    """`async with` and `with`; each block a client of its own."""

    async def run(url):
        async with tidings.connect(url) as client:
            assert isinstance(client, LiveClient)

    with Mosquitto() as broker:
        asyncio.run(run(broker.url))
        both = tidings.connect(broker.url)
        for _ in range(2):
            with both as client:
                assert isinstance(client, BlockingClient)


def test_secrets_do_not_show():
    """In whatever is printed of it."""
    one = tidings.connect("mqtt://ann:hunter2@host", token="hunter3")
    for shown in (repr(one), repr(vars(one)["_places"])):
        assert "hunter" not in shown
