"""Small deployments, and messages for them."""

from tidings.ordering import plan_sequencing
from tidings.sequencing import Deployment
from tidings.sequencing.messages import Requested
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.instant import FOREVER

PAIR = {"s": ("a", "b"), "u": ("a", "b")}


def deployment(interests=None, *, stages=1, k=2, **more):
    """By default two topics that two subscribers share, in one stage."""
    return Deployment(version=1, plan=plan_sequencing(interests or PAIR, k=k, stages=stages), **more)


def event(number, topic="a", publisher="p", *, expires_ns=FOREVER, incarnation=0, place=0):
    """Event `number` of a publisher."""
    return Event(event_id(place, number), publisher, topic, number, {}, expires_ns, incarnation)


def requested(number, topic="a", publisher="p", *, incarnation=0, **more):
    """The publisher's request number `number` on a topic."""
    one = event(number, topic, publisher, incarnation=incarnation, **more)
    return Requested(1, topic, publisher, incarnation, number, one)
