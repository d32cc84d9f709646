"""The endpoint of a client that roams and has a home."""

from tidings.delivery.backlog import BACKLOG_MAX
from tidings.node import ResidentClient, ResidentOptions, RoamingClient
from tidings.node.home_broker import IN_TURN_MAX
from tidings.node.resident_client import HOME_WISHES, REPORT_NS, REPORT_SOON_NS
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Deliver,
    Homeward,
    MoveIn,
    PublishInTurn,
    Received,
    Subscribed,
    Unsubscribe,
)
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import (
    Attached,
    Detached,
    FramesArrived,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)

WISH = 'topic == "t"'


def event(number):
    """The client's event of that number."""
    return Event(number, "m", "t", 0, {}, expires_ns=100 * SECOND)


class Life:
    """A client and its driver."""

    def __init__(self, *, owed=True):
        self.now = 0
        self.client = ResidentClient(RoamingClient("m"), ResidentOptions(home="h", owed=owed))
        self.shown, self.reported = [], []

    def tell(self, *notices):
        """What it says to its home after these."""
        for notice in notices:
            self.client.receive(notice, self.now)
        return self._drain()

    def hear(self, *frames, sender="a"):
        """The same after frames of a broker."""
        return self.tell(FramesArrived(sender, frames))

    def wait(self, for_ns):
        """Let time pass; gives what it says to its home."""
        end, said = self.now + for_ns, []
        while (due := self.client.deadline()) is not None and due <= end:
            assert due >= self.now
            self.now = due
            self.client.expire(due)
            said += self._drain()
            assert self.client.deadline() != due, "a timer must not ring twice at one instant"
        self.now = end
        return said

    def _drain(self):
        effects = self.client.drain()
        self.shown += effects.show
        self.reported += effects.report
        homeward = [(send.to, send.frame) for send in effects.send if isinstance(send.frame, Homeward)]
        assert all(frame.home == "h" for _, frame in homeward)
        return [frame.frame for _, frame in homeward]


MOVED = MoveIn(1, None, ((HOME_WISHES, WISH),))


def test_the_home_is_told_where_it_is_and_what_it_wants():
    """At once and every now and then, oftener until the home has confirmed the wish."""
    life = Life()
    assert life.tell(SubscribeRequested(0, WISH)) == [], "nobody is in reach"
    assert life.tell(Attached("a")) == [MOVED]
    assert life.wait(3 * REPORT_SOON_NS) == [MOVED] * 3
    assert life.hear(Subscribed(HOME_WISHES)) == []
    assert life.shown == [ShowSubscribed(0, ())]
    assert life.wait(REPORT_SOON_NS) == [MOVED]
    assert life.wait(2 * REPORT_NS) == [MOVED] * 2
    life.tell(Detached())
    assert life.wait(10 * REPORT_NS) == []


def test_that_a_guest_is_known_says_nothing():
    """The home must know the wish; that the broker in reach knows it is not shown."""
    life = Life()
    life.tell(SubscribeRequested(0, WISH), Attached("a"))
    life.hear(Subscribed(0))
    assert life.shown == []


def test_without_a_claim_the_guest_is_what_counts():
    """Where nothing is owed the home hears of no wishes."""
    life = Life(owed=False)
    life.tell(SubscribeRequested(0, WISH))
    assert life.tell(Attached("a")) == [MoveIn(1, None, ())]
    life.hear(Subscribed(0))
    assert life.shown == [ShowSubscribed(0, ())]
    assert life.hear(Deliver(event(1))) == []


def test_what_was_shown_is_acknowledged_every_time():
    """And shown once."""
    life = Life()
    life.tell(Attached("a"))
    assert life.hear(Deliver(event(1))) == [Received((1,))]
    assert life.hear(Deliver(event(1))) == [Received((1,))]
    assert life.shown == [ShowEvent(event(1))]
    assert life.hear(Deliver(event(2)), sender="b") == [], "it is not there"


def test_a_wish_that_was_taken_back_is_taken_back_again():
    """With every report, since any of them may get lost; an answer to it comes too late."""
    life = Life()
    life.tell(SubscribeRequested(0, WISH), Attached("a"))
    assert life.tell(UnsubscribeRequested(0)) == [MoveIn(1, None, ()), Unsubscribe(HOME_WISHES)]
    assert life.wait(REPORT_NS) == [MoveIn(1, None, ()), Unsubscribe(HOME_WISHES)]
    life.hear(Subscribed(HOME_WISHES))
    assert life.shown == []
    assert life.tell(SubscribeRequested(0, WISH)) == [MOVED]


def published(said):
    """Numbers of the events that it hands over, and the first that it has."""
    return [(frame.number, frame.first) for frame in said if isinstance(frame, PublishInTurn)]


def test_what_it_publishes_is_said_until_it_is_acknowledged():
    """In order, at whatever broker it is; each event once while answers come."""
    life = Life()
    assert life.tell(PublishRequested(event(0)), PublishRequested(event(1))) == [], "nobody is in reach"
    assert life.client.waits(life.now)
    assert published(life.tell(Attached("a"))) == [(0, 0), (1, 0)]
    assert published(life.tell(PublishRequested(event(2)))) == [(2, 0)]
    assert published(life.hear(Accepted(0))) == []
    life.tell(Detached())
    assert published(life.tell(Attached("b"))) == [(1, 1), (2, 1)]
    assert published(life.wait(SECOND)) == [(1, 1), (2, 1)]
    life.hear(Accepted(2), Accepted(1), Accepted(1), sender="b")
    assert life.shown == [ShowAccepted(0), ShowAccepted(2), ShowAccepted(1), ShowAccepted(1)]
    assert published(life.wait(100 * SECOND)) == []
    assert not life.client.waits(life.now)


def test_no_more_than_a_window_is_under_way():
    """The rest follows as answers come."""
    life = Life()
    life.tell(Attached("a"))
    said = [published(life.tell(PublishRequested(event(number)))) for number in range(IN_TURN_MAX + 2)]
    assert [one for some in said for one in some] == [(number, 0) for number in range(IN_TURN_MAX)]
    assert published(life.hear(Accepted(0))) == [(IN_TURN_MAX, 1)]


def test_the_oldest_is_given_up_when_there_are_too_many():
    """And reported."""
    life = Life()
    life.tell(*(PublishRequested(event(number)) for number in range(BACKLOG_MAX + 1)))
    assert [(drop.event.id, drop.reason) for drop in life.reported] == [(0, "queue")]
    assert published(life.tell(Attached("a")))[:2] == [(1, 1), (2, 1)]


def test_expired_events_do_not_keep_anybody_waiting():
    """They are said all the same: the home counts them."""
    life = Life()
    life.tell(PublishRequested(event(0)))
    life.now = 200 * SECOND
    assert not life.client.waits(life.now)
    assert published(life.tell(Attached("a"))) == [(0, 0)]
