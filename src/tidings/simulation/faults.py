"""Everything that a campaign may do to a world, as one value that prints, stores and replays.

The defaults of every option are neutral: `Faults()` is a world in which nothing goes wrong but what the scenario says.
Chances of packets and disks are drawn as the run goes; what lasts (crashes, pauses, flaps, partitions) is drawn
beforehand by `tidings.simulation.episodes`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec
import numpy as np

from tidings.errors import InputError
from tidings.simulation.disk import DISK_FAULTS, DiskFaults, check_chance, check_not_negative
from tidings.vocabulary.instant import MICROSECOND, SECOND

Shape: TypeAlias = Literal["symmetric", "asymmetric", "isolate", "bridge", "swizzle"]

SHAPES: Final[tuple[Shape, ...]] = ("symmetric", "asymmetric", "isolate", "bridge", "swizzle")
LINK_FAULTS: Final = ("drop", "duplicate", "reorder", "spike")
FAULT_KINDS: Final = (*LINK_FAULTS, "flap", *SHAPES, "crash", "pause", *DISK_FAULTS)
"""Everything that `FaultCounters` counts."""

_ENABLED: Final = 0.5
"""Chance of each kind of fault to be among a seed's."""
_QUIET: Final = 0.25


class LinkFaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to single packets, each direction by itself, beside what the link's own law does."""

    drop: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    """Chance of a packet to be held back, so that later ones overtake it."""
    reorder_ns: int = 0
    """Mean of the time held back, exponential."""
    spike: float = 0.0
    """Chance of a packet to take `spike_ns` longer, those behind it on a FIFO link with it."""
    spike_ns: int = 0

    def __post_init__(self) -> None:
        for name in LINK_FAULTS:
            check_chance(f"packets.{name}", getattr(self, name))
        check_not_negative("packets.reorder_ns", self.reorder_ns)
        check_not_negative("packets.spike_ns", self.spike_ns)


