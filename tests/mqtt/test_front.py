"""The front as a whole: storms, planted bugs that storms must find, and what it says to the broker machine and the disk."""

import msgspec
import numpy as np
import pytest

from mqtt.lobby import LASTING, Lobby, payloads, said, wish
from mqtt.storm import Storm
from tidings.mqtt.front import RESERVED_AHEAD
from tidings.mqtt.limits import Limits
from tidings.mqtt.notices import RecordsRead
from tidings.mqtt.records import FromBroker, Queues, Received, Reserved, Seen, Taken, read_record, write_record
from tidings.vocabulary import frames
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import FramesArrived, NeighbourLost, NeighbourReturned, RecordsStored

STEPS = 120


def test_storms(seeds):
    """Crashes, slow disks, clients that come and go: nothing acknowledged is lost, nothing is shown twice or out of order."""
    for seed in seeds:
        storm = Storm(seed)
        storm.rage(STEPS)
        storm.calm()
        assert list(storm.problems()) == [], f"seed {seed}"


@pytest.mark.slow
def test_long_storms():
    """The same for a longer time."""
    for seed in range(1_000, 1_200):
        storm = Storm(seed)
        storm.rage(1_000)
        storm.calm()
        assert list(storm.problems()) == [], f"seed {seed}"


class Hasty(Lobby):
    """Says what waits for the disk before it is on the disk."""

    def turn(self):
        effects = self.front.drain()
        for number, data in (*effects.at_once, *effects.after):
            self._write(number, data)
        effects.after = []
        self._waiting.append(effects)
        if self.sync:
            self.write()


class Forgetful(Lobby):
    """Deletes records although they are claimed."""

    def begin_anew(self):
        super().begin_anew()
        self.disk, self.claimed = {}, {}


class Renaming(Lobby):
    """Forgets under which identifiers events were sent."""

    def start(self):
        for number, data in getattr(self, "disk", {}).items():
            record = read_record(data)
            if isinstance(record, Taken):
                claims = tuple((session, 0) for session, _ in record.claims)
                self.disk[number] = write_record(msgspec.structs.replace(record, claims=claims))
        super().start()


class Deaf(Lobby):
    """Forgets which messages of quality 2 it has taken in."""

    def start(self):
        harmless = write_record(Reserved(0))
        records = getattr(self, "disk", {})
        self.disk = {n: harmless if isinstance(read_record(data), Received) else data for n, data in records.items()}
        super().start()


class Careless(Lobby):
    """Forgets in checkpoints what waits."""

    def begin_anew(self):
        super().begin_anew()
        records = [read_record(data) for data in self.checkpoint]
        self.checkpoint = [
            write_record(msgspec.structs.replace(one, waiting=()) if isinstance(one, Queues) else one)
            for one in records
        ]


class Greedy(Lobby):
    """Never lets go of what was acknowledged."""

    def write(self):
        for effects in self._waiting:
            effects.released = []
        super().write()


PLANTED = {
    Hasty: "lost",
    Forgetful: "lost",
    Renaming: "twice",
    Deaf: "twice",
    Careless: "lost",
    Greedy: "still claimed",
}


@pytest.mark.parametrize(("house", "problem"), PLANTED.items(), ids=[house.__name__ for house in PLANTED])
def test_planted_bugs_are_found(house, problem):
    """Each by its own complaint, within a few storms."""
    for seed in range(60):
        storm = Storm(seed, house)
        storm.rage(STEPS)
        try:
            storm.calm()
        except AssertionError:
            continue
        if any(problem in one for one in storm.problems()):
            return
    pytest.fail(f"nobody noticed {house.__doc__}")


def test_the_same_storm_is_the_same():
    """The same seed, the same records on disk."""
    first, second = Storm(5), Storm(5)
    for storm in (first, second):
        storm.rage(STEPS)
    assert first.lobby.disk == second.lobby.disk
    assert first.lobby.checkpoint == second.lobby.checkpoint


