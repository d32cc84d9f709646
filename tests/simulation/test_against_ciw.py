"""A branching network of queues, simulated by Tidings and by Ciw (Palmer et al., 2019): the same means at every broker.

Services are not exponential, so that no formula knows the means behind the first broker.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from simulation.waiting import SECONDS, TABLES, batch_means
from simulation.worlds import changed, make_world, publisher, run, serving, subscriber
from tidings.scenario.world import Link, Topic
from tidings.vocabulary.distribution import Exponential, Gamma
from tidings.vocabulary.instant import SECOND

ciw = pytest.importorskip("ciw", reason="ciw is not installed; it is in the extra `peers`")

LINKS = (("a", "b"), ("a", "c"), ("b", "d"), ("b", "e"))
WAYS = {"t0": "ac", "t1": "abd", "t2": "abe", "t3": "ab"}
"""Where the events of each topic go; one subscriber waits at the last broker."""
SHARES = {"t0": 0.2, "t1": 0.35, "t2": 0.25, "t3": 0.2}
SERVICE = {"a": (0.7, 0.5), "b": (0.9, 2.0), "c": (3.0, 0.25), "d": (2.0, 1.5), "e": (2.4, 0.25)}
"""Mean in seconds and scv; events come once a second, so that loads are from 0.6 to 0.72."""
EVENTS = 25_000
K = 3.5


def sojourns_of_tidings(folder, service):
    """By broker, the seconds that each event spent there, in the order in which they came."""
    planned = make_world(
        [serving(name, Gamma(mean * SECONDS, scv)) for name, (mean, scv) in service.items()],
        links=[Link(between=pair) for pair in LINKS],
        publishers=[publisher(topic=tuple(WAYS), every=Exponential(SECONDS))],
        subscribers=[subscriber(f"s-{topic}", way[-1], f'topic == "{topic}"') for topic, way in WAYS.items()],
        duration_ns=EVENTS * SECOND,
    )
    topics = tuple(Topic(name=topic, popularity={"": share}) for topic, share in SHARES.items())
    world = changed(planned, topics=topics, publishers=(publisher(topic=(), every=Exponential(SECONDS)),))
    found = run(world, folder, tables=(*TABLES, "transmissions"))
    instants = defaultdict(list)
    for event, instant in found.rows("publications", "event", "published_ns"):
        instants[event].append(instant)
    for event, instant in found.rows("transmissions", "event", "sent_ns"):
        instants[event].append(instant)  # links take no time: sent there is arrived here
    for event, instant in found.rows("deliveries", "event", "delivered_ns"):
        instants[event].append(instant)
    topic_of = dict(found.rows("publications", "event", "topic"))
    spent = {name: [] for name in service}
    for event, series in instants.items():
        for broker, (came, went) in zip(WAYS[topic_of[event]], itertools.pairwise(series), strict=True):
            spent[broker].append((came, (went - came) / SECONDS))
    return {name: np.array([time for _, time in sorted(rows)]) for name, rows in spent.items()}


def sojourns_of_ciw(service, seed):
    """The same, by Ciw: a class of customers for each topic."""
    names = list(service)
    routing = {
        topic: [[float(names[row] + names[column] in way) for column in range(5)] for row in range(5)]
        for topic, way in WAYS.items()
    }
    services = [ciw.dists.Gamma(shape=1 / scv, scale=mean * scv) for mean, scv in service.values()]
    network = ciw.create_network(
        arrival_distributions={
            topic: [ciw.dists.Exponential(share), None, None, None, None] for topic, share in SHARES.items()
        },
        service_distributions=dict.fromkeys(WAYS, services),
        number_of_servers=[1] * 5,
        routing=routing,
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(EVENTS)
    records = sorted(simulation.get_all_records(only=["service"]), key=lambda record: record.arrival_date)
    return {
        name: np.array([one.exit_date - one.arrival_date for one in records if one.node == place + 1])
        for place, name in enumerate(names)
    }


@pytest.fixture(scope="module")
def peer():
    """What Ciw finds, warmed up and with its errors."""
    return {name: batch_means(spent[len(spent) // 10 :]) for name, spent in sojourns_of_ciw(SERVICE, seed=1).items()}


def distances(folder, service, peer):
    """By broker, how many joint standard errors the two means are apart."""
    ours = {
        name: batch_means(spent[len(spent) // 10 :]) for name, spent in sojourns_of_tidings(folder, service).items()
    }
    return {name: ours[name].off(peer[name].mean, peer[name].error) for name in service}


def test_means_agree_at_every_broker(tmp_path, peer):
    """Time spent at each broker, events that go different ways together."""
    found = distances(tmp_path / "run", SERVICE, peer)
    assert max(found.values()) < K, found


def test_a_broker_that_is_slower_is_caught(tmp_path, peer):
    """The planted fault: a service a fifth too long at one broker shows there, and not before it."""
    slower = {**SERVICE, "b": (1.08, 2.0)}
    found = distances(tmp_path / "run", slower, peer)
    assert found["b"] > K > found["a"], found
