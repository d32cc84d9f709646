"""Small drawn worlds in which some subscribers have to be refused, and the plain way to decide about them."""

import dataclasses
import itertools

import numpy as np

from simulation.worlds import chain, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.predicting import predict
from tidings.scenario.world import LinkLaw, Reliability
from tidings.vocabulary.distribution import Zipf
from tidings.vocabulary.instant import SECOND

ATTRIBUTES = {"x": Zipf(6, 1.0)}


def drawn_world(seed, count=6, *, service_ms=120, per_subscription=False):
    """Three brokers in a line, four publishers on two topics, subscribers of random taste and demand."""
    draw = np.random.default_rng(seed)
    names, topics = "abc", ("t", "u")
    publishers = [
        publisher(
            f"p{number}",
            names[draw.integers(3)],
            topics[number % 2],
            ms(1000),
            attributes=ATTRIBUTES,
            lifetime_ns=SECOND,
        )
        for number in range(4)
    ]
    subscribers = [wanting(f"s{number}", draw, names, topics) for number in range(count)]
    brokers = [serving(name, ms(service_ms), per_subscription=per_subscription) for name in names]
    return make_world(
        brokers,
        links=chain(names, LinkLaw(delay=const(40))),
        publishers=publishers,
        subscribers=subscribers,
        reliability=Reliability(expired="carry"),
        seed=seed,
    )


def wanting(name, draw, names, topics):
    """One of random taste."""
    topic, floor = topics[draw.integers(2)], int(draw.integers(1, 7))
    text = f'topic == "{topic}" and x <= {floor}'
    requires = float(draw.uniform(0.6, 1.0))
    return subscriber(name, names[draw.integers(3)], text, topics=(topic,), requires=requires)


def only(world, names):
    """The world with these subscribers."""
    kept = tuple(one for one in world.subscribers if one.id in set(names))
    return dataclasses.replace(world, subscribers=kept)


def satisfied(world, names):
    """How many of these get what they require when they are there: the thesis's utility, by a whole prediction."""
    found = predict(only(world, names))
    return len(found.subscribers) - len(found.unmet)


def largest(world):
    """The highest utility of any set of subscribers, by looking at all."""
    names = [one.id for one in world.subscribers]
    sets = itertools.chain.from_iterable(itertools.combinations(names, size) for size in range(len(names) + 1))
    return max(satisfied(world, one) for one in sets)


def one_by_one(world, names):
    """The thesis's Algorithm 1, step by step, for subscribers in this order."""
    admitted, utility = [], 0
    for name in names:
        found = satisfied(world, [*admitted, name])
        if found > utility:
            admitted, utility = [*admitted, name], found
    return admitted
