"""What the compiled loops share. Importing this module imports Numba, which takes a while: do it late.

Words hold 64 slots, slot `s` the bit `s % 64` of word `s // 64`. For each row (an attribute together with a set of
values) *cover* says which slots may pass and *full* which surely do; they take turns: cover in even places of a block's
words, full in odd ones. Places are sorted doubles; cell `c` is [places[c-1], places[c]).

Everything is typed by its first call, and the compiled code is kept on disk. Bounds are not checked in it.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
Doubles: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]

ONE: Final = np.uint64(1)
NO_BITS: Final = np.uint64(0)
ALL_BITS: Final = np.uint64(2**64 - 1)

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile at the first call."""
    return cast("_Function", njit(cache=True)(function))


def _instruction(build: Callable[[Any, Any], Any]) -> Callable[[np.uint64], int]:
    """One instruction of the processor, made from a word by a builder of LLVM's."""

    def of_word(_typing: Any, word: Any) -> Any:  # pragma: no cover - asked only while something is compiled
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return build(builder, arguments[0])

        return types.int64(word), generate

    return cast("Callable[[np.uint64], int]", intrinsic(of_word))


bit_count: Final = _instruction(lambda builder, word: builder.ctpop(word))
"""How many bits are set."""
lowest_bit: Final = _instruction(lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), 1)))
"""The number of the lowest bit that is set; the word must not be 0."""


def inlined(function: _Function) -> _Function:
    """Compile as a part of the callers: passing arrays on would cost more than many of these small functions do."""
    return cast("_Function", njit(cache=True, forceinline=True)(function))


@compiled
def cell_of(places: Doubles, value: float) -> int:
    """The number of places that are not above `value`."""
    low, high = 0, places.size
    while low < high:
        middle = (low + high) >> 1
        if places[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def set_of_slot(pool: Doubles, start: int, attribute: int) -> tuple[int, int]:
    """Where in the pool a slot's cuts for one attribute begin and end; an empty stretch when it has none."""
    if start >= 0:
        place = start + 1
        for _ in range(int(pool[start])):
            count = int(pool[place + 1])
            if int(pool[place]) == attribute:
                return place + 2, place + 2 + count
            place += 2 + count
    return 0, 0
