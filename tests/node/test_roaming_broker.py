"""Clients that roam: nothing lost, nothing twice, every publisher's order kept, wherever they turn up."""

import random

import pytest

from node.roaming_world import MS, RoamingWorld
from tidings.vocabulary.frames import HandedOver, HandoffAsked, StandBy
from tidings.vocabulary.instant import DAY, SECOND

LINE = (("a", "b"), ("b", "d"), ("d", "e"))
SCHEMES = ("reactive", "proactive")


def started(scheme="reactive", **more):
    """A client at broker a that wants everything, with its interest known everywhere."""
    world = RoamingWorld(LINE, scheme=scheme, **more)
    world.subscribe()
    world.attach("a")
    world.run(SECOND)
    return world


def waiting(world):
    """By broker, the events that wait there."""
    found = {name: [event.id for _, event in broker.leftovers()] for name, broker in world.brokers.items()}
    return {name: events for name, events in found.items() if events}


@pytest.mark.parametrize("scheme", [*SCHEMES, "none"])
def test_a_client_in_reach_is_shown_events(scheme):
    """Roaming or not."""
    world = started(scheme)
    world.publish("e")
    world.run(SECOND)
    assert world.ids == [0]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("place", ["a", "b", "e"])
def test_events_wait_and_follow(scheme, place):
    """What is published meanwhile is shown wherever the client turns up, in order and once."""
    world = started(scheme, neighbours={"a": ("b",)})
    for step in range(12):
        world.publish("d")
        if step == 3:
            world.detach()
        if step == 8:
            world.attach(place)
        world.run(3 * MS)
    world.run(5 * SECOND)
    assert world.ids == list(range(12))
    assert world.reported == []
    assert waiting(world) == {}


def test_without_a_scheme_events_are_lost_while_it_is_away():
    """And only these, once its interest is known again."""
    world = started("none")
    world.publish("d")
    world.run(SECOND)
    world.detach()
    world.publish("d")
    world.run(SECOND)
    world.attach("e")
    world.run(SECOND)
    world.publish("d")
    world.run(SECOND)
    assert world.ids == [0, 2]


def test_proactive_events_are_there_already():
    """At a broker that stood by, what waited is shown at the instant of arrival; elsewhere after a round trip."""
    delays = {}
    for scheme in SCHEMES:
        world = started(scheme, neighbours={"a": ("e",)})
        world.detach()
        for _ in range(5):
            world.publish("b")
        world.run(SECOND)
        arrived = world.now
        world.attach("e")
        world.run(SECOND)
        assert world.ids == [0, 1, 2, 3, 4]
        delays[scheme] = world.shown[0][0] - arrived
    assert delays == {"reactive": 30 * MS, "proactive": 0}


def test_those_who_stood_by_in_vain_are_told():
    """Nobody keeps events for a client that is elsewhere."""
    world = started("proactive", neighbours={"a": ("b", "d", "e")})
    world.detach()
    world.publish("d")
    world.run(SECOND)
    assert waiting(world) == {"a": [0]}, "copies do not count"
    assert [len(next(iter(world.brokers[name]._guests)).backlog) for name in "abde"] == [1, 1, 1, 1]
    world.attach("d")
    world.run(SECOND)
    assert waiting(world) == {}
    world.publish("e")
    world.run(SECOND)
    assert world.ids == [0, 1]
    assert [len(list(world.brokers[name]._guests)) for name in "abde"] == [0, 0, 1, 0]


def test_brokers_learn_where_clients_go():
    """After the first time the next broker stands by."""
    world = started("proactive")
    for _ in range(2):
        world.detach()
        world.run(SECOND)
        world.attach("d")
        world.run(SECOND)
        world.detach()
        world.attach("a")
        world.run(SECOND)
    told = [(sender, frame.way[-1]) for sender, _, frame in world.relayed if isinstance(frame.frame, StandBy)]
    assert ("a", "d") in told
    assert {to for sender, to in told if sender == "a"} == {"d"}


