"""Numbers as doubles without losing exactness, whatever their size.

For an event whose number is a double, `x >= bound` is the same as `x >= least_double(bound)`. Integers between two
doubles are found out by `is_double`, and the filter itself decides about them.
"""

import math
import sys
from typing import Final

from tidings.vocabulary.spans import Cut

_LARGEST: Final = sys.float_info.max


def is_double(number: float) -> bool:
    """True when some double equals `number`; false for NaN."""
    if type(number) is float:
        return not math.isnan(number)
    try:
        return float(number) == number
    except OverflowError:
        return False


def least_double(number: float, *, above: bool = False) -> float:
    """The smallest double not below `number`, or, with `above`, the smallest beyond it; infinity counts."""
    near = double_beside(number)
    if near < number or (above and near == number):
        return math.nextafter(near, math.inf)
    return near


def greatest_double(number: float) -> float:
    """The largest double not above `number`."""
    return -least_double(-number)


def double_beside(number: float) -> float:
    """The double equal to `number`, or else one of the two around it; finite for integers of any size."""
    try:
        return float(number)
    except OverflowError:
        return _LARGEST if number > 0 else -_LARGEST


def place_of_cut(cut: Cut) -> float:
    """The smallest double above the cut: doubles from there on lie on its upper side."""
    return least_double(cut[0], above=cut[1] == 1)
