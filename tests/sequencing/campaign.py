"""One seed of a campaign: endpoints in a black box, with everything going wrong that a seed draws.

What happened is judged by `tidings.studies.random_channels.Outcome`, which knows only who was shown what in which order.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from tidings.errors import PeerError
from tidings.ordering import plan_sequencing
from tidings.sequencing import Deployment, OrderedPublisher, OrderedSubscriber, Retention, StageProcess
from tidings.simulation.black_box import BlackBox, BoxLaw, BoxLog
from tidings.studies.random_channels import Outcome
from tidings.vocabulary.event import Event, event_id, split_event_id
from tidings.vocabulary.instant import FOREVER, MILLISECOND, SECOND

TOPICS = tuple("abcdef")
DURATION_NS = 20 * SECOND


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What a seed is to be tried with."""

    k: int = 2
    program_order: bool = False
    events: int = 80
    answers: float = 0.3
    law: BoxLaw | None = None
    """None: drawn."""
    faults: bool = True
    lifetime_ns: int = FOREVER
    retention: Retention = field(default_factory=Retention)
    publisher: type = OrderedPublisher
    subscriber: type = OrderedSubscriber
    stage: type = StageProcess
    log: type = BoxLog
    interests: dict | None = None
    stages: object = None


@dataclass
class Result:
    """What came of it."""

    outcome: Outcome
    undelivered: int
    duplicates: int
    topic_inversions: int
    lost: int
    counts: Counter
    program_order: bool
    failure: Exception | None = None

    @property
    def is_clean(self):
        """Nothing that is never allowed; of orders that all fit into one, neither cycles nor effects before causes."""
        broken = self.outcome.conflicts() or self.outcome.stuck or self.undelivered or self.duplicates
        if self.program_order:
            broken = broken or self.outcome.has_cycle() or self.outcome.inversions()
        return not (broken or self.topic_inversions or self.failure)


