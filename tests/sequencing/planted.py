"""Endpoints with one rule of the protocol left out, and in which trials the checker must notice."""

from collections import deque

from sequencing.campaign import Trial
from tidings.ordering import ClimbTo
from tidings.ordering.hop_channel import InputBuffer
from tidings.sequencing import OrderedPublisher, OrderedSubscriber, StageProcess
from tidings.sequencing.messages import NumbersAsked, Published
from tidings.sequencing.request_desk import RequestDesk
from tidings.sequencing.stage_channels import StageChannels
from tidings.simulation.black_box import BoxLaw, BoxLog
from tidings.vocabulary.instant import MILLISECOND


class ForgetfulDesk(RequestDesk):
    """Takes every request, repeated or not."""

    def receive(self, request):
        super().receive(request)
        return [request]


class ClimbsAgain(StageProcess):
    """Rule 2: a repeated request is numbered again."""

    def __init__(self, *given):
        super().__init__(*given)
        self._desk = ForgetfulDesk()


class PublisherPublishes(StageProcess):
    """Rule 1: the stage only stamps; the publisher must publish, and one that has died in between does not."""

    def __init__(self, *given):
        super().__init__(*given)
        self.dead = set()

    def publisher_died(self, name):
        self.dead.add(name)

    def _publish(self, name, kept, data, now):
        if kept.event.publisher in self.dead and kept.event.incarnation == 0:
            return
        super()._publish(name, kept, data, now)


class SaysItOnce(StageChannels):
    """Channels that send nothing again."""

    holds = False

    def repeat(self, now):
        pass

    def expire(self, now):
        pass

    def deadline(self):
        return None


class RepairsNothing(StageProcess):
    """Rule 2: what a channel between stages loses is lost."""

    def __init__(self, *given):
        super().__init__(*given)
        self._channels = SaysItOnce(self.deployment.version, self.name)


class TwoOutboxes(StageProcess):
    """Rule 3: its own requests wait for the disk before they climb, and those that pass overtake them."""

    def __init__(self, *given):
        super().__init__(*given)
        self._late = deque()

    def _forward(self, step, now):
        if isinstance(step, ClimbTo) and step.request.topic in self._pending and not self._remembering:
            self._late.append((now + 1_000 * MILLISECOND, step))
        else:
            super()._forward(step, now)

    def deadline(self):
        found = [at for at in (super().deadline(), self._late[0][0] if self._late else None) if at is not None]
        return min(found, default=None)

    @property
    def holds(self):
        return bool(self._late) or super().holds

    def expire(self, now):
        while self._late and self._late[0][0] <= now:
            StageProcess._forward(self, self._late.popleft()[1], now)
        super().expire(now)


class SpeaksBeforeTheLog(StageProcess):
    """Rule 1: it acknowledges and publishes, and then writes."""

    def drain(self):
        wishes = super().drain()
        wishes.store = []
        return wishes


class OpenLog(BoxLog):
    """Rule 4: a log that takes records from whoever has once opened it."""

    def append(self, term, records):
        self.records += records


class NeverAsks(OrderedSubscriber):
    """Rule 8a: what the last leg loses is not asked for."""

    def drain(self):
        wishes = super().drain()
        wishes.tell = [one for one in wishes.tell if not isinstance(one[1], NumbersAsked)]
        return wishes


class SkipsByItself(OrderedSubscriber):
    """Rule 8a: after some time it goes on without what is missing, whatever its stage would say."""

    def expire(self, now):
        for strand in list(self._lacking.values()):
            if strand.ask_ns is not None and strand.ask_ns <= now and not strand.joining:
                self._gone(strand, strand.read + 1, now)
        super().expire(now)


class JoinsBlindly(OrderedSubscriber):
    """Rule 6: it takes its subscription for complete when the call returns."""

    def start(self, now):
        super().start(now)
        self._blind = [one for one in self._strands.values() if one.joining]
        if self._blind:
            self._joined = self._wishes.joined = True
        for strand in self._blind:
            strand.begin(0, now)
        self._lacking = {}

    def receive(self, name, message, now):
        strand = self._strands.get(message.topic)
        if isinstance(message, Published) and strand in self._blind:
            self._blind.remove(strand)
            strand.begin(message.number - 1, now)
            self._window.begin(strand.topic, message.number - 1)
        super().receive(name, message, now)


class DropsExpired(StageProcess):
    """Rule 8: what has expired is not passed on, not even as a header."""

    def _publish(self, name, kept, data, now):
        if not kept.event.expired(now):
            super()._publish(name, kept, data, now)


class NoProgramOrder(OrderedPublisher):
    """Rule 9: the next request does not wait for the one before."""

    def _may_follow(self, topic):
        return True


class LosesNews(StageProcess):
    """Rule 7: a process that comes back does not know which requests its predecessor took."""

    def start(self, term, records, now):
        super().start(term, records, now)
        self._desk = KnowsNobody(self._desk)


class KnowsNobody(RequestDesk):
    """Memory of requests that is empty after a restart, though their requests still get their timestamps."""

    def __init__(self, before):
        super().__init__()
        self._before = before

    def completed(self, request):
        if (request.topic, request.publisher) in self._lanes:
            super().completed(request)

    def receive(self, request):
        lane = self._lanes.get((request.topic, request.publisher))
        if lane is None:
            super().receive(request)
            buffer = InputBuffer()
            buffer.arrived = request.number
            self._lanes[request.topic, request.publisher].requests = buffer
            return [request]
        return super().receive(request)


LOSSY = BoxLaw(loss=0.2, repeat=0.1, sync_ns=5 * MILLISECOND)

PLANTED = {
    "a request climbs again": Trial(stage=ClimbsAgain, law=LOSSY),
    "the publisher publishes": Trial(stage=PublisherPublishes, law=LOSSY),
    "channels repair nothing": Trial(stage=RepairsNothing, law=LOSSY, stages={f"of {one}": [one] for one in "abcdef"}),
    "two outboxes": Trial(stage=TwoOutboxes, events=200, faults=False, stages={f"of {one}": [one] for one in "abcdef"}),
    "speaks before the log": Trial(stage=SpeaksBeforeTheLog, law=LOSSY),
    "a log for everybody": Trial(log=OpenLog, law=BoxLaw(loss=0.1, sync_ns=300 * MILLISECOND)),
    "a restart forgets requests": Trial(stage=LosesNews, law=LOSSY),
    "nothing is asked for": Trial(subscriber=NeverAsks, law=LOSSY),
    "what is missing is skipped": Trial(subscriber=SkipsByItself, law=LOSSY),
    "joins blindly": Trial(subscriber=JoinsBlindly, law=BoxLaw(listen_ns=500 * MILLISECOND)),
    "expired events leave holes": Trial(stage=DropsExpired, law=LOSSY, lifetime_ns=300 * MILLISECOND),
    "no program order": Trial(
        publisher=NoProgramOrder, k=1, program_order=True, law=BoxLaw(delay_ns=200 * MILLISECOND)
    ),
}
"""By what is wrong, where it shows."""