def test_what_expires_while_it_waits_is_counted():
    """For that client alone, and never shown."""
    world = started()
    world.detach()
    world.publish("a", expires_ns=world.now + SECOND)
    world.publish("a")
    world.run(2 * SECOND)
    world.attach("e")
    world.run(SECOND)
    assert world.ids == [1]
    assert world.reported == [(0, "expired", ("c",))]


def test_the_oldest_go_when_there_is_no_room():
    """A backlog has its bound; what is pushed out is reported."""
    world = started()
    world.brokers["a"]._guests.of("c")[1].backlog._most = 3
    world.detach()
    for _ in range(5):
        world.publish("a")
    world.run(SECOND)
    world.attach("a")
    assert world.ids == [2, 3, 4]
    assert world.reported == [(0, "queue", ("c",)), (1, "queue", ("c",))]


def test_a_broker_that_never_answers_is_given_up():
    """What came meanwhile is shown then, late but in order."""
    world = started()
    world.detach()
    world.run(SECOND)
    world.brokers["e"].options.way.__self__.clear()
    world.attach("e")
    world.run(SECOND)
    for _ in range(3):
        world.publish("d")
    world.run(5 * SECOND)
    assert world.ids == []
    world.run(20 * SECOND)
    assert world.ids == [0, 1, 2]


def test_who_stays_away_for_a_day_is_forgotten():
    """And its interest is taken back."""
    world = started()
    world.detach()
    world.publish("d")
    world.run(DAY - SECOND)
    assert waiting(world) == {"a": [0]}
    world.run(2 * SECOND)
    assert list(world.brokers["a"]._guests) == []
    world.attach("e")
    world.run(SECOND)
    world.publish("a")
    world.run(SECOND)
    assert world.ids == [1]


def test_old_words_change_nothing():
    """A coming or a going that is said again, or that belongs to a session that is over."""
    world = started()
    world.detach()
    world.attach("e")
    world.run(SECOND)
    late = [frame for _, _, frame in world.relayed if isinstance(frame.frame, HandoffAsked | HandedOver)]
    for frame in late:
        world._feed(frame.way[-1], frame.way[-2], frame)
    world.run(SECOND)
    world.publish("a")
    world.run(SECOND)
    assert world.ids == [0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_storms(seeds, scheme):
    """Wherever and whenever it comes and goes, and whatever is lost of what brokers say about it."""
    for seed in range(10 * len(seeds)):
        storm(seed, scheme)


def storm(seed, scheme):
    """One random life of a client; at its end everything that was published has been shown, in order."""
    dice = random.Random(f"{seed} {scheme}")
    neighbours = None if dice.random() < 0.5 else {name: dice.sample("abde", 2) for name in "abde"}
    world = RoamingWorld(
        LINE,
        scheme=scheme,
        random=dice,
        loss=dice.choice((0.0, 0.05, 0.1)),
        neighbours=neighbours,
        delay=lambda: dice.choice((0, 1, 5, 20)) * MS,
    )
    world.subscribe()
    world.attach("a")
    world.run(SECOND)
    hasty = dice.choice((2, 20, 200))
    for _ in range(120):
        if dice.random() < 0.6:
            publisher = dice.choice("pqr")
            world.publish(dict(zip("pqr", "abe", strict=True))[publisher], publisher)
        elif world.client.broker is not None:
            world.detach()
        else:
            world.attach(dice.choice("abde"))
        world.run(dice.randrange(hasty) * MS)
    if world.client.broker is None:
        world.attach(dice.choice("abde"))
    world.run(60 * SECOND)
    assert len(world.ids) == len(set(world.ids)), f"seed {seed}: twice"
    for publisher, base in (("p", 0), ("q", 1000), ("r", 2000)):
        mine = [one for one in world.ids if base <= one < base + 1000]
        assert mine == sorted(mine), f"seed {seed}: {publisher} out of order: {mine}"
        assert len(mine) == world.numbers.get(publisher, -1) + 1, f"seed {seed}: {publisher} lost some"
