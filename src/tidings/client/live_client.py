"""The client as programs with an event loop meet it."""

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, Self

from tidings.client.client_driver import ClientDriver
from tidings.client.places import Place
from tidings.client.settings import Settings
from tidings.client.subscription import Subscription
from tidings.errors import InputError, NoConnection, TidingsError
from tidings.mqtt_client.counts import Counts
from tidings.mqtt_client.notices import Answer, Granted, PublicationsRequested, Settled, Show, SubscriptionRequested
from tidings.mqtt_client.options import SUBSCRIPTIONS_MAX
from tidings.mqtt_client.publication import QOS_MAX, Publication, check_publication
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.instant import FOREVER, parse_duration
from tidings.vocabulary.topic import check_pattern
from tidings.vocabulary.value import Value

NOBODY: Final = 0
"""The ticket of publications for whose end nobody waits."""
_BREATH: Final = 256
"""Publications after which others in the loop have their turn."""
_ROW: Final = 1_024
"""Publications that are handed to the machine together."""


class _Waiting:
    """Whoever waits for some publications."""

    __slots__ = ("left", "refusal", "refused", "result")

    def __init__(self, count: int) -> None:
        self.left, self.refused = count, 0
        self.refusal: TidingsError | None = None
        self.result: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def take(self, answer: Answer) -> None:
        """So many are over."""
        self.left -= answer.count
        if answer.refusal is not None:
            self.refused += answer.count
            self.refusal = self.refusal or answer.refusal
        if not self.left and not self.result.done():
            self.result.set_result(None) if self.refusal is None else self.result.set_exception(self.refusal)


