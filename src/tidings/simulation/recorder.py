"""What happened, on its way into the log tables.

Rows of the hot tables are gathered as flat lists of integers and become columns a batch at a time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.simulation.tables import Tables
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Forward, Frame, Interests, Packet, PacketTaken, Reached, Received, event_of
from tidings.vocabulary.machine import ShowEvent
from tidings.vocabulary.records import NULL_NAME, NULL_NS

ROWS_PER_BATCH: Final = 16_384

Identity: TypeAlias = Callable[[Event], int | None]
"""Which event of the scenario something on its way is about; None: about none."""

Behind: TypeAlias = Callable[[Sequence[tuple[Event, str]]], Sequence[NDArray[np.int64]]]
"""For events given up at brokers: the codes of the subscribers who therefore did not get them."""


def own_identity(event: Event) -> int:
    """Everything on its way is an event of the scenario."""
    return event.id


class Recorder:
    """Writes one run's tables; `close` must be called before the folder is finished."""

    def __init__(self, folder: Tables, behind: Behind, identity: Identity | None = None) -> None:
        self._folder = folder
        self._identity = identity or own_identity
        self.behind = behind
        self.code = folder.code
        self._transmissions: list[int] = []
        self._transmitting = folder.keeps("transmissions")
        self._shown: list[tuple[int, int, int, bool, int, NDArray[np.int64]]] = []
        self._shown_rows = 0
        self._positions = np.zeros(0, np.int64)
        self._drops: list[tuple[tuple[Event, str] | int, int, int, int, int]] = []
        """Event (its identity; with a broker, where those behind it are to be looked up), component, subscriber, …"""
        self.deliveries = 0

    # ---- hot tables

    def note_for(self, sender: str, receiver: str) -> Callable[[int, Frame, str], None]:
        """What a channel tells of every copy that it takes."""
        ends = (self.code(sender), self.code(receiver))
        link = self.code(f"{sender}>{receiver}")
        outcomes = {outcome: self.code(outcome) for outcome in ("arrived", "lost", "down")}
        kinds = {Forward: self.code("event"), Received: self.code("ack"), Interests: self.code("subscription")}
        kinds[PacketTaken] = kinds[Reached] = kinds[Received]
        control = self.code("control")

        def note(now: int, frame: Frame, outcome: str) -> None:
            carried = frame.event if type(frame) is Forward else event_of(frame)
            about = None if carried is None else self._identity(carried)
            event = NULL_NS if about is None else about
            if self._transmitting:
                carrying = control if about is None else kinds[Forward]
                kind = kinds.get(type(frame), control) if carried is None else carrying
                attempt = frame.attempt if type(frame) is Packet else 0
                self._transmissions += (event, *ends, attempt, kind, now, outcomes[outcome])
                if len(self._transmissions) >= 7 * ROWS_PER_BATCH:
                    self._flush_transmissions()
            if outcome != "arrived" and event != NULL_NS:
                self._drop(event, link, NULL_NAME, now, outcomes[outcome])

        return note

    @property
    def transmitting(self) -> bool:
        """False when nobody wants to know about transmissions."""
        return self._transmitting

    def transmitted(self, columns: Mapping[str, NDArray[np.int64]]) -> None:
        """Many copies at once, as columns of the table."""
        self._flush_transmissions()
        self._folder.write("transmissions", columns)

    def shown(self, show: ShowEvent, now: int, subscribers: NDArray[np.int64]) -> None:
        """Applications of `subscribers` (codes) were shown an event."""
        arrived = now if show.arrived_ns is None else show.arrived_ns
        self._shown.append((show.event.id, arrived, now, show.out_of_order, show.version, subscribers))
        self._shown_rows += len(subscribers)
        if self._shown_rows >= ROWS_PER_BATCH:
            self._flush_shown()

    def shown_many(
        self, events: NDArray[np.int64], instants: NDArray[np.int64], subscribers: NDArray[np.int64]
    ) -> None:
        """Many deliveries at once: identities, when they arrived and were shown, codes."""
        self._flush_shown()
        zeros = np.zeros(len(events), np.int64)
        self._write_shown(np.stack([events, instants, instants, zeros, zeros]), subscribers)

    def dropped(self, event: Event, component: str, now: int, reason: str) -> None:
        """`component` gave the event up for everyone behind it."""
        about = self._identity(event)
        if about is not None:
            self._drop(about, self.code(component), NULL_NAME, now, self.code(reason))

    def dropped_for(self, event: Event, component: str, now: int, reason: str, subscribers: Iterable[int]) -> None:
        """`component` gave the event up for these subscribers (codes)."""
        about = self._identity(event)
        if about is None:
            return
        where, why = self.code(component), self.code(reason)
        for subscriber in subscribers:
            self._drop(about, where, subscriber, now, why)

    def dropped_behind(self, event: Event, broker: str, now: int, reason: str, behind: str) -> None:
        """`broker` gave the event up for everyone behind `behind`; they are looked up later."""
        if self._identity(event) == event.id:
            self._drop((event, behind), self.code(broker), NULL_NAME, now, self.code(reason))
        else:
            self.dropped(event, broker, now, reason)  # a carrier: it is sent again, and who lacks it asks

    def dropped_many(self, columns: Mapping[str, NDArray[np.int64]]) -> None:
        """Many rows of the table at once."""
        self._flush_drops()
        self._folder.write("drops", columns)

    # ---- tables of few rows

    def rows(self, table: str, rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> None:
        """Whole rows in the order of time; names as text, None for null."""
        if rows:
            self._folder.write(table, dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))

    def close(self) -> None:
        """Write what is still gathered."""
        self._flush_transmissions()
        self._flush_shown()
        self._flush_drops()

    # ---- inside

    def _flush_transmissions(self) -> None:
        columns = _columns(self._transmissions, 7)
        self._transmissions = []
        names = ("event", "sender", "receiver", "attempt", "kind", "sent_ns", "outcome")
        self._folder.write("transmissions", dict(zip(names, columns, strict=True)))

    def _drop(self, event: tuple[Event, str] | int, component: int, subscriber: int, now: int, reason: int) -> None:
        self._drops.append((event, component, subscriber, now, reason))
        if len(self._drops) >= ROWS_PER_BATCH:
            self._flush_drops()

    def _flush_drops(self) -> None:
        lookups = [row[0] for row in self._drops if isinstance(row[0], tuple)]
        found = iter(self.behind(lookups) if lookups else ())
        rows: list[tuple[int, int, int, int, int]] = []
        for event, component, subscriber, now, reason in self._drops:
            if isinstance(event, tuple):
                rows += [(event[0].id, component, one, now, reason) for one in next(found).tolist()]
            else:
                rows.append((event, component, subscriber, now, reason))
        self._drops = []
        columns = np.array(rows, np.int64).reshape(-1, 5).T
        names = ("event", "component", "subscriber", "dropped_ns", "reason")
        self._folder.write("drops", dict(zip(names, columns, strict=True)))

    def _flush_shown(self) -> None:
        counts = [len(subscribers) for *_, subscribers in self._shown]
        subscribers = np.concatenate([np.empty(0, np.int64), *(one for *_, one in self._shown)])
        numbers = np.array([row[:5] for row in self._shown], np.int64).reshape(-1, 5)
        self._shown, self._shown_rows = [], 0
        self._write_shown(np.repeat(numbers, counts, axis=0).T, subscribers)

    def _write_shown(self, columns: NDArray[np.int64], subscribers: NDArray[np.int64]) -> None:
        events, arrived, delivered, out_of_order, version = columns
        self.deliveries += len(subscribers)
        self._folder.write(
            "deliveries",
            {
                "event": events,
                "subscriber": subscribers,
                "incarnation": np.zeros(len(events), np.int64),
                "position": self._next_positions(subscribers),
                "arrived_ns": arrived,
                "delivered_ns": delivered,
                "out_of_order": out_of_order.astype(np.bool_),
                "version": version,
            },
        )

    def _next_positions(self, subscribers: NDArray[np.int64]) -> NDArray[np.int64]:
        """0, 1, 2 … for each subscriber, going on from the last batch."""
        if len(subscribers) == 0:
            return subscribers
        highest = int(subscribers.max())
        if highest >= len(self._positions):
            self._positions = np.concatenate([self._positions, np.zeros(highest + 1 - len(self._positions), np.int64)])
        # Numbers of 16 bits are sorted by counting, which takes a tenth of the time.
        order = np.argsort(subscribers.astype(np.uint16) if highest < 1 << 16 else subscribers, kind="stable")
        grouped = subscribers[order]
        firsts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
        sizes = np.diff(np.r_[firsts, len(grouped)])
        positions = np.empty(len(subscribers), np.int64)
        positions[order] = np.arange(len(grouped)) - np.repeat(firsts, sizes) + self._positions[grouped]
        self._positions[grouped[firsts]] += sizes
        return positions


def _columns(flat: list[int], width: int) -> NDArray[np.int64]:
    return np.array(flat, np.int64).reshape(-1, width).T
