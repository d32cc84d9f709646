"""Named streams: every random draw belongs to a name, so that adding one thing never reshuffles another.

`Streams(seed)("delay b0>b1")` is a generator that depends on the seed and the name alone.
"""

import hashlib
from typing import Final

import numpy as np

SEED_MAX: Final = 2**63 - 1


class Streams:
    """The one source of randomness of a run."""

    __slots__ = ("seed",)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, name: str) -> np.random.Generator:
        """A new generator, at the beginning of the stream `name`."""
        digest = hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=32).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))
