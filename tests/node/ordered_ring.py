"""Ordered clients and a stage around one broker that does nothing but match names, in the test's hands."""

from collections import deque

from sequencing.board import PAIR, deployment
from tidings.node import Client, ClientOptions, OrderedClient, OrderedOptions, StageNode, StageOptions
from tidings.vocabulary.frames import Accepted, Deliver, Publish, Subscribe, Unsubscribe
from tidings.vocabulary.machine import FramesArrived, ShowEvent, Started


class Ring:
    """Everybody at broker b; `lose` says which carriers never arrive."""

    def __init__(self, plan=None, **more):
        self.plan = plan or deployment()
        self.now = 0
        self.wishes, self.machines = {}, {}
        self.shown, self.reported, self.log = {}, {}, []
        self.waiting = deque()
        self.lose = lambda to, carrier: False
        self.incarnation = 0
        self.start_stage()
        for place, name in enumerate(("p", *PAIR)):
            self.join(name, place, publishes=name == "p", **more)

    def start_stage(self):
        """With what its log holds."""
        name = self.plan.plan.stages[0].name
        self.machines["stage"] = StageNode(
            StageOptions(name="stage", stage=name, broker="b", index=99, deployment=self.plan)
        )
        self.tell("stage", Started(self.incarnation, tuple(self.log)))
        self.incarnation += 1

    def join(self, name, place, **more):
        """A client."""
        options = OrderedOptions(name=name, index=10 + place, deployment=self.plan, **more)
        self.machines[name] = OrderedClient(options, Client(ClientOptions(name=name, broker="b")))
        self.shown[name], self.reported[name] = [], []
        self.take(name)

    def tell(self, name, notice):
        """One machine is told something, and all come to rest."""
        self.machines[name].receive(notice, self.now)
        self.take(name)
        while self.waiting:
            to, frame = self.waiting.popleft()
            if to in self.machines:
                self.machines[to].receive(FramesArrived("b", (frame,)), self.now)
                self.take(to)

    def ring(self, name):
        """Its timer rings."""
        self.now = max(self.now, self.machines[name].deadline())
        self.machines[name].expire(self.now)
        self.take(name)
        self.tell(name, FramesArrived("b", ()))

    def take(self, name):
        """Apply what a machine wants."""
        effects = self.machines[name].drain()
        self.log += [one.record for one in effects.store]
        for send in effects.send:
            self.said(name, send.frame)
        if effects.show:
            self.shown[name] += effects.show
        if effects.report:
            self.reported.setdefault(name, []).extend(effects.report)

    def said(self, name, frame):
        """What the broker does: remember wishes, and hand on what is published."""
        if isinstance(frame, Subscribe):
            self.wishes[name, frame.number] = frame.filter
        elif isinstance(frame, Unsubscribe):
            del self.wishes[name, frame.number]
        elif isinstance(frame, Publish):
            self.waiting.append((name, Accepted(frame.event.id)))
            for (to, _), text in list(self.wishes.items()):
                if text == f'topic == "{frame.event.topic}"' and not self.lose(to, frame.event):
                    self.waiting.append((to, Deliver(frame.event)))

    def events(self, name):
        """What an application was shown: topic and instant of publication."""
        return [(one.event.topic, one.event.published_ns) for one in self.shown[name] if isinstance(one, ShowEvent)]
