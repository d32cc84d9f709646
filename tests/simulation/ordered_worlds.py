"""Small worlds with an order across topics."""

from simulation.worlds import chain, const, make_world, ms, publisher, subscriber
from tidings.scenario.world import Broker, LinkLaw, Ordering
from tidings.vocabulary.instant import SECOND

SLOW = LinkLaw(delay=ms(20))


def wanting(name, broker, *topics, **more):
    """A subscriber with these topics."""
    text = " or ".join(f'topic == "{topic}"' for topic in topics)
    return subscriber(name, broker, text, topics=topics, **more)


def ordered(guarantee="total", *, law=SLOW, people=None, duration_ns=5 * SECOND, **more):
    """Three brokers in a line with delays that overtake; two publishers on three topics, of whom one listens too."""
    ordering = more.pop("ordering", None) or Ordering(guarantee=guarantee)
    people = people or [
        wanting("s", "a", "x", "y"),
        wanting("u", "c", "x", "y"),
        wanting("p", "a", "y", "z"),
        wanting("v", "b", "y", "z"),
    ]
    entries = [publisher("p", "a", ("x", "y"), every=ms(50)), publisher("q", "c", ("z", "y"), every=ms(50))]
    brokers = more.pop("brokers", "abc")
    names = [one if isinstance(one, str) else one.id for one in brokers]
    return make_world(
        brokers,
        links=chain(names, law),
        publishers=more.pop("publishers", entries),
        subscribers=people,
        ordering=ordering,
        duration_ns=duration_ns,
        **more,
    )


def at_sites():
    """The brokers of `ordered`, each at a site of its own."""
    return tuple(Broker(id=name, site=f"site-{name}") for name in "abc")


__all__ = ["SLOW", "at_sites", "const", "ordered", "wanting"]
