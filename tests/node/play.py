"""Plays: scripts of a few brokers, with the transcript of what they say to each other.

A line without indent is a command, the indented lines below it are what happened. `TIDINGS_REWRITE_PLAYS=1` writes the
transcripts anew; commit only what you understand.

    brokers a-b b-c [a~c] [renew=60s] [keeps] [bypass]    the links of the tree and others; every broker starts
    join CLIENT BROKER FILTER      a client wants something (again: it asks again)
    leave CLIENT BROKER
    publish BROKER TOPIC NAME=VALUE …
    carry A>B                      the oldest frame from a to b arrives
    drop A>B                       … is lost
    repeat A>B                     … arrives, and once more later
    swap A>B                       the two oldest frames from a to b change places
    run                            everything in flight arrives, in the order sent
    wait 5s                        time passes, with everything carried
    stop BROKER                    it is gone: what is sent to it vanishes
    start BROKER                   a new process of it, with nothing but its records
    lose A>B                       b counts a as lost
    find A>B                       a has returned, b hears
    resume BROKER                  it was only unreachable, and is there again
    interests                      what each broker believes that its neighbours want
"""

from node.network import Network, options_on
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Deliver,
    Forward,
    Interests,
    InterestsKnown,
    LinkReports,
    LinkReportsKnown,
    Publish,
    Received,
    Relayed,
    Subscribed,
)
from tidings.vocabulary.instant import format_duration, parse_duration
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned
from tidings.vocabulary.value import parse_literal


def written(frame):
    """A frame as plays write it."""
    match frame:
        case Interests(incarnation=incarnation, version=version, base=base, added=added, removed=removed):
            kind = "whole" if base is None else "renewal" if base == version else f"from {base}"
            changes = [*(f"+ {text}" for text in added), *(f"- {text}" for text in removed)]
            return " | ".join([f"interests {incarnation}.{version} {kind}", *changes])
        case InterestsKnown(incarnation=incarnation, version=version, confirmed=confirmed):
            behind = " behind" if frame.behind else ""
            missing = f" missing {' '.join(frame.missing)}" if frame.missing else ""
            return f"known {incarnation}.{version} confirmed {confirmed}{behind}{missing}"
        case Subscribed(number, missing):
            return " ".join([f"subscribed {number}", *(("missing", *missing) if missing else ())])
        case Deliver(event):
            return f"deliver {event.topic} {dict(event.attributes)}"
        case Received(event_ids):
            return f"received {' '.join(map(str, event_ids))}"
        case Forward(event):
            return f"forward {event.id}"
        case Relayed(way, inside):
            return f"by {'-'.join(way)}: {written(inside)}"
        case LinkReports(reports):
            texts = (
                f"{one.broker} {one.incarnation}.{one.version} lost {' '.join(one.lost)}".rstrip() for one in reports
            )
            return f"links: {', '.join(texts)}"
        case LinkReportsKnown(known):
            return f"links known: {', '.join(f'{broker} {one}.{other}' for broker, one, other in known)}"
    return type(frame).__name__.lower()


class Play:
    """One script's brokers; each command gives the lines that it caused."""

    def __init__(self):
        self.network = None
        self._published = 0
        self._told = {}

    def perform(self, line):
        """One command."""
        verb, *words = line.split()
        return getattr(self, f"_{verb}")(*words) + self._news_for_clients()

    def _brokers(self, *words):
        links = [tuple(word.split("-")) for word in words if "-" in word]
        more = [tuple(word.split("~")) for word in words if "~" in word]
        renew = [parse_duration(word.removeprefix("renew=")) for word in words if "=" in word]
        keeps = "keeps" in words
        options = {"renew_ns": renew[0] if renew else None, "keeps": keeps, "more": more if "bypass" in words else None}
        self.network = Network(options_on(links, **options))
        return []

    def _join(self, client, broker, *words):
        self.network.subscribe(broker, client, " ".join(words))
        return self._flying()

    def _leave(self, client, broker):
        self.network.unsubscribe(broker, client)
        return self._flying()

    def _publish(self, broker, topic, *pairs):
        attributes = {name: parse_literal(value) for name, value in (pair.split("=") for pair in pairs)}
        self._published += 1
        self.network.tell(broker, "publisher", Publish(Event(self._published, "publisher", topic, 0, attributes)))
        return []

    def _carry(self, way):
        return self._carried([self.network.carry(self._place(way))])

    def _drop(self, way):
        packet = self.network.in_flight.pop(self._place(way))
        return [f"lost: {packet.way} {written(packet.frame)}"]

    def _repeat(self, way):
        packet = self.network.carry(self._place(way))
        self.network.in_flight.append(packet)
        return self._carried([packet])

    def _swap(self, way):
        flying = self.network.in_flight
        first, second = [place for place, packet in enumerate(flying) if packet.way == way][:2]
        flying[first], flying[second] = flying[second], flying[first]
        return self._flying()

    def _run(self):
        return self._carried(self.network.run())

    def _wait(self, duration):
        until = self.network.now + parse_duration(duration)
        lines = self._run()
        while self.network.ring(until):
            for line in self._run():
                lines.append(f"{format_duration(self.network.now)}: {line}")
        return lines

    def _stop(self, broker):
        self.network.down.add(broker)
        return []

    def _start(self, broker):
        self.network.start(broker)
        return self._flying()

    def _resume(self, broker):
        self.network.down.remove(broker)
        return []

    def _lose(self, way):
        neighbour, broker = way.split(">")
        self.network.notify(broker, NeighbourLost(neighbour))
        return self._flying()

    def _find(self, way):
        neighbour, broker = way.split(">")
        self.network.notify(broker, NeighbourReturned(neighbour))
        return self._flying()

    def _interests(self):
        return [f"{who}: {' | '.join(texts)}".rstrip() for who, texts in self.network.wanted_by_neighbours().items()]

    def _place(self, way):
        return next(place for place, packet in enumerate(self.network.in_flight) if packet.way == way)

    def _flying(self):
        return [f"in flight: {packet.way} {written(packet.frame)}" for packet in self.network.in_flight]

    def _carried(self, packets):
        gone = self.network.down
        return [f"{one.way} {written(one.frame)}" + " (nobody)" * (one.receiver in gone) for one in packets]

    def _news_for_clients(self):
        lines = []
        for client, frames in self.network.heard.items() if self.network else ():
            lines += [f"to {client}: {written(frame)}" for frame in frames[self._told.get(client, 0) :]]
            self._told[client] = len(frames)
        return lines


def performed(script):
    """The script with its transcript as it is now; blank lines and comments stay where they are."""
    play, lines = Play(), []
    for line in script.splitlines():
        if line.startswith("  "):
            continue
        lines.append(line)
        if line and not line.startswith("#"):
            lines += [f"  {one}" for one in play.perform(line)]
    return "\n".join(lines) + "\n"
