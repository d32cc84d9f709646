"""The fault options: neutral, printable, the same after JSON, refused where impossible; the swarm; the counters."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.simulation.disk import DISK_FAULTS, DiskFaults
from tidings.simulation.faults import FAULT_KINDS, SHAPES, FaultCounters, Faults, LinkFaults, Spells, swarm
from tidings.vocabulary.instant import MILLISECOND, SECOND
from tidings.vocabulary.streams import Streams

SEEDS = st.integers(0, 2**63 - 1)


def test_the_default_is_nothing():
    """No faults, no constants, nothing to say."""
    assert Faults.none() == Faults()
    assert Faults().describe() == "no faults"
    assert (Faults().batch, Faults().window, Faults().buffer) == (None, None, None)


def test_the_description_names_what_differs():
    """And only that, with the names of the options."""
    faults = Faults(packets=LinkFaults(drop=0.1), disk=DiskFaults(tear=0.5), window=1)
    assert faults.describe() == "packets.drop = 0.1, disk.tear = 0.5, window = 1"


@given(SEEDS)
def test_json_there_and_back(seed):
    """Every option set of a swarm comes back equal, and so does its text."""
    faults = swarm(Streams(seed)("swarm"), survivable=False)
    text = faults.to_json()
    assert Faults.from_json(text) == faults
    assert Faults.from_json(text).to_json() == text


def test_absent_options_are_neutral():
    """A stored seed of an older version can be read."""
    assert Faults.from_json('{"quiet": 0.25}') == Faults(quiet=0.25)
    assert Faults.from_json(b"{}") == Faults.none()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"quite": 0.25}', "unknown field `quite`"),
        ('{"quiet": "often"}', "quiet"),
        ('{"shapes": ["round"]}', "round"),
        ('{"quiet": 2}', "quiet = 2"),
        ('{"disk": {"tear": 7}}', "disk.tear = 7"),
        ("{", "fault options"),
        ("null", "fault options"),
    ],
)
def test_unusable_json_is_refused(text, says):
    """With an error of ours that names the key."""
    with pytest.raises(InputError, match=says):
        Faults.from_json(text)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: LinkFaults(drop=1.1), "packets.drop"),
        (lambda: LinkFaults(spike=float("nan")), "packets.spike"),
        (lambda: LinkFaults(reorder_ns=-1), "packets.reorder_ns"),
        (lambda: Spells(every_ns=-1), "every_ns"),
        (lambda: Spells(lasting_ns=-5), "lasting_ns"),
        (lambda: Faults(quiet=-0.1), "quiet"),
        (lambda: Faults(until=1.5), "until"),
        (lambda: Faults(batch=0), "batch = 0"),
        (lambda: Faults(window=-1), "window = -1"),
        (lambda: Faults(buffer=0), "buffer = 0"),
        (lambda: Faults(shapes=(), partitions=Spells(every_ns=1)), "shapes"),
    ],
)
def test_impossible_options_are_refused(make, says):
    """When they are made, so that no such value exists."""
    with pytest.raises(InputError, match=says):
        make()


def test_no_shapes_are_fine_without_partitions():
    """Nothing is asked of them."""
    assert Faults(shapes=()).shapes == ()


def enabled(faults):
    """Which kinds of fault an option set has, and which constants it sets."""
    packets, disk = faults.packets, faults.disk
    return {
        "drop": packets.drop > 0,
        "duplicate": packets.duplicate > 0,
        "reorder": packets.reorder > 0,
        "spike": packets.spike > 0,
        "partitions": faults.partitions.every_ns > 0,
        "flaps": faults.flaps.every_ns > 0,
        "crashes": faults.crashes.every_ns > 0,
        "pauses": faults.pauses.every_ns > 0,
        "tear": disk.tear > 0,
        "write_error": disk.write_error > 0,
        "sync_error": disk.sync_error > 0,
        "full": disk.capacity_bytes is not None,
        "slow": disk.slow > 0,
        "batch": faults.batch is not None,
        "window": faults.window is not None,
        "buffer": faults.buffer is not None,
    } | {shape: shape in faults.shapes for shape in SHAPES}


def test_every_seed_enables_a_subset_of_its_own():
    """Each kind by the toss of a coin, independently of the others: five standard errors."""
    chosen = [enabled(swarm(Streams(seed)("swarm"))) for seed in range(1000)]
    for kind in chosen[0]:
        share = sum(one[kind] for one in chosen) / 1000
        assert abs(share - 0.5) < 5 * 0.5 / 1000**0.5, kind
    both = sum(one["crashes"] and one["flaps"] for one in chosen) / 1000
    assert abs(both - 0.25) < 5 * (0.25 * 0.75 / 1000) ** 0.5
    assert len({tuple(one.values()) for one in chosen}) > 900


def test_constants_go_down_to_one():
    """Batches, windows and buffers of a single thing are tried."""
    drawn = [swarm(Streams(seed)("swarm")) for seed in range(500)]
    for name in ("batch", "window", "buffer"):
        values = [getattr(faults, name) for faults in drawn if getattr(faults, name) is not None]
        assert min(values) == 1
        assert max(values) > 100


def test_a_survivable_swarm_leaves_out_what_no_log_survives():
    """And nothing else changes with that."""
    for seed in range(100):
        mild = swarm(Streams(seed)("swarm"))
        wild = swarm(Streams(seed)("swarm"), survivable=False)
        assert (mild.disk.read_flip, mild.disk.rot, mild.disk.stale) == (0, 0, 0)
        assert msgspec.structs.replace(wild.disk, read_flip=0.0, rot=0.0, stale=0.0) == mild.disk
        assert msgspec.structs.replace(wild, disk=mild.disk) == mild


def test_a_quarter_of_the_time_is_quiet():
    """In every seed."""
    assert {swarm(Streams(seed)("swarm")).quiet for seed in range(20)} == {0.25}


@pytest.mark.parametrize("scale", [MILLISECOND, SECOND])
def test_sizes_follow_the_scale(scale):
    """A short world is troubled as often as a long one."""
    drawn = [swarm(Streams(seed)("swarm"), scale_ns=scale).crashes for seed in range(200)]
    for spells in drawn:
        if spells.every_ns:
            assert scale / 10 <= spells.every_ns <= 10 * scale
            assert scale / 1000 <= spells.lasting_ns <= scale


def test_kinds_are_named_once():
    """A counter's cell is one kind."""
    assert len(set(FAULT_KINDS)) == len(FAULT_KINDS)
    assert set(DISK_FAULTS) | set(SHAPES) <= set(FAULT_KINDS)


def test_counters_count_by_kind_and_role():
    """Single counts, whole tables, and those of another seed."""
    counters = FaultCounters()
    counters.add("crash", "edge")
    counters.add("crash", "inner", 2)
    counters.add_all({"torn_write": 3, "rot": 0}, "edge")
    other = FaultCounters()
    other.add("crash", "edge", 10)
    counters.merge(other)
    assert counters.rows() == [("crash", "edge", 11), ("crash", "inner", 2), ("torn_write", "edge", 3)]
    assert (counters.count("crash"), counters.count("crash", "inner"), counters.count("rot")) == (13, 2, 0)


def test_missing_cells_are_named():
    """A campaign that never hit a cell must be able to fail for it."""
    counters = FaultCounters()
    counters.add("pause", "edge", 5)
    cells = [("pause", "edge"), ("pause", "stage")]
    assert counters.missing(cells) == [("pause", "stage")]
    assert counters.missing(cells, at_least=6) == cells


def test_a_misspelt_kind_is_refused():
    """It would never be missed."""
    with pytest.raises(InputError, match="no fault is called 'chrash'"):
        FaultCounters().add("chrash", "edge")
