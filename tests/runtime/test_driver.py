"""The driver with real sockets and a real disk: one batch a turn, nothing told before it is on disk, timers that ring."""

import asyncio

import pytest

from mqtt.lobby import LASTING, said, wish
from runtime.inn import Inn, Visitor, a_moment, until
from tidings.mqtt.limits import Limits
from tidings.runtime.driver import BrokerDriver
from tidings.vocabulary import frames
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import FramesArrived
from tidings.wire.mqtt_packets import Connack, Disconnect, Pingreq, Pingresp, Puback, Publish, Suback
from tidings.wire.mqtt_reasons import Reason


def visited(visit, **options):
    """Run `visit(inn)` in a loop of its own."""

    async def run():
        async with Inn(**options) as inn:
            await visit(inn)

    asyncio.run(run())


@pytest.mark.parametrize("version", [4, 5])
def test_events_go_from_client_to_client(version):
    """Over real sockets, in order, a thousand in one write."""

    async def visit(inn):
        listener = await Visitor.come(inn, "s", version=version)
        await listener.say(wish("t"))
        assert [type(packet) for packet in await listener.hear(2)] == [Connack, Suback]
        publisher = await Visitor.come(inn, "p", version=version)
        await publisher.say(*(said("t", b"%d" % number) for number in range(1_000)))
        assert [packet.payload for packet in await listener.hear(1_000)] == [b"%d" % number for number in range(1_000)]
        assert inn.driver.connections == 2
        publisher.leave()
        await until(lambda: inn.driver.connections == 1)

    visited(visit)


def test_acknowledged_means_synced(tmp_path):
    """At the instant at which a publisher hears so, its event is in the log; the next process finds it."""

    async def visit(inn):
        keeper = await Visitor.come(inn, "s", properties=LASTING, clean_start=False)
        await keeper.say(wish("t", 1))
        await keeper.hear(2)
        keeper.leave()
        publisher = await Visitor.come(inn, "p")
        await publisher.hear()
        for number in range(20):
            await publisher.say(said("t", b"%d" % number, qos=1, packet_id=number + 1))
            assert await publisher.hear() == [Puback(packet_id=number + 1)]
            assert inn.committer.synced_records > number
            mark = inn.folder.synced()
            assert inn.folder.segment(mark.segment).stat().st_size == mark.size

    async def visit_again(inn):
        keeper = await Visitor.come(inn, "s", properties=LASTING, clean_start=False)
        welcome, *heard = await keeper.hear(21)
        assert welcome.session_present
        assert [packet.payload for packet in heard] == [b"%d" % number for number in range(20)]

    visited(visit, folder=tmp_path)
    visited(visit_again, folder=tmp_path)


def test_segments_change_while_events_come_and_go(tmp_path):
    """What is claimed is read from wherever it is; what is not takes no room in the end."""

    async def visit(inn):
        keeper = await Visitor.come(inn, "s", properties=LASTING)
        await keeper.say(wish("t", 1))
        await keeper.hear(2)
        publisher = await Visitor.come(inn, "p")
        for start in range(0, 200, 10):
            await publisher.say(*(said("t", b"x" * 500, qos=1, packet_id=start + n + 1) for n in range(10)))
            packets = await keeper.hear(10)
            if start % 20:
                await keeper.say(*(Puback(packet_id=packet.packet_id) for packet in packets))
        await until(lambda: len(inn.folder.segments()) > 2)
        keeper.leave()
        keeper = await Visitor.come(inn, "s", properties=LASTING, clean_start=False)
        _, *again = await keeper.hear(101)
        assert {packet.duplicate for packet in again} == {True}
        await keeper.say(*(Puback(packet_id=packet.packet_id) for packet in again))
        other = await Visitor.come(inn, "o", properties=LASTING)
        await other.say(wish("u", 1))
        for number in range(60):
            await publisher.say(said("u", b"x" * 500, qos=1, packet_id=number + 1))
        await until(lambda: max(inn.folder.segments()) > 5)
        await until(lambda: min(inn.folder.segments()) > 2)

    visited(visit, folder=tmp_path, segment_bytes=6_000)


