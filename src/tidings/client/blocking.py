"""The client for programs without an event loop: the same client, in a loop on a thread of its own."""

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any, Self, TypeVar

from tidings.client.live_client import LiveClient
from tidings.client.places import Place
from tidings.client.settings import Settings
from tidings.client.subscription import Subscription
from tidings.mqtt_client.counts import Counts
from tidings.mqtt_client.notices import Granted
from tidings.mqtt_client.publication import Publication
from tidings.vocabulary.event import Event

Result = TypeVar("Result")


class _LoopThread:
    """An event loop that runs beside the program."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tidings client", daemon=True)
        self._thread.start()

    def run(self, wanted: Coroutine[Any, Any, Result]) -> Result:
        """What a coroutine gives; interrupted, the coroutine is cancelled."""
        future = asyncio.run_coroutine_threadsafe(wanted, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def end(self) -> None:
        """Nothing runs any more."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class BlockingSubscription:
    """One subscription; see `Subscription`, whose methods these are."""

    def __init__(self, one: Subscription, thread: _LoopThread) -> None:
        self._one, self._thread = one, thread

    def ready(self) -> Granted:
        """What the broker has granted."""
        return self._thread.run(self._one.ready())

    def next_batch(self) -> list[Event]:
        """Every event that is there, at least one; empty: it is all over."""
        return self._thread.run(self._one.next_batch())

    def __iter__(self) -> Iterator[Event]:
        while batch := self.next_batch():
            yield from batch

    def acknowledge(self, event: Event) -> None:
        """Done with it; only for a subscription by hand."""

        async def acknowledge() -> None:
            self._one.acknowledge(event)

        self._thread.run(acknowledge())

    def end(self) -> None:
        """Want no more of it."""
        self._thread.run(self._one.end())


class BlockingClient:
    """Made by `with tidings.connect(...)`; see `LiveClient`, whose methods these are. Threads may share it."""

    def __init__(self, places: tuple[Place, ...], settings: Settings) -> None:
        self._places, self._settings = places, settings
        self._thread: _LoopThread
        self._client: LiveClient

    def open(self) -> Self:
        """Connect."""
        self._thread = _LoopThread()
        try:
            self._client = self._thread.run(self._make())
            self._thread.run(self._client.open())
        except BaseException:
            self._thread.end()
            raise
        return self

    def publish(self, topic: str, payload: bytes | str = b"", **more: Any) -> None:
        """Publish one event; what the return means stands at `LiveClient.publish`."""
        self._thread.run(self._client.publish(topic, payload, **more))

    def publish_many(self, publications: Iterable[Publication]) -> int:
        """Publish these in their order, and return their number when all are taken."""
        return self._thread.run(self._client.publish_many(publications))

    def subscribe(self, topic: str, **more: Any) -> BlockingSubscription:
        """Want the events of a topic; the answer of the broker is awaited."""

        async def subscribe() -> Subscription:
            one = self._client.subscribe(topic, **more)
            await one.ready()
            return one

        return BlockingSubscription(self._thread.run(subscribe()), self._thread)

    @property
    def counts(self) -> Counts:
        """What has happened so far."""
        return self._client.counts

    @property
    def broker(self) -> str:
        """Where we are connected, or were last."""
        return self._client.broker

    def drain(self) -> None:
        """Return when everything that was published so far is acknowledged."""
        self._thread.run(self._client.drain())

    def close(self, *, drained: bool = True) -> None:
        """End."""
        try:
            self._thread.run(self._client.close(drained=drained))
        finally:
            self._thread.end()

    async def _make(self) -> LiveClient:
        return LiveClient(self._places, self._settings)