# ---- neighbours


def overlay(**options):
    """A broker with a neighbour, which keeps what it has acknowledged."""
    lobby = Lobby(neighbours=("oslo",), keeps=True, durable=True, **options)
    lobby.sent.clear()
    return lobby


def forwarded(number, topic="t"):
    """An event from the neighbour."""
    return frames.Forward(Event(number, "q", topic, 0, {}, payload=b"%d" % number, payload_bytes=1, carried=b"\x01"))


def keeper(lobby, *, clean_start=True):
    """A client whose session lasts."""
    guest = lobby.join("s", clean_start=clean_start, properties=LASTING)
    if clean_start:
        guest.say(wish("t", 1))
    return guest


def test_an_event_of_a_neighbour_is_received_when_it_is_on_disk():
    """For the sessions that must get it; and it is not taken twice, not even after a crash."""
    lobby = overlay()
    guest = keeper(lobby)
    lobby.sent.clear()
    lobby.sync = False
    lobby.tell(FramesArrived("oslo", (forwarded(1),)))
    assert lobby.sent == []
    lobby.write()
    assert [(send.to, send.frame) for send in lobby.sent] == [("oslo", frames.Received((1,)))]
    assert payloads(guest.take()) == [b"1"]
    lobby.sync = True
    lobby.start()
    lobby.tell(FramesArrived("oslo", (forwarded(1), forwarded(2))))
    assert payloads(keeper(lobby, clean_start=False).take()) == [b"1", b"2"]
    lobby.begin_anew()
    lobby.start()
    lobby.tell(FramesArrived("oslo", (forwarded(2),)))
    assert payloads(keeper(lobby, clean_start=False).take()) == [b"1", b"2"]


def test_an_event_for_a_neighbour_survives_a_crash():
    """It is in the broker machine's records, in a checkpoint or behind one, and sent until it is received."""
    lobby = overlay()
    lobby.tell(FramesArrived("oslo", (frames.Interests("all", 0, 1, None, ('topic == "t"',)),)))
    lobby.tell(NeighbourLost("oslo"))
    assert lobby.join("p").say(said("t", b"7", qos=1))[0].reason == 0
    for again in range(3):
        if again == 1:
            lobby.begin_anew()
        lobby.start()
        lobby.wait(0.1)
        lobby.tell(NeighbourReturned("oslo"))
        assert [send.frame.event.payload for send in lobby.sent if isinstance(send.frame, frames.Forward)][:1] == [b"7"]
    identity = next(send.frame.event.id for send in lobby.sent if isinstance(send.frame, frames.Forward))
    lobby.tell(FramesArrived("oslo", (frames.Received((identity,)),)))
    lobby.begin_anew()
    lobby.start()
    lobby.tell(NeighbourReturned("oslo"))
    assert not any(isinstance(send.frame, frames.Forward) for send in lobby.sent)


def test_a_neighbour_that_breaks_the_rules_is_named():
    """What others said in the same turn counts."""
    lobby = overlay()
    guest = keeper(lobby)
    lobby.front.receive(FramesArrived("oslo", (forwarded(1), frames.Publish(forwarded(2).event))), lobby.now)
    lobby.front.receive(FramesArrived("oslo", (frames.Accepted(3),)), lobby.now)
    effects = lobby.front.drain()
    ((neighbour, sentence),) = effects.refused
    assert neighbour == "oslo"
    assert "Accepted" in sentence
    lobby._waiting.append(effects)
    lobby.write()
    assert payloads(guest.take()) == [b"1", b"2"]


def test_only_wishes_of_neighbours_are_written_by_the_broker_machine():
    """Those of clients are in their sessions, and are told to it anew."""
    lobby = overlay()
    keeper(lobby)
    assert not any(isinstance(read_record(data), FromBroker) for data in lobby.disk.values())
    lobby.tell(FramesArrived("oslo", (frames.Interests("all", 0, 1, None, ("true",)),)))
    assert [len(one.records) for data in lobby.disk.values() if isinstance(one := read_record(data), FromBroker)] == [1]
    lobby.start()
    assert lobby.front.broker.clients == ["s"]


