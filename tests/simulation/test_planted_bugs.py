"""A check that nobody has seen fail is no evidence: bugs are planted one by one, and each is caught by its check."""

import numpy as np
import pytest

from simulation.campaign import KEEPING, case_of, judged
from simulation.watching import Watched, WatchedClients
from tidings.delivery.duplicates import Duplicates
from tidings.node import Broker
from tidings.simulation.brokers import tree_brokers
from tidings.simulation.host import Host
from tidings.vocabulary.frames import Accepted, Publish, Received
from tidings.vocabulary.machine import Effects, NeighbourLost, ShowEvent

SEEDS_MAX = 120


class Planted(Watched):
    """A world with brokers, hosts and channels of its own making; the paths of events are the plain ones."""

    Machine = Broker
    Process = Host

    def __init__(self, world, folder, **options):
        super().__init__(world, folder, **{**options, "compiled": False})

    def _maker(self):
        return tree_brokers(self.world, self.workload.ahead, self.Machine)

    def _host(self, broker, make):
        plain = super()._host(broker, make)
        return self.Process(plain.options, self.agenda, self.clients)


class Buggy(Broker):
    """A broker whose ways of dealing with frames can be replaced by methods of the same name."""

    def __init_subclass__(cls):
        cls._ACTIONS = {frame: getattr(cls, action.__name__) for frame, action in Broker._ACTIONS.items()}


class Oblivious(Duplicates):
    """Recognises nothing."""

    def seen(self, event_id):
        return False


class BrokersForget(Planted):
    """Brokers pass on every copy of an event."""

    class Machine(Buggy):
        def __init__(self, options):
            super().__init__(options)
            self._duplicates = Oblivious(1)


class NobodyRemembers(BrokersForget):
    """Nor do clients recognise what they have been shown."""

    def __init__(self, world, folder, **options):
        super().__init__(world, folder, **options)
        self.clients._memory = None
        for endpoint in self.clients._endpoints.values():
            endpoint.machine._duplicates = Oblivious(1)


class LinksOvertake(Planted):
    """Links that promise to keep order do not."""

    def _link_brokers(self):
        super()._link_brokers()
        for channel in self.channels.values():
            channel._fifo = False


class LastComeFirstServed(Planted):
    """A broker takes the latest event out of its queue."""

    class Process(Host):
        def _enqueue(self, now, sender, frame, event):
            super()._enqueue(now, sender, frame, event)
            self._queue.reverse()


class BackToTheSender(Planted):
    """A broker sends an event back where it came from, if they want it there."""

    class Machine(Buggy):
        def _forward(self, sender, event):
            super()._forward("nobody", event)


class ClientsNeverAskAgain(Planted):
    """A broker comes back without memory, and its clients do not tell it anew."""

    class Members(WatchedClients):
        def renew_at(self, broker):
            pass


class GapsAreIgnored(Planted):
    """A broker takes in what a neighbour says although it missed what was said before."""

    class Machine(Buggy):
        def _learn(self, sender, frame):
            listener = self._demand.spreadings[frame.tree]._listeners[sender]
            if frame.base is not None:
                listener.version, listener.incarnation = frame.base, frame.incarnation
            super()._learn(sender, frame)


class ShownAfterTheLifetime(Planted):
    """Nobody looks at the lifetime when an event is shown."""

    class Members(WatchedClients):
        def _show(self, now, broker, event, codes):
            self._recorder.shown(ShowEvent(event), now, codes)


class QueuesOutliveCrashes(Planted):
    """What was in a broker's queue when it crashed is there when it comes back."""

    class Process(Host):
        def start(self, now):
            kept = self._queue
            super().start(now)
            self._queue = kept

        def _served(self, now, work, incarnation):
            super()._served(now, work, self.incarnation if self.up else incarnation)


class TheDeadAcknowledge(Planted):
    """A publisher is told that its event was taken, though its broker was down."""

    class Process(Host):
        def _lose(self, now, frame, reason):
            if type(frame) is Publish:
                self._surroundings._workload.acknowledged(frame.event.id, now)
            super()._lose(now, frame, reason)