class Campaign:
    """Who takes part, and what they were shown."""

    def __init__(self, seed, trial):
        self.draw = draw = np.random.default_rng(seed)
        self.trial = trial
        law = trial.law or BoxLaw(
            loss=float(draw.choice([0.0, 0.05, 0.3])), repeat=float(draw.choice([0.0, 0.2])), sync_ns=2 * MILLISECOND
        )
        self.box = BlackBox(law, draw)
        self.shown, self.causes, self.expired = {}, {}, {}
        self.publications, self.taken, self.died = {}, set(), set()
        self.joined, self.left = {}, {}
        self.counts = Counter()
        self.numbers = Counter()
        self.interests = trial.interests or self.drawn_interests()
        self.deployment = self.deploy()
        self.logs, self.stages = {}, {}
        self.subscribers, self.publishers = {}, {}

    def drawn_interests(self):
        """Eight subscribers of one to four topics; the first five publish too."""
        draw = self.draw
        return {
            f"c{number}": tuple(sorted(draw.choice(TOPICS, draw.integers(1, 5), replace=False).tolist()))
            for number in range(8)
        }

    def deploy(self):
        """The plan for everybody who is ever there."""
        each = {f"of {topic}": [topic] for topic in TOPICS}
        stages = self.trial.stages or [1, 2, 3, "automatic", each][self.draw.integers(5)]
        plan = plan_sequencing(self.interests, topics=TOPICS, k=self.trial.k, stages=stages)
        return Deployment(version=1, plan=plan, program_order=self.trial.program_order)

    # ---- taking part

    def start_stage(self, name):
        """A process of the stage, with what its log holds."""
        log = self.logs.setdefault(name, self.trial.log())
        process = self.trial.stage(self.deployment, name, self.trial.retention)
        term, records = log.open()
        process.start(term, records, self.box.agenda.now)
        self.stages[name] = self.box.seat(process, self.stage_applied, log=log, term=term)

    def stage_applied(self, now, wishes):
        """Timestamps are counted."""
        self.counts["stamped"] += len(wishes.stamped)

    def start_publisher(self, name, incarnation=0):
        """A publisher's process."""
        machine = self.trial.publisher(self.deployment, f"{name}-p", incarnation)
        self.publishers[name] = self.box.seat(machine, self.publisher_applied)

    def publisher_applied(self, now, wishes):
        """What a stage has."""
        self.taken.update(wishes.taken)

    def start_subscriber(self, name, *, from_start):
        """A subscriber's process."""
        machine = self.trial.subscriber(self.deployment, name, self.interests[name], from_start=from_start)
        machine.start(self.box.agenda.now)
        self.shown[name], self.expired[name] = [], []
        if from_start:
            self.joined[name] = 0
        self.subscribers[name] = self.box.seat(machine, lambda now, wishes: self.applied(now, name, wishes))

    def applied(self, now, name, wishes):
        """What an application was shown; it may answer."""
        if wishes.joined:
            self.joined[name] = now
        if name in self.left:
            return
        for one in wishes.show:
            self.shown[name].append(one.event.id)
            answers = name in self.publishers and len(self.causes) < 3 * self.trial.events
            if answers and self.draw.random() < self.trial.answers / len(self.interests):
                topics = self.interests[name]
                self.publish(now, name, topics[self.draw.integers(len(topics))])
        self.expired[name] += [one.event.id for one in wishes.given_up]

    def publish(self, now, name, topic):
        """An event; its causes are what its publisher was shown, and in program order what it published in this life."""
        seat = self.publishers[name]
        if not seat.up:
            return
        place = list(self.publishers).index(name)
        expires_ns = min(FOREVER, now + self.trial.lifetime_ns)
        incarnation = seat.endpoint.incarnation
        one = Event(event_id(place, self.numbers[name]), f"{name}-p", topic, now, {}, expires_ns, incarnation)
        self.numbers[name] += 1
        self.causes[one.id] = set(self.shown.get(name, ()))
        if self.trial.program_order:
            mine = {past.id for past in self.publications.values() if past.publisher == one.publisher}
            self.causes[one.id] |= {past for past in mine if self.publications[past].incarnation == incarnation}
        self.publications[one.id] = one
        seat.endpoint.publish(one, now)
        seat.finish(now)

    # ---- what goes wrong

    def break_things(self):
        """Stages crash, stand still, and are replaced while they stand still; a publisher dies."""
        agenda, draw = self.box.agenda, self.draw
        for name in list(self.stages):
            for _ in range(draw.integers(3)):
                at = int(draw.integers(agenda.now, DURATION_NS))
                lasting = int(draw.integers(3 * SECOND))
                kind = ["crash", "pause", "replace"][draw.integers(3)]
                self.counts[kind] += 1
                agenda.at(at, getattr(self, f"do_{kind}"), name, at + lasting)
        agenda.at(DURATION_NS // 2, self.do_death)

    def do_crash(self, now, name, until):
        """The process ends, and another begins later."""
        if self.stages[name].up:
            self.stages[name].crash()
            self.box.agenda.at(until, lambda *_: self.start_stage(name))

    def do_pause(self, now, name, until):
        """It stands still."""
        self.stages[name].pause(until)

    def do_replace(self, now, name, until):
        """Another process takes over while it stands still; then it comes back and does not know."""
        if self.stages[name].up:
            self.stages[name].pause(until)
            self.start_stage(name)

    def do_death(self, now, *_):
        """A publisher dies in the middle of something, and starts anew."""
        for topic in TOPICS:
            self.publish(now, "p0", topic)
        self.publishers["p0"].crash()
        for seat in self.stages.values():
            if hasattr(seat.endpoint, "publisher_died"):
                seat.endpoint.publisher_died("p0-p")
        place = list(self.publishers).index("p0")
        self.died |= {one for one in self.publications if split_event_id(one)[0] == place and one not in self.taken}
        self.start_publisher("p0", incarnation=1)

    def joins(self, now, name, _):
        """Somebody comes later."""
        self.start_subscriber(name, from_start=False)

    def leaves(self, now, name, _):
        """Somebody goes."""
        self.left[name] = now
        self.subscribers[name].endpoint.leave()
        self.subscribers[name].finish(now)

    # ---- the whole run

    def run(self):
        """From the beginning until nobody waits for anything."""
        late = ("c6", "c7") if self.trial.faults else ()
        for stage in self.deployment.plan.stages:
            self.start_stage(stage.name)
        for name in self.interests:
            if name not in late:
                self.start_subscriber(name, from_start=True)
        for name in [*list(self.interests)[:5], "p0", "p1"]:
            self.start_publisher(name)
        box = self.box
        box.everybody_listens()
        for _ in range(self.trial.events):
            names = list(self.publishers)
            name = names[self.draw.integers(len(names))]
            topic = TOPICS[self.draw.integers(len(TOPICS))]
            box.agenda.at(int(self.draw.integers(box.agenda.now, DURATION_NS)), self._publishes, name, topic)
        if self.trial.faults:
            self.break_things()
            for name in late:
                box.agenda.at(int(self.draw.integers(box.agenda.now, DURATION_NS)), self.joins, name)
            box.agenda.at(DURATION_NS // 3, self.leaves, "c5")
        try:
            box.agenda.run(DURATION_NS)
            box.lossy = False
            box.agenda.run_out()
        except (PeerError, AssertionError) as failure:
            return self.result(failure)
        return self.result()

    def _publishes(self, now, name, topic):
        self.publish(now, name, topic)

    def result(self, failure=None):
        """What is to be judged."""
        unique = {name: list(dict.fromkeys(order)) for name, order in self.shown.items()}
        held = sum(seat.endpoint.held for name, seat in self.subscribers.items() if name not in self.left)
        return Result(
            Outcome(unique, held, self.causes, Counter()),
            sum(len(self.owed(name) - set(order)) for name, order in self.shown.items()),
            sum(len(order) - len(set(order)) for order in self.shown.values()),
            sum(self.inverted(order) for order in self.shown.values()),
            sum(seat.endpoint.lost for seat in self.subscribers.values()),
            self.counts + Counter(terms=sum(log.term for log in self.logs.values()), refused=self.box.refused),
            self.trial.program_order,
            failure,
        )

    def owed(self, name):
        """What a subscriber must have been shown, sooner or later."""
        if name in self.left:
            return set()
        since = self.joined.get(name)
        if since is None:
            return {-1}  # it never got in
        topics = self.interests[name]
        return {
            one.id
            for one in self.publications.values()
            if one.topic in topics and one.published_ns >= since and one.id not in self.died
        } - set(self.expired[name])

    def inverted(self, order):
        """Events behind a later one of their publisher and topic."""
        last, found = {}, 0
        for one in order:
            place, number = split_event_id(one)
            key = place, self.publications[one].topic
            found += number < last.get(key, -1)
            last[key] = max(number, last.get(key, -1))
        return found


def tried(seed, trial=None, **changes):
    """Run one seed."""
    return Campaign(seed, replace(trial or Trial(), **changes)).run()
