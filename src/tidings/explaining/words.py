"""A story as sentences: what happened when, and what was the matter."""

from collections.abc import Iterator, Sequence
from typing import Any

from tidings.explaining.story import Fate, Row, Story
from tidings.explaining.ways import Way, way_to
from tidings.scenario import World

NAMED_MAX = 3
"""Events that one sentence names."""


def about(story: Story) -> list[str]:
    """The event itself."""
    row = story.publication
    said = [
        (
            f"event {row['event']}: number {row['number']} of {row['publisher']} on {row['topic']}, published at "
            f"{clock(row['published_ns'])}, {row['payload_bytes']:,} bytes"
        ),
        (
            "its publisher never learned that it was taken"
            if row["acknowledged_ns"] is None
            else f"taken {span(row['acknowledged_ns'] - row['published_ns'])} later"
        ),
    ]
    if row["expires_ns"] is not None:
        said.append(f"of use for {span(row['expires_ns'] - row['published_ns'])}")
    for stamp in story.stamps:
        took = "never stamped" if stamp["stamped_ns"] is None else span(stamp["stamped_ns"] - stamp["requested_ns"])
        said.append(f"order: number {stamp['number']} of {stamp['topic']}, {stamp['stages']} stages, stamped in {took}")
    return said


def explained(story: Story, world: World | None, fate: Fate) -> list[str]:
    """What became of it for one subscriber, and why."""
    way = way_to(story, world, fate.broker)
    said = [*_hops(story, way, fate)]
    if fate.showing is not None:
        said += _shown(story, fate)
    else:
        said.append(_missing(story, way, fate))
    if fate.repeats:
        said.append(f"shown {fate.repeats} more times: duplicates")
    if fate.unexpected:
        said.append("nothing allowed to show it: no interest that was asked for by then, or it was no longer of use")
    return said


def document(story: Story, world: World | None) -> dict[str, Any]:
    """The same for programs."""
    return {
        **{key: story.publication[key] for key in ("publisher", "topic", "number", "published_ns", "acknowledged_ns")},
        "event": str(story.publication["event"]),
        "expires_ns": story.publication["expires_ns"],
        "about": about(story),
        "subscribers": {
            fate.subscriber: {
                "outcome": fate.outcome,
                "broker": fate.broker,
                "arrived_ns": None if fate.showing is None else fate.showing["arrived_ns"],
                "delivered_ns": None if fate.showing is None else fate.showing["delivered_ns"],
                "late_by_ns": fate.late_by_ns,
                "hops": [_plain(hop) for hop in way_to(story, world, fate.broker).hops],
                "because": explained(story, world, fate),
            }
            for fate in story.fates
        },
    }


def clock(instant_ns: int) -> str:
    """An instant of the run."""
    return f"{instant_ns / 1e9:,.6f} s"


def span(duration_ns: int) -> str:
    """A duration, in the unit that suits it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(duration_ns) >= size:
            return f"{duration_ns / size:.4g} {unit}"
    return f"{duration_ns} ns"


def _plain(hop: Row) -> dict[str, Any]:
    return {key: hop[key] for key in ("sender", "receiver", "attempt", "sent_ns", "outcome")}


def _hops(story: Story, way: Way, fate: Fate) -> Iterator[str]:
    """Each hop with the time from its sending to the next thing known: its link, and the work and wait behind it."""
    ends = [hop["sent_ns"] for hop in way.hops[1:]]
    ends.append(fate.showing["arrived_ns"] if fate.showing is not None else -1)
    for hop, end in zip(way.hops, ends, strict=False):
        took = f", {span(end - hop['sent_ns'])} with link, work and wait" if end >= hop["sent_ns"] else ""
        again = f" (copy {hop['attempt'] + 1})" if hop["attempt"] else ""
        yield f"{hop['sender']} sent it to {hop['receiver']} at {clock(hop['sent_ns'])}{again}{took}"
    first = way.hops[0]["sent_ns"] - story.publication["published_ns"] if way.hops else 0
    if first > 0:
        yield f"{span(first)} passed before it was first sent on"


def _shown(story: Story, fate: Fate) -> Iterator[str]:
    row = fate.showing
    assert row is not None, "asked of what was shown"
    published = story.publication["published_ns"]
    yield f"arrived after {span(row['arrived_ns'] - published)}, shown after {span(row['delivered_ns'] - published)}"
    held = row["delivered_ns"] - row["arrived_ns"]
    if held > 0:
        for_whom = f" for {_named(fate.waited_for)}, which came later" if fate.waited_for else ", in case others come"
        yield f"held back for {span(held)}{for_whom}"
    if row["out_of_order"]:
        yield "shown with the tag that the order is not kept"
    if fate.late_by_ns:
        ordered = row["arrived_ns"] + fate.late_by_ns <= row["delivered_ns"]
        blame = "it came in time, and was held too long" if ordered else "it came too late already"
        yield f"late by {span(fate.late_by_ns)}: {blame}"


def _missing(story: Story, way: Way, fate: Fate) -> str:
    """Where and why it ended; what the logs do not tell is said, too."""
    if fate.broker is None:
        return "nobody could reach the subscriber: it was in range of no broker when it last asked"
    own = [row for row in story.drops if row["subscriber"] == fate.subscriber]
    if own:
        row = own[-1]
        return f"{row['component']} gave it up at {clock(row['dropped_ns'])}: {row['reason']}"
    if way.last is None:
        return _anywhere(story)
    if way.next is None:
        here = [row for row in story.drops if row["component"].split(">")[0] == way.last]
        reason = f": {here[-1]['reason']} at {clock(here[-1]['dropped_ns'])}" if here else ""
        return f"{way.last} had it, and the subscriber never got it{reason}"
    ended = [
        row
        for row in story.drops
        if row["component"] in (f"{way.last}>{way.next}", f"{way.last}-{way.next}", f"{way.next}-{way.last}")
        or row["component"] in (way.last, way.next)
    ]
    if ended:
        row = ended[-1]
        return (
            f"between {way.last} and {way.next} it ended, at {clock(row['dropped_ns'])} at {row['component']}: "
            f"{row['reason']}{_outage(story, row['component'], row['dropped_ns'])}"
        )
    return _not_sent(story, way)


def _not_sent(story: Story, way: Way) -> str:
    at = story.publication["published_ns"]
    if "transmissions" not in story.logged:
        return f"it did not get from {way.last} to {way.next}, or further; the run kept no list of transmissions"
    before = [row for row in story.outages if row["component"] in (way.last, way.next) and row["down_ns"] <= at]
    last = f"; {_down(before[-1])}" if before else ""
    return f"{way.last} did not send it on to {way.next}: it knew of no interest there{last}"


def _anywhere(story: Story) -> str:
    if not story.drops:
        return "the logs do not say where it ended"
    row = story.drops[-1]
    return f"a copy ended at {row['component']} at {clock(row['dropped_ns'])}: {row['reason']}"


def _outage(story: Story, component: str, at: int) -> str:
    for row in story.outages:
        if row["component"] == component and row["down_ns"] <= at and (row["up_ns"] is None or at < row["up_ns"]):
            return f" ({_down(row)})"
    return ""


def _down(row: Row) -> str:
    until = "to the end" if row["up_ns"] is None else f"to {clock(row['up_ns'])}"
    return f"{row['component']} was down from {clock(row['down_ns'])} {until}"


def _named(events: Sequence[int]) -> str:
    more = f" and {len(events) - NAMED_MAX} more" if len(events) > NAMED_MAX else ""
    return ", ".join(map(str, events[:NAMED_MAX])) + more
