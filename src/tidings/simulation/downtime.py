"""Which brokers are down, and why: one starts again when the last reason is over.

Falls and rises are planned beforehand; a process whose disk has failed stops itself, and somebody starts it again.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tidings.simulation.agenda import Agenda
from tidings.simulation.host import Host
from tidings.simulation.outages import Interval
from tidings.vocabulary.instant import SECOND

Turn: TypeAlias = Callable[[int], None]
"""A component falls or rises at this instant."""

RESTART_NS: Final = SECOND
"""From a failure of the disk to the next start."""


class Downtime:
    """All brokers of a world.

    `back` hears of each that comes up again, `stops` is told when they were down because of their disks; at `ends_ns`
    nothing is down any more.
    """

    def __init__(
        self,
        agenda: Agenda,
        hosts: Mapping[str, Host],
        back: Callable[[str], None],
        stops: dict[str, list[Interval]],
        *,
        ends_ns: int,
    ) -> None:
        self._agenda, self._hosts, self._back, self._stops, self._ends_ns = agenda, hosts, back, stops, ends_ns
        self._reasons = dict.fromkeys(hosts, 0)

    def turns(self, broker: str) -> tuple[Turn, Turn]:
        """How it falls and rises as planned."""

        def fall(now: int) -> None:
            self._reasons[broker] += 1
            if self._hosts[broker].up:
                self._hosts[broker].crash(now)

        return fall, lambda now: self._rise(now, broker)

    def disk_failed(self, now: int, broker: str) -> None:
        """Its process has just stopped itself."""
        until = max(now, min(now + RESTART_NS, self._ends_ns))
        self._reasons[broker] += 1
        self._stops.setdefault(broker, []).append((now, until))
        self._agenda.at(until, self._rise, broker)

    def _rise(self, now: int, broker: str, _: None = None) -> None:
        self._reasons[broker] -= 1
        host = self._hosts[broker]
        if not self._reasons[broker]:
            host.start(now)
            if host.up:  # its disk may have failed again
                self._back(broker)
