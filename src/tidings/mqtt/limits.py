"""Every bound of the face that clients meet, in one place; beyond it they are refused by name."""

from typing import Final

import msgspec

from tidings.vocabulary.instant import DAY, SECOND

CLIENT_ID_CHARACTERS_MAX: Final = 200
"""Together with its owner's name a client's name stays below what a frame takes."""
NAME_CHARACTERS_MAX: Final = 50
"""Of a principal."""
TOPICS_REMEMBERED: Final = 4_096
"""Per session: topics whose rights need no second look."""
EVENTS_IN_FLIGHT_MAX: Final = 4_096
"""Per session, in all carriers together: what our client recognises as repeated."""
CARRIER_BYTES: Final = 1 << 18
"""A carrier is closed beyond this; one event may be larger."""
CARRIER_EVENTS: Final = 1_024
FETCHED_AT_ONCE: Final = 256
"""Events that a session has read from the disk in one go."""
ALIASES_MAX: Final = 64
"""Topic aliases of one direction of a connection."""
SEEN_REMEMBERED: Final = 65_536
"""Events that are recognised as taken after a restart."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one client may ask of a broker."""

    payload_bytes_max: int = 1 << 20
    subscriptions_max: int = 1_000
    """Of one session."""
    sessions_max: int = 100_000
    in_flight_max: int = 1_024
    """Messages sent to one client and not acknowledged."""
    receive_max: int = 1_024
    """Messages of one client that are taken in and not acknowledged."""
    waiting_bytes_max: int = 16 << 20
    """Of what waits in memory for one connection; beyond it the connection is cut."""
    waiting_events_max: int = 4 << 20
    """Events on disk for one session; beyond it the oldest are given up."""
    retained_max: int = 65_536
    retained_bytes_max: int = 64 << 20
    session_expiry_ns_max: int = 7 * DAY
    """A session that nobody takes up ends after this, whatever it asked for."""
    connect_ns_max: int = 5 * SECOND
    """From the first byte to a whole CONNECT."""
    keep_alive_s_max: int = 3_600
    publish_rate: float = 1e6
    """Events a second of one client, on average; whoever sends more is read more slowly."""
