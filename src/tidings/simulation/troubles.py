"""What goes wrong in a simulated world: outages of the scenario and episodes of a campaign, drawn before it begins.

Everything has ended when the world's duration is over.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tidings.scenario.world import World
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import Line, Trouble
from tidings.simulation.detection import Change, Life, lives_between, suspicions
from tidings.simulation.downtime import Downtime, Turn
from tidings.simulation.episodes import schedule
from tidings.simulation.faults import FaultCounters, Faults, LinkFaults
from tidings.simulation.host import Host
from tidings.simulation.journal import Journal
from tidings.simulation.oracle import Downs
from tidings.simulation.outages import Interval, broker_outages, link_outages, merge_intervals
from tidings.simulation.packets import PacketTrouble
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned
from tidings.vocabulary.streams import Streams

Ways: TypeAlias = tuple[tuple[str, str], ...]
"""Directed links."""


@dataclass(frozen=True, slots=True)
class Outage:
    """One row of the table `outages`."""

    component: str
    kind: str
    down_ns: int
    up_ns: int


@dataclass(frozen=True, slots=True)
class StagePlace:
    """Where a stage's process lives, and the names by which a scenario may have it crash."""

    broker: str
    names: tuple[str, ...]


class Troubles:
    """Breaks and repairs."""

    def __init__(
        self, world: World, streams: Streams, faults: Faults, stages: Mapping[str, StagePlace] | None = None
    ) -> None:
        """`stages`: by what their processes are called."""
        self._world, self._streams, self._faults = world, streams, faults
        self.stages = stages or {}
        links = [link.between for link in world.links]
        brokers = [broker.id for broker in world.brokers]
        self._ends_ns = round(world.duration_ns * faults.until)
        self._episodes = schedule(
            faults, brokers=brokers, links=links, duration_ns=self._ends_ns, generator=streams("faults episodes")
        )
        self._quiet = [(one.start_ns, one.end_ns) for one in self._episodes if one.kind == "quiet"]
        self._down = {broker.id: self._crashes(place) for place, broker in enumerate(world.brokers)}
        self._down |= {name: self._stage_crashes(place) for name, place in self.stages.items()}
        self._cuts = self._draw_cuts()
        self._packets: list[PacketTrouble] = []
        self._begun = FaultCounters()
        self._stops: dict[str, list[Interval]] = {}
        """By broker, when it was down because of its disk."""
        self._downtime: Downtime

    # ---- what happened, for the logs

    @property
    def outages(self) -> list[Outage]:
        """Everything that was down, cut or paused, by the time it went."""
        brokers = [broker.id for broker in self._world.brokers]
        found = [Outage(name, "broker", *one) for name in brokers for one in self._all_down(name)]
        found += [
            Outage(crash.component, "stage", crash.at_ns, min(crash.at_ns + crash.lasting_ns, self._world.duration_ns))
            for crash in self._world.crashes
            if crash.component not in self._down or crash.component in self.stages
        ]
        found += [Outage(name, kind, *one) for name, kind, _, intervals in self._cuts for one in intervals]
        pauses = [one for one in self._episodes if one.kind == "pause"]
        found += [Outage(one.components[0], "pause", one.start_ns, one.end_ns) for one in pauses]
        return sorted(found, key=lambda one: (one.down_ns, one.component, one.kind))

    def downs(self) -> Downs:
        """When brokers and directed links will be down, as planned."""
        by_way: dict[tuple[str, str], list[Interval]] = {}
        for _, _, ways, intervals in self._cuts:
            for way in ways:
                by_way.setdefault(way, []).extend(intervals)
        duration = self._world.duration_ns
        downs: dict[str | tuple[str, str], Sequence[Interval]] = {}
        downs.update(self._down)
        downs.update((way, merge_intervals(cuts, duration_ns=duration)) for way, cuts in by_way.items())
        return downs

    def lives(self, name: str) -> list[Life]:
        """Start and end of every process of a broker or stage; None: it lived to the end."""
        return lives_between(self._all_down(name))

    @property
    def counters(self) -> FaultCounters:
        """What the campaign really did so far, by kind and role."""
        counters = FaultCounters()
        counters.merge(self._begun)
        for packets in self._packets:
            counters.merge(packets.counters)
        return counters

    # ---- what the world asks

    def of_packets(self, sender: str, receiver: str) -> Trouble | None:
        """What happens to the packets of a direction; None when nothing does."""
        if self._faults.packets == LinkFaults():
            return None
        generator = self._streams(f"faults packets {sender}>{receiver}")
        trouble = PacketTrouble(self._faults.packets, quiet=self._quiet, ends_ns=self._ends_ns, generator=generator)
        self._packets.append(trouble)
        return trouble

    def begin(
        self,
        agenda: Agenda,
        hosts: Mapping[str, Host],
        channels: Mapping[tuple[str, str], Line],
        back: Callable[[str], None],
    ) -> None:
        """Enter all that will break; `back` hears of every broker that comes up again."""
        self._downtime = Downtime(agenda, hosts, back, self._stops, ends_ns=self._world.duration_ns)
        for name, intervals in self._down.items():
            _enter(agenda, iter(intervals), *self._downtime.turns(name))
        for _, _, ways, intervals in self._cuts:
            _enter(agenda, iter(intervals), *_cutting([channels[way] for way in ways]))
        for episode in self._episodes:
            agenda.at(episode.start_ns, self._count, episode.kind)
            if episode.kind == "pause":
                agenda.at(episode.start_ns, _pause, hosts[episode.components[0]], episode.end_ns)

    def watch(self, agenda: Agenda, hosts: Mapping[str, Host]) -> None:
        """Let every broker hear what its failure detector says of its neighbours."""
        for link in self._world.links:
            for speaker, listener in (link.between, link.between[::-1]):
                changes = iter(suspicions(self._beating(speaker), self._cut(speaker, listener), self.lives(listener)))
                _enter_changes(agenda, changes, speaker, hosts[listener])

    def endanger(self, agenda: Agenda, journals: Sequence[Journal]) -> None:
        """Let disks fail from now on, until trouble is over."""
        for journal in journals:
            journal.may_fail(may=True)
            agenda.at(self._ends_ns, _relieve, journal)

    def disk_failed(self, now: int, broker: str) -> None:
        """A broker has stopped itself; it starts again soon. No neighbour's failure detector is quick enough to notice."""
        self._downtime.disk_failed(now, broker)

    def _all_down(self, broker: str) -> list[Interval]:
        """As planned, and after failures of the disk."""
        found = [*self._down[broker], *self._stops.get(broker, ())]
        return merge_intervals(found, duration_ns=self._world.duration_ns)

    def _beating(self, broker: str) -> list[Life]:
        """When a broker is up and not paused."""
        pauses = [one for one in self._episodes if one.kind == "pause" and one.components == (broker,)]
        still = [*self._down[broker], *((one.start_ns, one.end_ns) for one in pauses)]
        return lives_between(merge_intervals(still, duration_ns=self._world.duration_ns))

    def _cut(self, speaker: str, listener: str) -> list[Interval]:
        found = [one for _, _, ways, intervals in self._cuts if (speaker, listener) in ways for one in intervals]
        return merge_intervals(found, duration_ns=self._world.duration_ns)

    # ---- drawing

    def _crashes(self, place: int) -> Sequence[Interval]:
        broker, duration = self._world.brokers[place], self._world.duration_ns
        found = broker_outages(broker, crashes=self._world.crashes, duration_ns=duration, streams=self._streams)
        crashes = [one for one in self._episodes if one.kind == "crash" and one.components == (broker.id,)]
        found += [(one.start_ns, one.end_ns) for one in crashes]
        return merge_intervals(found, duration_ns=duration)

    def _stage_crashes(self, place: StagePlace) -> Sequence[Interval]:
        """With its broker, and alone."""
        found = list(self._down[place.broker])
        found += [
            (one.at_ns, one.at_ns + one.lasting_ns) for one in self._world.crashes if one.component in place.names
        ]
        return merge_intervals(found, duration_ns=self._world.duration_ns)

    def _draw_cuts(self) -> list[tuple[str, str, Ways, Sequence[Interval]]]:
        """Name, kind, directed links, intervals: of links by the scenario, then of the campaign."""
        cuts: list[tuple[str, str, Ways, Sequence[Interval]]] = []
        for link in self._world.links:
            one, other = link.between
            intervals = link_outages(
                link, episodes=self._world.episodes, duration_ns=self._world.duration_ns, streams=self._streams
            )
            cuts.append((f"{one}-{other}", "link", ((one, other), (other, one)), intervals))
        for episode in self._episodes:
            if episode.cut:
                name = "-".join(episode.components)
                cuts.append((name, episode.kind, episode.cut, [(episode.start_ns, episode.end_ns)]))
        return cuts

    def _count(self, _now: int, kind: str, _: None) -> None:
        if kind != "quiet":
            self._begun.add(kind, "link" if kind == "flap" else "broker")


