"""One world in virtual time: brokers, links, clients and what goes wrong, put together.

The world decides nothing that a protocol decides. It carries frames, lets time pass, breaks and repairs what the
scenario and the campaign say, and writes down what happened.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from tidings.node import Broker
from tidings.scenario.world import Broker as BrokerEntry
from tidings.scenario.world import LinkLaw, World
from tidings.simulation.agenda import Agenda
from tidings.simulation.audience import Audience
from tidings.simulation.brokers import broker_maker, bypasses, client_renewal_ns, is_addressed, keeps
from tidings.simulation.channel import Arrive, Channel, Ends, Line
from tidings.simulation.clients import Clients, ClientsParts
from tidings.simulation.closing import write_few
from tidings.simulation.disk import DiskFaults
from tidings.simulation.faults import FaultCounters, Faults
from tidings.simulation.flow_choice import can_flow, can_repeat, pays_to_flow
from tidings.simulation.host import BrokerMachine, Host, HostOptions
from tidings.simulation.journal import DiskJournal, Journal, ListJournal
from tidings.simulation.order_plan import OrderPlan, order_of
from tidings.simulation.prompt_answers import PromptAnswers
from tidings.simulation.recorder import Recorder
from tidings.simulation.settling import settle
from tidings.simulation.stages import Stages, StagesParts
from tidings.simulation.tables import Tables
from tidings.simulation.troubles import Troubles
from tidings.simulation.workload import Workload
from tidings.vocabulary.distribution import Draws
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Frame
from tidings.vocabulary.streams import Streams

if TYPE_CHECKING:
    from tidings.simulation.flow import Flow


class SimulatedWorld:
    """A world that can be run once. `compiled` chooses the path of events; None takes the quicker one."""

    Members: ClassVar[type[Clients]] = Clients
    """What stands for the clients; tests look into theirs."""

    def __init__(
        self, world: World, folder: Tables, *, faults: Faults | None = None, compiled: bool | None = None
    ) -> None:
        self.world = world
        self.streams = Streams(world.seed)
        self.agenda = Agenda()
        self.order = order_of(world)
        places = {} if self.order is None else self.order.places
        names = [*(one.id for one in world.publishers), *(one.id for one in world.subscribers), *places]
        codes = {name: folder.code(name) for name in names}
        behind, identity = Audience(world, codes).behind, None if self.order is None else self.order.identity
        self.recorder = Recorder(folder, behind, identity)
        self.workload = Workload(world, self.streams, folder)
        self.troubles = Troubles(world, self.streams, faults or Faults(), places)
        self.hosts: dict[str, Host] = {}
        self.channels: dict[tuple[str, str], Line] = {}
        kept = [*(broker.id for broker in world.brokers if keeps(world)), *places]
        self.journals = self._new_journals(kept, faults or Faults())
        self.stages = None if self.order is None else self._new_stages(self.order)
        self.clients = self.Members(
            ClientsParts(
                world=world,
                agenda=self.agenda,
                streams=self.streams,
                recorder=self.recorder,
                workload=self.workload,
                codes=codes,
                hosts=self.hosts,
                channels=self.channels,
                renew_ns=client_renewal_ns(world),
                keeps=keeps(world),
                may_repeat=can_repeat(world, faults),
                deployment=None if self.order is None else self.order.deployment,
                stages={} if self.stages is None else self.stages.hosts,
            )
        )
        wanted = pays_to_flow(world) if compiled is None else compiled
        self._flow = self._new_flow() if wanted and can_flow(world, faults) else None
        self._link_brokers()
        make = self._maker()
        self.hosts.update((broker.id, self._host(broker, make)) for broker in world.brokers)

    def run(self, progress: Callable[[int, int], None] | None = None) -> None:
        """From time 0 until nothing is in flight any more; `progress` hears the instant and the duration."""
        self._begin()
        self._stretches = self.workload.stretches()
        if self._flow is None:
            self._publish_stretch(progress)
        else:
            self._flow.begin(self._stretches, progress)
        course = self._flow or self.agenda
        course.run(self.world.duration_ns)
        course.run_out()
        self.workload.close()
        self.clients.leftovers(self.agenda.now)
        if self.stages is not None:
            self.stages.close()
        self.recorder.close()
        write_few(self.recorder, self.world, self.clients.interests, self.troubles)

    @property
    def counters(self) -> FaultCounters:
        """What the campaign really did so far, by kind and role."""
        counters = self.troubles.counters
        for name, journal in self.journals.items():
            counters.add_all(journal.counts, "broker" if name in self.hosts else "stage")
        return counters

    # ---- building

    def _maker(self) -> Callable[[str], BrokerMachine]:
        return broker_maker(self.world, self.workload.ahead, self.troubles.downs)

    def _new_flow(self) -> "Flow":
        from tidings.simulation.flow import Flow, FlowParts

        return Flow(
            FlowParts(
                world=self.world,
                agenda=self.agenda,
                streams=self.streams,
                recorder=self.recorder,
                workload=self.workload,
                hosts=self.hosts,
                broker=self._tree_broker,
                codes=self.clients.codes_at,
                subscriptions=lambda: self.clients.subscriptions,
            )
        )

    def _tree_broker(self, name: str) -> Broker:
        machine = self.hosts[name].machine
        assert isinstance(machine, Broker), "can_flow asks for the scheme"
        return machine

    def _link_brokers(self) -> None:
        for link in self.world.links:
            for sender, receiver in (link.between, link.between[::-1]):
                ends = Ends(
                    sender=sender,
                    receiver=receiver,
                    arrive=self._arriver(receiver),
                    note=self.recorder.note_for(sender, receiver),
                    trouble=self.troubles.of_packets(sender, receiver),
                )
                self.channels[sender, receiver] = self._line(link.law, ends)

    def _line(self, law: LinkLaw, ends: Ends) -> Line:
        if self._flow is not None:
            return self._flow.channel(ends)
        channel = Channel(law, ends, self.agenda, self.streams)
        prompt = is_addressed(self.world) and self.world.routing.ack == "one-way"
        return PromptAnswers(channel, ends, self.agenda) if prompt else channel

    def _arriver(self, receiver: str) -> Arrive:
        def arrive(now: int, sender: str, frame: Frame) -> None:
            self.hosts[receiver].arrive(now, sender, frame)

        return arrive

    def _host(self, broker: BrokerEntry, make: Callable[[str], BrokerMachine]) -> Host:
        return Host(
            HostOptions(
                name=broker.id,
                new_machine=lambda: make(broker.id),
                channels={there: channel for (here, there), channel in self.channels.items() if here == broker.id},
                service_ns=self._service(broker),
                drop_expired=self.world.reliability.expired == "drop",
                in_turn=self.world.map is not None,
                journal=self.journals.get(broker.id),
                touched=_nothing if self._flow is None else self._flow.touch,
                disk_failed=self.troubles.disk_failed,
            ),
            self.agenda,
            self.clients,
        )

    def _new_stages(self, order: OrderPlan) -> Stages:
        return Stages(
            StagesParts(
                world=self.world,
                order=order,
                agenda=self.agenda,
                recorder=self.recorder,
                brokers=self.hosts,
                journals=self.journals,
                renew_ns=client_renewal_ns(self.world),
                disk_failed=self.troubles.disk_failed,
            )
        )

    def _new_journals(self, names: Sequence[str], faults: Faults) -> Mapping[str, Journal]:
        """Where those write things down who do."""
        if faults.disk == DiskFaults():
            return {name: ListJournal() for name in names}
        return {name: DiskJournal(name, faults.disk, self.streams(f"faults disk {name}")) for name in names}

    def _service(self, broker: BrokerEntry) -> Callable[[], int] | None:
        if broker.service is None:
            return None
        draws = Draws(broker.service.law, self.streams(f"service {broker.id}"))
        if broker.service.per_subscription:
            return lambda: round(draws.next() * self.clients.subscriptions)
        return draws.next_ns

    # ---- beginning, and what is published

    def _begin(self) -> None:
        wishes = self.clients.begin()
        if self.stages is not None:
            wishes += self.stages.begin()
        settle(
            {name: host.machine for name, host in self.hosts.items()},
            wishes,
            lambda name, effects: self.hosts[name].keep(effects),
        )
        for host in self.hosts.values():
            host.arm()
        stages = {} if self.stages is None else self.stages.hosts
        self.troubles.begin(self.agenda, {**self.hosts, **stages}, self.channels, self.clients.renew_at)
        if keeps(self.world) or bypasses(self.world) or is_addressed(self.world):
            self.troubles.watch(self.agenda, self.hosts)
        self.troubles.endanger(self.agenda, list(self.journals.values()))
        self.clients.enter()

    def _publish_stretch(self, progress: Callable[[int, int], None] | None) -> None:
        stretch = next(self._stretches, None)
        self.workload.write_decided()
        if progress is not None:
            progress(self.agenda.now, self.world.duration_ns)
        if stretch is not None:
            self.agenda.at(stretch.events[0].published_ns, self._publish, (stretch.events, progress), 0)

    def _publish(self, now: int, work: tuple[list[Event], Callable[[int, int], None] | None], place: int) -> None:
        events, progress = work
        self.clients.publish(now, events[place])
        place += 1
        if place < len(events):
            self.agenda.at(events[place].published_ns, self._publish, work, place)
        else:
            self._publish_stretch(progress)


def _nothing(_broker: str) -> None:
    """Nobody wants to know."""