class LiveClient:
    """Connected, as far as the world allows; made by `async with tidings.connect(...)`."""

    def __init__(self, places: tuple[Place, ...], settings: Settings) -> None:
        self._settings = settings
        self._driver = ClientDriver(places, settings)
        self._driver.answered, self._driver.granted = self._answered, self._granted
        self._driver.shown, self._driver.failed = self._shown, self._failed
        self._waiting: dict[int, _Waiting] = {}
        self._subscriptions: dict[int, Subscription] = {}
        self._tickets = self._numbers = self._published = 0

    # ---- publishing

    async def publish(
        self,
        topic: str,
        payload: bytes | str = b"",
        *,
        attributes: Mapping[str, Value] | None = None,
        lifetime: str | None = None,
        qos: int = 1,
        retain: bool = False,
    ) -> None:
        """Publish one event. What the return means depends on `qos`.

        0: it goes out when there is a connection; nobody knows whether it arrives. 1 and 2: the broker has taken it and
        answers for it; Tidings' own broker with a data folder has it on disk. RequestRefused: the broker, or the end of the
        lifetime, has refused it. NoConnection: the client ended first; whether the broker has it is not known.
        """
        one = Publication(topic, _payload(payload), attributes or {}, _lifetime_ns(lifetime), qos, retain)
        check_publication(one)
        if not self._driver.has_room.is_set():
            await self._driver.has_room.wait()
        self._check_alive()
        if not qos:
            self._driver.tell(PublicationsRequested((one,), NOBODY))
            self._published += 1
            if self._published % _BREATH == 0:
                await asyncio.sleep(0)
            return
        waiting, ticket = self._new_ticket(1)
        self._driver.tell(PublicationsRequested((one,), ticket))
        await waiting.result

    async def publish_many(self, publications: Iterable[Publication]) -> int:
        """Publish these in their order, and return their number when the broker has taken every one that is not of `qos` 0.

        The quickest way. RequestRefused, the first, when some were refused; the others are published all the same.
        """
        count, waits = 0, list[_Waiting]()
        for row in _rows(publications):
            await self._driver.has_room.wait()
            self._check_alive()
            waiting, ticket = self._new_ticket(len(row))
            waits.append(waiting)
            self._driver.tell(PublicationsRequested(row, ticket))
            count += len(row)
            await asyncio.sleep(0)
            while waits and waits[0].result.done() and waits[0].refusal is None:
                waits.pop(0)
        results = await asyncio.gather(*(one.result for one in waits), return_exceptions=True)
        for result in results:
            if result is not None:
                raise result
        return count

    # ---- subscribing

    def subscribe(
        self, topic: str, *, where: str = "", qos: int = 1, retained: bool = True, by_hand: bool = False
    ) -> Subscription:
        """Want the events of a topic, or of all that `+` and `#` stand for, and of them those for which `where` holds.

        `async for event in client.subscribe("quotes/+", where="price > 10")`; what was retained comes first, unless not wanted.
        """
        _check_subscription(topic, where, qos)
        self._check_alive()
        if len(self._subscriptions) >= SUBSCRIPTIONS_MAX:
            raise InputError(f"subscribe: at most {SUBSCRIPTIONS_MAX} subscriptions of one client")
        number, self._numbers = self._numbers, self._numbers + 1
        one = Subscription(self._driver, number, by_hand=by_hand, lasts=self._settings.lasts)
        self._subscriptions[number] = one
        one.ended = self._forget
        self._driver.tell(SubscriptionRequested(number, topic, where, qos, retained))
        return one

    # ---- life

    @property
    def counts(self) -> Counts:
        """What has happened so far."""
        return self._driver.machine.counts

    @property
    def broker(self) -> str:
        """Where we are connected, or were last; no secrets."""
        return str(self._driver.place or "")

    @property
    def is_connected(self) -> bool:
        """Whether a broker has let us in, and has not gone."""
        return self._driver.is_open.is_set() and self._driver.failure is None

    async def drain(self) -> None:
        """Return when the broker has acknowledged everything that was published and asked for so far."""
        await asyncio.sleep(0)
        await self._driver.is_done.wait()
        self._check_alive()

    async def open(self) -> Self:
        """Connect; NoConnection when that takes longer than `patience`, RequestRefused when we are not let in."""
        self._driver.begin()
        try:
            async with asyncio.timeout(self._settings.patience_s):
                await self._driver.is_open.wait()
        except TimeoutError:
            problem = self._driver.last_problem
            await self.close(drained=False)
            raise NoConnection(problem) from None
        except BaseException:
            await self.close(drained=False)
            raise
        if self._driver.failure is not None:
            await self.close(drained=False)
            raise self._driver.failure
        return self

    async def close(self, *, drained: bool = True) -> None:
        """End; first see to it that all that was published is acknowledged, if that does not take longer than `patience`."""
        problem = None
        if drained and self._driver.failure is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settings.patience_s):
                    await self.drain()
            left = self._driver.machine.outbox.events
            problem = (
                NoConnection(f"{left} publications were not acknowledged before the client ended") if left else None
            )
        for one in self._subscriptions.values():
            one.stop()
        await self._driver.end(over=not self._settings.lasts)
        self._end_waiting(
            NoConnection("the client ended before the broker acknowledged it; nobody knows whether it was taken")
        )
        if problem is not None:
            raise problem

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close(drained=error is None)

    # ---- what the driver tells

    def _answered(self, answer: Answer) -> None:
        waiting = self._waiting.get(answer.ticket)
        if waiting is not None:
            waiting.take(answer)
            if not waiting.left:
                del self._waiting[answer.ticket]

    def _granted(self, granted: Granted) -> None:
        one = self._subscriptions.get(granted.number)
        if one is not None:
            one.answer(granted)

    def _shown(self, show: Show) -> None:
        one = self._subscriptions.get(show.number)
        if one is None:  # it ended while this was under way
            self._driver.tell(Settled(show.delivery, len(show.events)))
        else:
            one.take(show)

    def _failed(self, problem: TidingsError) -> None:
        for one in list(self._subscriptions.values()):
            one.fail(problem)
        self._end_waiting(problem)

    def _forget(self, number: int) -> None:
        self._subscriptions.pop(number, None)

    # ---- inside

    def _new_ticket(self, count: int) -> tuple[_Waiting, int]:
        self._tickets += 1
        waiting = self._waiting[self._tickets] = _Waiting(count)
        return waiting, self._tickets

    def _end_waiting(self, problem: TidingsError) -> None:
        waiting, self._waiting = self._waiting, {}
        for one in waiting.values():
            if not one.result.done():
                one.result.set_exception(problem)
                one.result.exception()  # who still waits is told; who has left is not missed

    def _check_alive(self) -> None:
        if self._driver.failure is not None:
            raise self._driver.failure


def _payload(payload: bytes | str) -> bytes:
    return payload.encode() if isinstance(payload, str) else bytes(payload)


def _lifetime_ns(lifetime: str | None) -> int:
    if lifetime is None:
        return FOREVER
    try:
        return parse_duration(lifetime)
    except ValueError as problem:
        raise InputError(f"lifetime = {lifetime!r}: {problem}") from None


def _rows(publications: Iterable[Publication]) -> Iterable[list[Publication]]:
    row: list[Publication] = []
    for one in publications:
        check_publication(one)
        row.append(one)
        if len(row) == _ROW:
            yield row
            row = []
    if row:
        yield row


def _check_subscription(topic: str, where: str, qos: int) -> None:
    try:
        check_pattern(topic)
    except ValueError as problem:
        raise InputError(f"subscribe to {topic[:80]!r}: {problem}") from None
    if where:
        parsed(where)
    if not 0 <= qos <= QOS_MAX:
        raise InputError(f"qos = {qos} must be 0, 1 or 2")