def _enter(agenda: Agenda, intervals: Iterator[Interval], fall: Turn, rise: Turn) -> None:
    """Enter one interval at a time, so that a year of outages costs no memory in the agenda."""

    def falls(now: int, up: int, _: None) -> None:
        fall(now)
        agenda.at(up, rises)

    def rises(now: int, _: None, __: None) -> None:
        rise(now)
        enter_next()

    def enter_next() -> None:
        interval = next(intervals, None)
        if interval is not None:
            agenda.at(interval[0], falls, interval[1])

    enter_next()


def _enter_changes(agenda: Agenda, changes: Iterator[Change], speaker: str, listener: Host) -> None:
    """Enter what a listener thinks of a neighbour, one change at a time."""

    def enter_next() -> None:
        change = next(changes, None)
        if change is not None:
            agenda.at(change[0], hears, change[1])

    def hears(now: int, is_lost: bool, _: None) -> None:  # noqa: FBT001 - an argument of the agenda's
        listener.tell(now, NeighbourLost(speaker) if is_lost else NeighbourReturned(speaker))
        enter_next()

    enter_next()


def _relieve(_now: int, journal: Journal, _: None) -> None:
    journal.may_fail(may=False)


def _cutting(channels: Sequence[Line]) -> tuple[Turn, Turn]:
    """How directed links fall and rise together; each may be held down by several outages at once."""

    def shift(by: int) -> None:
        for channel in channels:
            channel.down += by

    return lambda _now: shift(1), lambda _now: shift(-1)


def _pause(now: int, host: Host, until: int) -> None:
    host.pause(now, until)
