"""Every bound of this room in one place, with what happens beyond it."""

from typing import Final

WAITING_MAX: Final = 16
"""Filters that are evaluated one by one before they are put into the table; smaller sets never get a table."""
PLAIN_PAIRS_MAX: Final = 8_192
"""Without a table: filters × events of one call up to which evaluating one by one is cheaper than making a table."""
WAITING_PAIRS_MAX: Final = 64
"""Beside a table: waiting filters × events of one call up to which evaluating one by one is cheaper than inserting."""
INSERTIONS_MIN: Final = 64
"""A table is built anew after as many insertions as it was laid out for, and not before this many."""
SHRINK_BELOW: Final = 8
"""A table is given up when an eighth is left of the filters that it was laid out for."""
CONJUNCTIONS_MAX: Final = 32
"""Conjunctions of one filter; a filter that needs more is evaluated for every event."""
ATTRIBUTES_MAX: Final = 32
"""Attributes with cells, the most constrained first; constraints on others are checked when the rest of the filter
holds."""
TOPIC_LEVELS_MAX: Final = 8
"""Levels of a topic that are attributes of their own; longer patterns with `+` are checked when the rest holds."""
ROWS_MAX: Final = 768
"""Cells of a table, all attributes together: two bits for each slot and cell."""
SAMPLE_MAX: Final = 65_536
"""Ends of intervals, per attribute and family, that quantiles are taken from; of more, an even choice."""
BLOCK_WORDS_MAX: Final = 64
"""Words of 64 slots in one block, so that the cells of a block stay within a core's cache."""
PAIRS_MAX: Final = 262_144
"""Matches that are gathered in one go; more come in further portions."""
BATCH_MAX: Final = 4_096
"""Events that are matched in one go; longer sequences are cut."""
STRINGS_REMEMBERED_MAX: Final = 8_192
"""Strings of events, per attribute, whose place among the filters' strings is remembered; then all are forgotten."""
KEY_MAX: Final = (1 << 48) - 1
"""Keys of filters share an integer with the position of an event."""

COVER_PROOFS_MAX: Final = 64
"""Candidates, oldest first, that are proven to cover one text or not; beyond them it is told although covered."""
COVERED_CANDIDATES_MAX: Final = 256
"""Texts, oldest first, that a new one may push aside; beyond them they are told although covered."""
RETURN_PROOFS_MAX: Final = 4_096
"""Proofs that one change of an aggregate may take on top of COVER_PROOFS_MAX for each of its texts."""
MERGE_CANDIDATES_MAX: Final = 64
"""Texts that differ in one attribute only and are merged; those beyond are told as they are."""
MERGE_STAGES: Final = 4
"""Attributes of a text that are tried for merging, by name, `topic` last."""
FACTS_REMEMBERED_MAX: Final = 1 << 14
"""Texts whose meaning is kept, for all aggregates together."""