class Spells(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happens to a component now and then and lasts a while; both times are exponential."""

    every_ns: int = 0
    """Mean time from an end to the next start; 0: never."""
    lasting_ns: int = 0
    """Mean duration."""

    def __post_init__(self) -> None:
        check_not_negative("every_ns", self.every_ns)
        check_not_negative("lasting_ns", self.lasting_ns)


class Faults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole option set of a seed."""

    packets: LinkFaults = LinkFaults()
    partitions: Spells = Spells()
    """One at a time, of a shape drawn from `shapes`."""
    shapes: tuple[Shape, ...] = SHAPES
    flaps: Spells = Spells()
    """Per link; both directions."""
    crashes: Spells = Spells()
    """Per broker; the downtime is what lasts."""
    pauses: Spells = Spells()
    """Per broker: it does nothing, keeps its memory, and comes back without knowing."""
    disk: DiskFaults = DiskFaults()
    quiet: float = 0.0
    """Share of the time in which none of the above happens but what disks do."""
    until: float = 1.0
    """Share of the run after which all of the above is over: what has not healed then never will."""
    batch: int | None = None
    """Most frames that a broker takes in one go; None, here and below: whatever is usual."""
    window: int | None = None
    """Most unacknowledged frames on a channel."""
    buffer: int | None = None
    """Most events that a queue or a reorder buffer holds."""

    def __post_init__(self) -> None:
        check_chance("quiet", self.quiet)
        check_chance("until", self.until)
        if not self.shapes and self.partitions.every_ns:
            raise InputError(f"shapes is empty: partitions need one of {', '.join(SHAPES)}")
        for name in ("batch", "window", "buffer"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} = {value}: must be at least 1")

    @classmethod
    def none(cls) -> "Faults":
        """Nothing goes wrong."""
        return cls()

    @classmethod
    def from_json(cls, text: str | bytes) -> "Faults":
        """What `to_json` wrote; options that are absent are neutral.

        Raises:
            InputError: a key or a value that does not exist.
        """
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.DecodeError as problem:
            raise InputError(f"fault options: {problem}") from None

    def to_json(self) -> str:
        """All options, neutral ones too, in the order of their definition."""
        return msgspec.json.encode(self).decode()

    def describe(self) -> str:
        """The options that differ from their defaults, on one line."""
        changed = _changes(msgspec.to_builtins(self), msgspec.to_builtins(Faults()))
        return ", ".join(f"{name} = {value}" for name, value in changed) or "no faults"


def swarm(generator: np.random.Generator, *, scale_ns: int = SECOND, survivable: bool = True) -> Faults:
    """One seed's options: every kind of fault is enabled by the toss of a coin, and its size drawn (Groce et al., 2012).

    Args:
        generator: a stream of the seed's.
        scale_ns: the typical time between two faults of a component; what lasts is mostly shorter.
        survivable: leave out what no log can survive (rot, stale disks, reads gone wrong).
    """
    draw = _Swarm(generator, scale_ns)
    shapes = tuple(shape for shape in SHAPES if draw.enabled()) or SHAPES
    return Faults(
        packets=LinkFaults(
            drop=draw.chance(0.3),
            duplicate=draw.chance(0.3),
            reorder=draw.chance(0.3),
            reorder_ns=draw.size(MICROSECOND, scale_ns // 4),
            spike=draw.chance(0.05),
            spike_ns=draw.size(scale_ns // 100, scale_ns),
        ),
        partitions=draw.spells(),
        shapes=shapes,
        flaps=draw.spells(),
        crashes=draw.spells(),
        pauses=draw.spells(),
        disk=_swarm_disk(draw, survivable=survivable),
        quiet=_QUIET,
        batch=draw.constant(256),
        window=draw.constant(256),
        buffer=draw.constant(4096),
    )


class FaultCounters:
    """What really happened, by kind (`FAULT_KINDS`) and by the role of the component that it happened to."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, kind: str, role: str, count: int = 1) -> None:
        """Count; InputError for a kind that does not exist, since a misspelt one would never be missed."""
        if kind not in FAULT_KINDS:
            raise InputError(f"no fault is called {kind!r}: there are {', '.join(FAULT_KINDS)}")
        if count:
            self._counts[kind, role] = self._counts.get((kind, role), 0) + count

    def add_all(self, counts: Mapping[str, int], role: str) -> None:
        """Count many kinds, such as `SimulatedDisk.counts`, once for each component."""
        for kind, count in counts.items():
            self.add(kind, role, count)

    def merge(self, other: "FaultCounters") -> None:
        """Add what `other` has counted, as for the next seed of a campaign."""
        for kind, role, count in other.rows():
            self.add(kind, role, count)

    def count(self, kind: str, role: str | None = None) -> int:
        """How often; `role` None: of all roles together."""
        return sum(n for (one, of), n in self._counts.items() if one == kind and role in (None, of))

    def rows(self) -> list[tuple[str, str, int]]:
        """(kind, role, count), sorted; cells that were never hit are absent."""
        return [(kind, role, count) for (kind, role), count in sorted(self._counts.items())]

    def missing(self, cells: Iterable[tuple[str, str]], *, at_least: int = 1) -> list[tuple[str, str]]:
        """Those of `cells` (kind, role) that were hit less often: a campaign with any has shown less than it says."""
        return [cell for cell in cells if self._counts.get(cell, 0) < at_least]


class _Swarm:
    """Draws of a seed's options. Each takes the same numbers whether enabled or not: no option shifts the next."""

    def __init__(self, generator: np.random.Generator, scale_ns: int) -> None:
        self._generator, self._scale_ns = generator, scale_ns

    def enabled(self) -> bool:
        return bool(self._generator.random() < _ENABLED)

    def size(self, low: float, high: float) -> int:
        """A whole number between the two, all magnitudes equally likely."""
        low, high = max(low, 1), max(high, low, 1)
        return round(low * math.exp(self._generator.random() * math.log(high / low)))

    def chance(self, highest: float) -> float:
        """0 when not enabled, else of any magnitude down to a thousandth of `highest`."""
        value = highest * 10 ** (-3 * self._generator.random())
        return float(f"{value:.3g}") if self.enabled() else 0.0

    def constant(self, highest: int) -> int | None:
        """None when not enabled, else down to 1."""
        value = self.size(1, highest)
        return value if self.enabled() else None

    def spells(self) -> Spells:
        every = self.size(self._scale_ns / 10, self._scale_ns * 10)
        lasting = self.size(self._scale_ns / 1000, self._scale_ns)
        return Spells(every_ns=every, lasting_ns=lasting) if self.enabled() else Spells()


def _swarm_disk(draw: _Swarm, *, survivable: bool) -> DiskFaults:
    always, sometimes = draw.enabled(), draw.chance(1.0)
    room, is_small = draw.size(2**12, 2**24), draw.enabled()
    options = DiskFaults(
        power_cut=1.0 if always else sometimes,
        reorder=draw.chance(1.0),
        tear=draw.chance(1.0),
        write_error=draw.chance(0.01),
        sync_error=draw.chance(0.01),
        capacity_bytes=room if is_small else None,
        sync_min_ns=draw.size(1, SECOND // 1000),
        sync_mean_ns=draw.size(1, SECOND // 100),
        slow=draw.chance(0.1),
        slow_factor=float(draw.size(2, 100)),
        read_flip=draw.chance(0.01),
        rot=draw.chance(0.1),
        stale=draw.chance(0.1),
    )
    return msgspec.structs.replace(options, read_flip=0.0, rot=0.0, stale=0.0) if survivable else options


def _changes(given: object, neutral: object, prefix: str = "") -> list[tuple[str, object]]:
    if not isinstance(given, dict) or not isinstance(neutral, dict):
        return [(prefix, given)] if given != neutral else []
    return [
        change
        for name, value in given.items()
        for change in _changes(value, neutral[name], f"{prefix}.{name}" if prefix else name)
    ]
