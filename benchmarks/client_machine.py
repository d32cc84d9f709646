"""CPU of the client's machine alone, for each event of 64 bytes: published and received, in carriers and in packets of their own.

`python benchmarks/client_machine.py`. No sockets, no broker: what is left for everything else is 1 s minus this, times the rate.
"""

import time
from collections.abc import Sequence
from typing import Final

from tidings.mqtt_client.machine import ClientMachine
from tidings.mqtt_client.notices import BytesArrived, Connected, PublicationsRequested, Settled, SubscriptionRequested
from tidings.mqtt_client.options import ClientOptions
from tidings.mqtt_client.publication import Publication, check_publication
from tidings.vocabulary.event import Event
from tidings.wire.carriers import encode_event, join_events
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connack, Packet, Properties, Publish, Suback

EVENTS: Final = 60_000
BATCH: Final = 200
ROUNDS: Final = 3
TOPIC: Final = "bench/0"
PAYLOAD: Final = b"x" * 64
OURS: Final = (("tidings", "1"), ("publisher", "0"), ("next", "0"), ("name", "c"), ("clock", "b/0"))


def main() -> None:
    """One line for each form and quality."""
    print(f"{'form':<10}{'qos':>4}{'published µs':>14}{'received µs':>14}")
    for carriers in (True, False):
        for qos in (0, 1):
            published = min(publish(qos, carriers=carriers) for _ in range(ROUNDS))
            received = min(receive(qos, carriers=carriers) for _ in range(ROUNDS))
            print(f"{'carriers' if carriers else 'packets':<10}{qos:>4}{published:>14.2f}{received:>14.2f}")


def connected(*, carriers: bool) -> ClientMachine:
    """A machine that a broker has let in, and that has subscribed."""
    options = ClientOptions(client_id="c", carriers=carriers, in_flight_max=EVENTS + 1, receive_maximum=65_535)
    machine = ClientMachine(options)
    machine.receive(Connected(), 1)
    hear(machine, [Connack(properties=Properties(user=OURS if carriers else ()))])
    machine.receive(SubscriptionRequested(0, "bench/#"), 1)
    machine.drain()
    hear(machine, [Suback(packet_id=1, reasons=(1,))])
    return machine


def hear(machine: ClientMachine, packets: Sequence[Packet]) -> None:
    """The broker says something."""
    machine.receive(BytesArrived(b"".join(map(encode_packet, packets))), 1)
    machine.drain()


def publish(qos: int, *, carriers: bool) -> float:
    """Microseconds for each event, from the application's values to bytes for the socket."""
    machine, began = connected(carriers=carriers), time.process_time()
    for _ in range(0, EVENTS, BATCH):
        row = [Publication(TOPIC, PAYLOAD, qos=qos) for _ in range(BATCH)]
        for one in row:
            check_publication(one)
        machine.receive(PublicationsRequested(row, 1), 1)
        b"".join(machine.drain().write)
    return (time.process_time() - began) / EVENTS * 1e6


def receive(qos: int, *, carriers: bool) -> float:
    """Microseconds for each event, from the socket's bytes to the application, acknowledgement included."""
    machine = connected(carriers=carriers)
    reads = [said(first, qos, carriers=carriers) for first in range(0, EVENTS, BATCH)]
    began = time.process_time()
    for data in reads:
        machine.receive(BytesArrived(data), 1)
        for show in machine.drain().show:
            machine.receive(Settled(show.delivery, len(show.events)), 1)
        machine.drain()
    assert machine.counts.shown == EVENTS
    return (time.process_time() - began) / EVENTS * 1e6


def said(first: int, qos: int, *, carriers: bool) -> bytes:
    """A batch as a broker sends it."""
    if not carriers:
        ids = range(first + 1, first + BATCH + 1)
        packets = [Publish(topic=TOPIC, payload=PAYLOAD, qos=qos, packet_id=one if qos else 0) for one in ids]
        return b"".join(map(encode_packet, packets))
    size = len(PAYLOAD)
    events = [Event(first + one, "p", TOPIC, 1, {}, payload_bytes=size, payload=PAYLOAD) for one in range(BATCH)]
    row = join_events([encode_event(one) for one in events])
    return encode_packet(Publish(topic="$tidings", payload=row, qos=qos, packet_id=first // BATCH + 1 if qos else 0))


if __name__ == "__main__":
    main()
