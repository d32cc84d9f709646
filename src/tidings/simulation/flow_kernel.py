"""The compiled path: events from broker to broker as long as nothing else happens.

The same steps as `Host` and `Channel` take, in the same order, on arrays. A table's answer and room are asked for before
a step changes anything, random numbers as soon as some are used up; so the kernel can be called again and goes on.

Arrays go from function to function one by one: with a tuple, every call would count references to all its members, which
takes longer than the steps themselves.
"""

from typing import Any

import numpy as np
from numba import njit

from tidings.simulation.flow_state import (
    ARRIVED,
    CLIENT,
    CRASH,
    DOWN,
    EXPIRED,
    LOST,
    NEED_DRAWS,
    NEED_EVENTS,
    NEED_PLAN,
    NEED_ROOM,
    NO_PLAN,
    ON_ITS_WAY,
    REACHED,
    WANTED,
    State,
)
from tidings.vocabulary.records import NULL_NS

_PASS_ON, _TAKE_IN, _DROP = -1, -2, -3
"""What a broker does with an event, where it is not lost for a reason, which is not negative."""

_entry = njit(cache=True)
_step = njit


@_entry
def advance(s: State, bound_ns: int, bound_sequence: int) -> int:
    """Let everything happen before the bound; returns why it stopped."""
    n, thing, heap, brokers, events, services = s.counters, s.thing, s.heap, s.brokers, s.events, s.services
    links, delays, plan_of, plans, plan_links = s.links, s.delays, s.plan_of, s.plans, s.plan_links
    sent, noted, taken = s.sent, s.noted, s.taken
    while _pick(n, thing, heap, events) and _is_before(thing, bound_ns, bound_sequence):
        if _is_full(n):
            return NEED_ROOM
        broker, event = brokers[thing.broker], events[thing.event - n.base]
        what, number = _verdict(n, thing, broker, event), plan_of[event.content, thing.broker]
        if what == _PASS_ON and number == NO_PLAN:
            return NEED_PLAN
        new = _is_new(thing)
        if not new:
            _pop(n, heap)
        if what == _TAKE_IN:
            _serve(n, thing, heap, broker, services)
        else:
            _answer(n, thing, taken, what)
            if what == _PASS_ON:
                broker.visits += 1
                _pass_on(n, thing, heap, links, delays, plans[number], plan_links, sent, noted, event.bytes)
                if plans[number].clients < plans[number].clients_end:
                    _note(n, thing, noted, thing.broker, WANTED, number)
            else:
                _note(n, thing, noted, thing.broker, EXPIRED if what == _DROP else what, NO_PLAN)
        if new and not _publish_next(n):
            return NEED_EVENTS
        if n.drained:
            return NEED_DRAWS
    return REACHED


@_step
def _is_full(n: Any) -> Any:
    return n.under_way > n.things_max or max(n.sent, n.noted, n.taken) > n.rows_max


@_step
def _pick(n: Any, thing: Any, heap: Any, events: Any) -> Any:
    """Find what happens next, an event that is published or the first of the heap; False when nothing does."""
    publishes = n.next < n.end
    if publishes:
        event = events[n.next - n.base]
        thing.ns, thing.sequence, thing.event = event.published_ns, n.next_sequence, n.next
        thing.broker, thing.sender, thing.life = event.origin, CLIENT, ON_ITS_WAY
    if n.under_way > 0 and not (publishes and _before(thing, heap[0])):
        first = heap[0]
        thing.ns, thing.sequence, thing.event = first.ns, first.sequence, first.event
        thing.broker, thing.sender, thing.life = first.broker, first.sender, first.life
        return True
    return publishes


@_step
def _is_before(thing: Any, ns: int, sequence: int) -> Any:
    return thing.ns < ns or (thing.ns == ns and thing.sequence < sequence)


@_step
def _is_new(thing: Any) -> Any:
    """True for an event that is being published."""
    return thing.sender == CLIENT and thing.life == ON_ITS_WAY


@_step
def _publish_next(n: Any) -> bool:
    """Let the next event be published when its time comes; False when it must be fetched first."""
    n.next += 1
    if n.next == n.end:
        return False
    n.sequence += 1
    n.next_sequence = n.sequence
    return True


@_step
def _verdict(n: Any, thing: Any, broker: Any, event: Any) -> int:
    """What the broker does with the thing, or why it is lost."""
    expired = n.drop_expired and thing.ns > event.expires_ns
    if thing.life == ON_ITS_WAY:
        if not broker.up:
            return DOWN
        if broker.serves:
            return EXPIRED if expired else _TAKE_IN
    elif not broker.up or thing.life != broker.life:
        return CRASH
    return _DROP if expired else _PASS_ON


