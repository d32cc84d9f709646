"""What an application wants, and what has come of it: events one by one, or as many as are there."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Self

from tidings.client.client_driver import ClientDriver
from tidings.errors import InputError, TidingsError
from tidings.mqtt_client.notices import Delivery, Granted, Settled, Show, SubscriptionEnded
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER


class Subscription:
    """One subscription; made by `LiveClient.subscribe`.

    An event is acknowledged when the next one is asked for, or the loop is left: then the application is done with it.
    `by_hand`, it is acknowledged by `acknowledge`. What is not acknowledged comes again to whoever takes up the session.
    """

    def __init__(self, driver: ClientDriver, number: int, *, by_hand: bool, lasts: bool) -> None:
        self._driver, self._number = driver, number
        self._by_hand, self._lasts = by_hand, lasts
        self._shows: deque[Show] = deque()
        self._arrival: asyncio.Future[None] | None = None
        self._given: tuple[Delivery, int] | None = None
        """What was handed out last, and how much of it there was."""
        self._left: list[Event] = []
        """Of a batch whose loop was left before its end, last one first."""
        self._open: dict[int, tuple[Event, Delivery]] = {}
        """By hand: handed out, and not acknowledged."""
        self._failure: TidingsError | None = None
        self._is_over = False
        self.ended: Callable[[int], None] = lambda _number: None
        """Told when nothing is wanted any more."""
        self.granted: asyncio.Future[Granted] = asyncio.get_running_loop().create_future()

    # ---- for applications

    async def ready(self) -> Granted:
        """What the broker has granted; RequestRefused when it has refused. From then on nothing is missed."""
        return await asyncio.shield(self.granted)

    async def next_batch(self) -> list[Event]:
        """Every event that is there, at least one; the batch before is acknowledged. Empty: it is all over."""
        self._settle_given()
        while True:
            while self._shows:
                show = self._shows.popleft()
                events = self._alive(show)
                if events:
                    self._hand_out(events, show.delivery)
                    return events
            if self._failure is not None:
                raise self._failure
            if self._is_over:
                return []
            self._arrival = asyncio.get_running_loop().create_future()
            await self._arrival

    async def batches(self) -> AsyncIterator[list[Event]]:
        """Batches, for as long as there are any."""
        try:
            while batch := await self.next_batch():
                yield batch
        finally:
            self._leave()

    async def __aiter__(self) -> AsyncIterator[Event]:
        try:
            while True:
                while self._left:
                    yield self._left.pop()
                self._left = (await self.next_batch())[::-1]
                if not self._left:
                    return
        finally:
            self._leave()

    def acknowledge(self, event: Event) -> None:
        """Done with it; only for a subscription `by_hand`."""
        found = self._open.pop(id(event), None)
        if found is None:
            raise InputError("acknowledge: an event of this subscription, once, and only where it is done by hand")
        self._driver.tell(Settled(found[1], 1))

    async def end(self) -> None:
        """Want no more of it; what has come and was not handed out is given up."""
        self.close()

    async def __aenter__(self) -> Self:
        await self.ready()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._lasts:
            self.close()

    # ---- for the client

    def take(self, show: Show) -> None:
        """Events have come."""
        if self._is_over:
            self._driver.tell(Settled(show.delivery, len(show.events)))
            return
        self._shows.append(show)
        self._wake()

    def answer(self, granted: Granted) -> None:
        """The broker has answered, for the first time or again."""
        if granted.refusal is not None:
            self.fail(granted.refusal)
        elif not self.granted.done():
            self.granted.set_result(granted)

    def fail(self, problem: TidingsError) -> None:
        """Nothing more will come; what has come is still handed out."""
        self._failure = problem
        if not self.granted.done():
            self.granted.set_exception(problem)
            self.granted.exception()  # whoever does not ask is told by the loop over events
        self._wake()

    def close(self) -> None:
        """The same as `end`, without waiting."""
        if self._is_over:
            return
        self._is_over = True
        self._settle_given()
        for show in self._shows:
            self._driver.tell(Settled(show.delivery, len(show.events)))
        for _, delivery in self._open.values():
            self._driver.tell(Settled(delivery, 1))
        self._shows.clear()
        self._open.clear()
        self._left.clear()
        self._driver.tell(SubscriptionEnded(self._number))
        self.ended(self._number)
        if not self.granted.done():
            self.granted.cancel()
        self._wake()

    def stop(self) -> None:
        """The client ends; the broker keeps the subscription if it keeps the session."""
        self._is_over = True
        self._wake()

    # ---- inside

    def _leave(self) -> None:
        """A loop over the events is left."""
        if not self._lasts:
            self.close()

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def _alive(self, show: Show) -> list[Event]:
        """Nothing is shown after its lifetime."""
        events = show.events
        if all(event.expires_ns == FOREVER for event in events):
            return events
        now = time.monotonic_ns()
        alive = [event for event in events if event.expires_ns >= now]
        if len(alive) < len(events):
            self._driver.machine.counts.expired += len(events) - len(alive)
            self._driver.tell(Settled(show.delivery, len(events) - len(alive)))
        return alive

    def _hand_out(self, events: list[Event], delivery: Delivery) -> None:
        if self._by_hand:
            for event in events:
                self._open[id(event)] = event, delivery
        else:
            self._given = delivery, len(events)

    def _settle_given(self) -> None:
        if self._given is not None:
            given, self._given = self._given, None
            self._driver.tell(Settled(*given))
