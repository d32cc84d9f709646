"""What a client is told when it is made. Every bound of its memory stands here."""

from typing import Final

import msgspec

from tidings.vocabulary.instant import MINUTE, SECOND
from tidings.wire.mqtt_packets import Will

SEEN_REMEMBERED: Final = 65_536
"""Events of carriers that are known again when they come twice."""
TOPICS_REMEMBERED: Final = 4_096
"""Topics whose subscriptions, or whose soundness, need no second look."""
KEPT_REMEMBERED: Final = 65_536
"""Retained events that one subscription is not shown twice."""
SUBSCRIPTIONS_MAX: Final = 10_000
NEVER_S: Final = 0xFFFF_FFFF


class Secret:
    """Bytes that no log and no traceback shows."""

    __slots__ = ("value",)

    def __init__(self, value: bytes) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Secret(…)"


class ClientOptions(msgspec.Struct, frozen=True, kw_only=True):
    """One client's. The defaults suit a program that is there for long and has a moderate load."""

    client_id: str
    clean_start: bool = True
    """Of the first connection: what an earlier process has left under this identifier is forgotten."""
    session_expiry_s: int = 300
    """How long the broker keeps the session when the connection is gone."""
    keep_alive_s: int = 30
    user_name: str | None = None
    password: Secret | None = None
    will: Will | None = None
    carriers: bool = True
    """Rows of events in one packet, where the broker is one of ours."""
    clock: str = ""
    """Which clock our instants are of: a broker that reads the same one needs no translation."""
    receive_maximum: int = 1_024
    """Packets that the broker may have sent us and that the application has not acknowledged."""
    in_flight_max: int = 1_024
    """Packets that we may have sent and the broker has not acknowledged."""
    waiting_events_max: int = 65_536
    waiting_bytes_max: int = 16 << 20
    """Of publications that are not acknowledged; beyond it whoever publishes waits."""
    backlog_events_max: int = 65_536
    backlog_bytes_max: int = 16 << 20
    """Of what has arrived and the application has not taken; beyond it nothing more is read."""
    answer_ns_max: int = 10 * SECOND
    """The broker counts as gone when it says nothing for so long after it was asked."""
    scan_ns: int = MINUTE // 600
    """How often at most what waits is searched for what has expired."""