# ---- steps


@_step
def _serve(n: Any, thing: Any, heap: Any, broker: Any, services: Any) -> None:
    """Enter the end of the event's service, after all that came before it."""
    time = services[thing.broker, broker.drawn]
    broker.drawn += 1
    if broker.drawn == services.shape[1]:
        n.drained = 1
    if broker.per_subscription:
        time *= n.subscriptions
    broker.free_ns = max(thing.ns, broker.free_ns) + np.int64(np.rint(time))
    _push(n, heap, broker.free_ns, thing.event, thing.broker, thing.sender, broker.life)


@_step
def _pass_on(
    n: Any, thing: Any, heap: Any, links: Any, delays: Any, plan: Any, plan_links: Any, sent: Any, noted: Any, size: int
) -> None:
    """Send a copy over every link of the plan but the one that it came by."""
    for place in range(plan.links, plan.links_end):
        link = plan_links[place]
        way = links[link]
        if way.receiver != thing.sender:
            outcome = _outcome(n, way)
            if outcome == ARRIVED:
                arrives = _arrival(n, way, delays, link, thing.ns, size)
                _push(n, heap, arrives, thing.event, way.receiver, thing.broker, ON_ITS_WAY)
            else:
                _note(n, thing, noted, -1 - link, outcome, NO_PLAN)
            _note_sent(n, thing, sent, link, outcome)


@_step
def _outcome(n: Any, way: Any) -> int:
    if way.down:
        return DOWN
    if way.lossy:
        way.loss_in -= 1
        if way.loss_in <= 0:
            way.loss_in, way.loss_gap = way.loss_gap, 0
            n.drained = 1
            return LOST
    return ARRIVED


@_step
def _arrival(n: Any, way: Any, delays: Any, link: int, now: int, size: int) -> Any:
    arrives = now
    if way.ns_per_byte > 0:
        arrives = max(now, way.leaves_ns) + np.int64(np.rint(size * way.ns_per_byte))
        way.leaves_ns = arrives
    if way.delays:
        arrives += delays[link, way.drawn]
        way.drawn += 1
        if way.drawn == delays.shape[1]:
            n.drained = 1
    if way.fifo:
        arrives = max(arrives, way.last_ns)
        way.last_ns = arrives
    return arrives


@_entry
def carry(n: Any, links: Any, delays: Any, link: int, now: int, size: int) -> tuple[int, int]:
    """One packet of `size` bytes over a directed link: what becomes of it, and when it arrives."""
    way = links[link]
    outcome = _outcome(n, way)
    return outcome, _arrival(n, way, delays, link, now, size) if outcome == ARRIVED else now


# ---- rows


@_step
def _answer(n: Any, thing: Any, taken: Any, what: int) -> None:
    """Tell a publisher that its event was taken, or will not be."""
    if thing.sender == CLIENT:
        row = taken[n.taken]
        row.event, row.ns = thing.event, thing.ns if what < 0 else NULL_NS
        n.taken += 1


@_step
def _note_sent(n: Any, thing: Any, sent: Any, link: int, outcome: int) -> None:
    row = sent[n.sent]
    row.event, row.ns, row.link, row.outcome, row.kind = thing.event, thing.ns, link, outcome, 0
    n.sent += 1


@_step
def _note(n: Any, thing: Any, noted: Any, where: int, what: int, plan: int) -> None:
    row = noted[n.noted]
    row.event, row.ns, row.where, row.what, row.plan = thing.event, thing.ns, where, what, plan
    n.noted += 1


# ---- the heap


@_step
def _push(n: Any, heap: Any, now: int, event: int, broker: int, sender: int, life: int) -> None:
    at = n.under_way
    n.under_way += 1
    n.sequence += 1
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent].ns <= now:  # of two at one instant the earlier entered stays in front
            break
        heap[at] = heap[parent]
        at = parent
    thing = heap[at]
    thing.ns, thing.sequence, thing.event = now, n.sequence, event
    thing.broker, thing.sender, thing.life = broker, sender, life


@_step
def _pop(n: Any, heap: Any) -> None:
    n.under_way -= 1
    last = n.under_way
    at, child = 0, 1
    while child < last:
        if child + 1 < last and _before(heap[child + 1], heap[child]):
            child += 1
        if _before(heap[last], heap[child]):
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = heap[last]


@_step
def _before(one: Any, other: Any) -> Any:
    return one.ns < other.ns or (one.ns == other.ns and one.sequence < other.sequence)