class WrongAggregate:
    """Announces a text only if none that it announced is shorter."""

    def __init__(self, plain):
        self._plain = plain
        self._announced = set()

    def change(self, added, removed):
        more, less = self._plain.change(added, removed)
        told = [text for text in more if all(len(text) <= len(one) for one in (*self._announced, *more))]
        gone = [text for text in less if text in self._announced]
        self._announced = (self._announced | set(told)) - set(gone)
        return tuple(told), tuple(gone)


class CoveringBySize(Planted):
    """A filter counts as covered by any shorter one."""

    class Machine(Buggy):
        def _start(self, notice):
            super()._start(notice)
            for spreading in self._demand.spreadings.values():
                aggregates = spreading.table._aggregates
                spreading.table._aggregates = {name: WrongAggregate(one) for name, one in aggregates.items()}


class ConfirmedAtOnce(Planted):
    """A broker says that a wish is known everywhere as soon as it has heard of it."""

    class Machine(Buggy):
        def _start(self, notice):
            super()._start(notice)
            self._demand._missing_for = lambda _one: ()


class WishesAreNeverTakenBack(Planted):
    """A broker does not listen to clients who go."""

    class Machine(Buggy):
        def _unsubscribe(self, sender, frame):
            pass


class OneTreeOnly(Planted):
    """A wish without a topic is told in the first tree only."""

    class Machine(Buggy):
        def _start(self, notice):
            super()._start(notice)
            plain = self._demand._trees_of
            self._demand._trees_of = lambda text: plain(text)[:1]


class ForgottenTooSoon(Planted):
    """Brokers forget what a neighbour wants before it had a chance to renew it."""

    class Machine(Buggy):
        def _learn(self, sender, frame):
            super()._learn(sender, frame)
            listener = self._demand.spreadings[frame.tree]._listeners[sender]
            if listener.deadline is not None:
                listener.deadline = self._now + self.options.renew_ns // 2


