"""Named streams: the same seed and name give the same draws, anything else gives others."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.vocabulary.streams import SEED_MAX, Streams


@given(st.integers(0, SEED_MAX), st.text(st.characters(codec="utf-8")))
def test_a_stream_depends_on_seed_and_name_alone(seed, name):
    """Asked again, it starts from the beginning; other streams drawn in between change nothing."""
    streams = Streams(seed)
    first = streams(name).integers(0, 2**63, 4).tolist()
    streams("something else").random(100)
    assert streams(name).integers(0, 2**63, 4).tolist() == first
    assert Streams(seed)(name).integers(0, 2**63, 4).tolist() == first


def test_streams_differ_by_name_and_by_seed():
    """No two of many streams begin alike; names and seeds are not glued together ambiguously."""
    begun = [
        Streams(seed)(name).integers(0, 2**63) for seed in (0, 1, 10) for name in ("", "a", "b", "0/a", "1/a", "/a")
    ]
    assert len(set(begun)) == len(begun)


@pytest.mark.parametrize("hash_seed", ["0", "1", "4711"])
def test_streams_do_not_hang_on_the_hash_seed(hash_seed):
    """Another process draws the same."""
    program = "from tidings.vocabulary.streams import Streams; print(Streams(7)('delay b0>b1').integers(0, 2**63))"
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert int(printed.stdout) == Streams(7)("delay b0>b1").integers(0, 2**63)


def test_the_bits_are_pinned():
    """Recorded once: how a name becomes a stream does not change from version to version."""
    assert Streams(1)("delay b0>b1").bit_generator.random_raw(3).tolist() == [
        3365184790529284432,
        5969917329070951078,
        424728875045194407,
    ]
