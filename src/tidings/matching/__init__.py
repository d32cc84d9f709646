"""Which filters want an event: many filters at once, and the sets of filters that neighbours are told."""

from tidings.matching.aggregate import Aggregate
from tidings.matching.bitset import BitsetMatcher
from tidings.matching.linear import LinearMatcher
from tidings.matching.matcher import Matcher

__all__ = ["Aggregate", "BitsetMatcher", "LinearMatcher", "Matcher"]