class LeaversAreShown(Planted):
    """What comes to a client after it has gone is shown all the same."""

    class Members(WatchedClients):
        def _leaves(self, now, subscriber, nothing):
            self.interests[subscriber.id].until_ns = now
            self._agenda.at(now + self._world.duration_ns // 20, self._really_leaves, subscriber, now)

        def _really_leaves(self, now, subscriber, left):
            super()._leaves(now, subscriber, None)
            self.interests[subscriber.id].until_ns = left

        def _show_alone(self, now, client, show):
            self._recorder.shown(show, now, np.array([self._codes[client]], np.int64))


# ---- bugs of brokers that keep what they acknowledge


class SentBeforeSync(Planted):
    """What a batch asks for happens before its records are on disk."""

    class Process(Host):
        def _apply(self, now, effects):
            sends, effects.send = effects.send, []
            for send in sends:
                ahead = Effects()
                ahead.send.append(send)
                self._carry_out(now, ahead)
            super()._apply(now, effects)


class AcknowledgedBeforeSync(Planted):
    """Only acknowledgements do."""

    class Process(Host):
        def _apply(self, now, effects):
            ahead = Effects()
            ahead.send = [send for send in effects.send if isinstance(send.frame, Accepted | Received)]
            effects.send = [send for send in effects.send if not isinstance(send.frame, Accepted | Received)]
            self._carry_out(now, ahead)
            super()._apply(now, effects)


class CopiesOvertakeTheDisk(Planted):
    """A batch without records does not wait: a second copy is acknowledged while the first is not on disk."""

    class Process(Host):
        def _apply(self, now, effects):
            if effects.store:
                super()._apply(now, effects)
            else:
                self._carry_out(now, effects)


class ForgottenOnRestart(Planted):
    """Nobody reads the records."""

    class Process(Host):
        def start(self, now):
            journal = self.options.journal
            if self.incarnation >= 0 and journal is not None:
                journal.open()
                journal.write([Anew()])
                journal.sync()
            super().start(now)


class Anew(Effects):
    """An empty batch that takes the place of everything."""

    def __init__(self):
        super().__init__()
        self.anew = True


class SaidOnce(Planted):
    """What is not acknowledged is never sent again, unless its neighbour was lost."""

    class Machine(Buggy):
        def _start(self, notice):
            super()._start(notice)
            if self._safe is not None:
                self._safe.courier._again = lambda outbox, _now: setattr(outbox, "timer_ns", None) or ()


class LostForGood(Planted):
    """What a lost neighbour was owed is thrown away."""

    class Machine(Buggy):
        def _keep_on(self, safe, notice):
            super()._keep_on(safe, notice)
            if isinstance(notice, NeighbourLost) and safe.courier.serves(notice.name):
                safe.courier.received(notice.name, [event.id for event in safe.courier.owed_to(notice.name)], self._now)


class DoneWhenWritten(Planted):
    """An event that only clients want counts as done with when its record is made, not when they were shown it."""

    class Machine(Buggy):
        def _start(self, notice):
            super()._start(notice)
            if self._safe is not None:
                keeper = self._safe._keeper
                hold = keeper._hold
                keeper._hold = lambda kept: hold(kept) or (None if kept.towards else keeper.finished((kept.event.id,)))


class InterestsAreNotKept(Planted):
    """What neighbours want is not written down."""

    class Machine(Buggy):
        def _learn(self, sender, frame):
            self._demand.learn(sender, frame, self._now)


CAUGHT_KEEPING = {
    SentBeforeSync: "nothing_acknowledged_is_lost",
    AcknowledgedBeforeSync: "nothing_acknowledged_is_lost",
    CopiesOvertakeTheDisk: "nothing_acknowledged_is_lost",
    ForgottenOnRestart: "nothing_acknowledged_is_lost",
    SaidOnce: "nothing_acknowledged_is_lost",
    LostForGood: "nothing_acknowledged_is_lost",
    DoneWhenWritten: "nothing_acknowledged_is_lost",
    InterestsAreNotKept: "nothing_acknowledged_is_lost",
    NobodyRemembers: "no_duplicates",
}

CAUGHT = {
    BrokersForget: "copies_are_not_multiplied",
    NobodyRemembers: "no_duplicates",
    LinksOvertake: "publishers_keep_their_order",
    LastComeFirstServed: "publishers_keep_their_order",
    BackToTheSender: "events_go_one_way",
    ClientsNeverAskAgain: "healed_worlds_lose_nothing_more",
    GapsAreIgnored: "tables_are_right_in_the_end",
    ShownAfterTheLifetime: "nothing_unexpected",
    QueuesOutliveCrashes: "memory_dies_with_the_process",
    TheDeadAcknowledge: "the_living_acknowledge",
    CoveringBySize: "calm_worlds_lose_nothing",
    ConfirmedAtOnce: "effective_means_known",
    WishesAreNeverTakenBack: "nothing_unexpected",
    OneTreeOnly: "calm_worlds_lose_nothing",
    ForgottenTooSoon: "calm_worlds_lose_nothing",
    LeaversAreShown: "nothing_unexpected",
}


BUGS = [(kind, check, 0) for kind, check in CAUGHT.items()]
BUGS += [(kind, check, KEEPING) for kind, check in CAUGHT_KEEPING.items()]


@pytest.mark.parametrize(("kind", "check", "first"), BUGS, ids=lambda one: getattr(one, "__name__", None))
def test_a_planted_bug_is_caught(tmp_path, kind, check, first):
    """Within so many seeds, by the check that is there for it."""
    for seed in range(first + 1, first + SEEDS_MAX + 1):
        broken = judged(case_of(seed), tmp_path / str(seed), kind).broken
        if any(sentence.startswith(check) for sentence in broken):
            return
    pytest.fail(f"{kind.__name__} went unnoticed by {check} in {SEEDS_MAX} seeds")


def test_without_a_bug_nothing_is_caught(tmp_path):
    """The world that the bugs are planted in is sound."""
    for seed in (*range(1, 13), *range(KEEPING + 1, KEEPING + 9)):
        assert judged(case_of(seed), tmp_path / str(seed), Planted).broken == []