# ---- turns


def test_everything_of_a_turn_is_matched_together():
    """Events of clients and neighbours; the broker machine is told which are worth looking at with one."""
    lobby = overlay()
    events = [Event(number, "p", "t", 0, {}) for number in range(4)]
    lobby.front.house.events.extend(events)
    assert lobby.front._ahead(events[1], 2) == events[1:3]
    assert lobby.front._ahead(events[2], 9) == events[2:]
    stranger = Event(9, "p", "t", 0, {})
    assert list(lobby.front._ahead(stranger, 5)) == [stranger]


def test_an_idle_turn_wants_nothing():
    """Nor does it ask for the timer."""
    lobby = Lobby()
    effects = lobby.front.drain()
    assert (effects.at_once, effects.records, effects.after, effects.close, effects.read) == ([], [], [], [], [])
    assert lobby.front.deadline() is None


def test_what_is_not_stored_takes_no_room():
    """Quality 0, sessions that end with their connections, and a house without a disk."""
    lobby = Lobby(durable=True)
    keeper(lobby)
    guest = lobby.join("v")
    guest.say(wish("t", 2))
    before = dict(lobby.disk)
    lobby.join("p").say(said("t"), said("u", qos=1))
    assert lobby.disk == before
    memory = Lobby()
    keeper(memory)
    memory.join("p").say(said("t", qos=1, retain=True))
    assert memory.disk == {}


def test_indices_are_reserved_before_they_are_used():
    """A process that crashes does not give out again what its predecessor may have given out."""
    lobby = Lobby(durable=True)
    first = lobby.front.publishing.identities.indices
    for number in range(RESERVED_AHEAD + 2):
        lobby.join(f"v{number}")
    assert any(isinstance(read_record(data), Reserved) for data in lobby.disk.values())
    used = lobby.front.publishing.identities.indices
    assert used > first + RESERVED_AHEAD
    lobby.start()
    assert lobby.front.publishing.identities.indices > used


def test_a_house_without_memory_begins_where_it_is_told():
    """So that it does not repeat what an earlier one has said."""
    assert Lobby(first_index=10**9).front.publishing.identities.indices == 10**9 + 1


def test_a_checkpoint_remembers_what_was_seen():
    """And claims are counted from what is in flight and what waits."""
    lobby = Lobby(durable=True, limits=Limits(in_flight_max=1))
    keeper(lobby)
    lobby.join("p").say(*(said("t", qos=1, packet_id=number) for number in (1, 2, 3)))
    lobby.begin_anew()
    records = [read_record(data) for data in lobby.checkpoint]
    (seen,) = (one for one in records if isinstance(one, Seen))
    assert len(seen.events) == 3
    lobby.start()
    assert sorted(lobby.claimed.values()) == [1, 1, 1]
    assert isinstance(np.array(list(lobby.claimed)), np.ndarray)


def test_answers_about_sessions_that_have_ended_are_ignored():
    """Somebody else's house work came too late."""
    lobby = Lobby(durable=True)
    lobby.tell(RecordsRead(99, (1,), ()))
    assert lobby.front.drain().records == []


def test_batches_are_told_as_stored_one_by_one():
    """The broker machine hears of its own records only."""
    lobby = overlay()
    lobby.sync = False
    lobby.tell(FramesArrived("oslo", (frames.Interests("all", 0, 1, None, ("true",)),)))
    keeper(lobby)
    assert [broker for _, broker in lobby.front._stored] == [1, 0, 0]
    lobby.front.receive(RecordsStored(1), lobby.now)
    assert [broker for _, broker in lobby.front._stored] == [0, 0]
