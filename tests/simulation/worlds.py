"""Small worlds put together by hand, and runs of them as the tests look at them."""

import dataclasses
import hashlib
import itertools
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from tidings.checking import AuditReport, audit
from tidings.logs import LogFolder, open_folder
from tidings.routing import plan_trees
from tidings.scenario.world import Broker, Link, LinkLaw, Publisher, Service, Subscriber, Topic, Tree, World
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.vocabulary.distribution import Constant, Exponential
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.overlay import Overlay

MS = SECOND // 1000
EVERYTHING = 'topic == "t"'


def ms(mean):
    """An exponential time of so many milliseconds in the mean."""
    return Exponential(float(mean * MS))


def const(milliseconds):
    """Always so many milliseconds."""
    return Constant(float(milliseconds * MS))


def publisher(name="p", broker="a", topic="t", every=None, **more):
    """Publishes on one topic, or on several in turn, every 100 ms unless told otherwise."""
    topics = (topic,) if isinstance(topic, str) else topic
    if "trace" not in more:
        more["every"] = const(100) if every is None else every
    return Publisher(id=name, broker=broker, topics=topics, **more)


def subscriber(name="s", broker="a", text=EVERYTHING, **more):
    """Wants everything on topic t unless told otherwise."""
    return Subscriber(id=name, broker=broker, filter=text, **more)


def serving(name, law, **more):
    """A broker that works on each event for a time of this law."""
    return Broker(id=name, service=Service(law=law, **more))


def chain(names, law=None, **more):
    """Links that make a line of the brokers."""
    law = LinkLaw() if law is None else law
    return [Link(between=pair, law=law, **more) for pair in itertools.pairwise(names)]


def make_world(
    brokers="ab", *, links=None, publishers=(), subscribers=(), duration_ns=10 * SECOND, trees=None, seed=1, **more
):
    """A world with shortest-path trees; brokers are names or entries, in a line where no links are given."""
    entries = tuple(Broker(id=one) if isinstance(one, str) else one for one in brokers)
    names = tuple(one.id for one in entries)
    links = tuple(chain(names) if links is None else links)
    publishers = tuple(publishers) or (publisher(broker=names[0]),)
    subscribers = tuple(subscribers) or (subscriber(broker=names[-1]),)
    topics = tuple(dict.fromkeys(topic for one in publishers for topic in one.topics))
    if trees is None:
        delays = tuple(link.law.mean_delay_ns for link in links)
        planned = plan_trees(Overlay(names, tuple(link.between for link in links), delays), topics)
        trees = tuple(Tree(name=tree.name, links=tree.links, topics=tree.topics) for tree in planned)
    return World(
        name="by hand",
        seed=seed,
        duration_ns=duration_ns,
        brokers=entries,
        links=links,
        publishers=publishers,
        subscribers=subscribers,
        topics=tuple(Topic(name=topic) for topic in topics),
        trees=trees,
        **more,
    )


@dataclass
class Run:
    """A world that has been run, and its tables."""

    path: Path
    simulated: SimulatedWorld

    @cached_property
    def report(self) -> AuditReport:
        """What the audit says."""
        return audit(self.path)

    def rows(self, table, *columns):
        """A table's rows as tuples, of some columns in this order."""
        data = open_folder(self.path).table(table, list(columns))
        return list(zip(*(data.column(name).to_pylist() for name in columns), strict=True))

    def column(self, table, name):
        """A column of integers as an array."""
        return open_folder(self.path).table(table, [name]).column(name).to_numpy()

    def delays(self):
        """From published to shown in nanoseconds, in the order of the deliveries."""
        published = dict(self.rows("publications", "event", "published_ns"))
        shown = self.rows("deliveries", "event", "delivered_ns")
        return np.array([delivered - published[event] for event, delivered in shown], np.int64)

    def totals(self):
        """The sums of the audit's outcomes over subscribers."""
        names = ("wanted", "on_time", "late", "expired", "lost", "duplicates", "unexpected")
        return {name: self.report.total(name) for name in names}

    def digests(self):
        """A hash of each table, as it lies on disk."""
        return {
            file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(self.path.glob("*.parquet"))
        }


def run(world, path, *, kind=SimulatedWorld, tables=None, **options):
    """Simulate `world` into the new folder `path`, by `kind`, a class of worlds."""
    with LogFolder.create(path, names=(), tables=tables) as folder:
        simulated = kind(world, folder, **options)
        simulated.run()
        folder.finish({})
    return Run(path, simulated)


def changed(world, **more):
    """The same world with some other values."""
    return dataclasses.replace(world, **more)


def by_reason(run):
    """How many drops there were of each reason."""
    return dict(Counter(reason for (reason,) in run.rows("drops", "reason")))