def test_timers_ring():
    """Keep-alives, and wills that wait: by the clock of the loop."""

    async def visit(inn):
        listener = await Visitor.come(inn, "s")
        silent = await Visitor.come(inn, "c", keep_alive_s=1)
        await listener.say(Pingreq())
        assert (await listener.hear(2))[1] == Pingresp()
        assert (await silent.end())[-1] == Disconnect(reason=Reason.KEEP_ALIVE_TIMEOUT)

    visited(visit)


def test_whoever_says_nothing_is_cut_off():
    """In the time that it takes to say who one is."""

    async def visit(inn):
        reader, writer = await asyncio.open_connection("127.0.0.1", inn.port)
        writer.write(b"\x10")
        assert await reader.read() == b""
        writer.close()

    visited(visit, limits=Limits(connect_ns_max=10**8))


def test_nothing_is_read_from_a_stranger():
    """Until somebody has said who it is; then everything is taken in its order."""

    async def visit(inn):
        guest = await Visitor.come(inn, "c")
        await until(lambda: inn.questions)
        guest.send(Pingreq(), *(said("t", bytes(60_000)) for _ in range(100)))
        await a_moment(0.05)
        question, answer = inn.questions.pop()
        socket = inn.driver._sockets[question.connection]
        assert not socket.transport.is_reading()
        answer("")
        assert [type(packet) for packet in await guest.hear(2)] == [Connack, Pingresp]
        await until(lambda: inn.front.house.counts.published == 100)
        refused = await Visitor.come(inn, "d")
        await until(lambda: inn.questions)
        inn.questions.pop()[1](None)
        assert [packet.reason for packet in await refused.end()] == [Reason.BAD_USER_NAME_OR_PASSWORD]
        gone = await Visitor.come(inn, "e")
        await until(lambda: inn.questions)
        gone.leave()
        inn.questions.pop()[1]("")
        await until(lambda: inn.driver.connections == len(inn.front.sessions) == 1)

    visited(visit, trusted=None)


def test_frames_reports_and_refusals_go_outside():
    """What is for neighbours, for the logs, and about neighbours."""

    async def visit(inn):
        await Visitor.come(inn, "s")
        guest = await Visitor.come(inn, "c")
        await guest.say(wish("t"))
        await until(lambda: inn.sent)
        assert isinstance(inn.sent[0].frame, frames.Interests)
        expired = Event(1, "q", "t", 0, {}, 0)
        inn.driver.tell(FramesArrived("oslo", (frames.Forward(expired), frames.Accepted(1))))
        await until(lambda: inn.reports and inn.refused)
        assert inn.reports[0].reason == "expired"
        assert inn.refused[0][0] == "oslo"

    visited(visit, neighbours=("oslo",))


def test_a_failing_disk_answers_nobody(tmp_path):
    """Whoever waits for an acknowledgement waits in vain, and somebody is told."""

    async def visit(inn):
        keeper = await Visitor.come(inn, "s", properties=LASTING)
        await keeper.say(wish("t", 1))
        await keeper.hear(2)
        inn.store._open._disk.close()
        inn.store._open._disk._descriptor = -1
        publisher = await Visitor.come(inn, "p")
        await publisher.hear()
        await publisher.say(said("t", qos=1))
        await until(lambda: inn.failures)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await publisher.reader.read(1)
        inn.store._open = None

    visited(visit, folder=tmp_path)


def test_a_driver_is_small():
    """It can be read in one sitting, and so can what it drives for clients."""
    import inspect

    from tidings.runtime import client_socket, driver

    assert len(inspect.getsource(driver).splitlines()) < 220
    assert len(inspect.getsource(client_socket).splitlines()) < 120
    assert BrokerDriver.__doc__
    assert Publish.__doc__
