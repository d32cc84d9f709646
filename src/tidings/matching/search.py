"""Finding the slots that want an event (compiled)."""

from typing import Any, Final

import numpy as np

from tidings.matching.words import (
    ALL_BITS,
    NO_BITS,
    ONE,
    Doubles,
    Longs,
    Words,
    bit_count,
    cell_of,
    compiled,
    inlined,
    lowest_bit,
    set_of_slot,
)

KEY_BITS: Final = 48
"""A pair is one integer, event << KEY_BITS | key, so that sorting pairs sorts by event, then key."""
NO_PAIR: Final = -1
_FEW_WORDS: Final = 16
"""Up to so many words of a block it is quicker to look at each than to go through all."""


@inlined
def _verdict(
    table: Words, place: tuple[int, int, int], event: int, columns: tuple[Any, Doubles], state: tuple[Any, ...]
) -> int:
    """0 when a slot does not hold for an event, 1 when it does, 2 when the filter itself must decide.

    Only attributes whose cell is not full are looked at.
    """
    rows, values = columns
    _, bounds, pool_starts, pool = state
    block, word, slot = place
    verdict = 1
    for attribute in range(rows.shape[1]):
        if (table[block, rows[event, attribute], 2 * word + 1] >> np.uint64(slot & 63)) & ONE == NO_BITS:
            value = values[event, attribute]
            if np.isnan(value):
                verdict = 2
            elif value < bounds[slot, attribute, 0] or value > bounds[slot, attribute, 1]:
                return 0
            elif pool_starts[slot] >= 0:
                first, last = set_of_slot(pool, pool_starts[slot], attribute)
                if first < last and cell_of(pool[first:last], value) % 2 == 0:
                    return 0
    return verdict


@inlined
def _and_rows(both: Words, base: Words, table: Words, chosen: tuple[int, int, int, int]) -> None:
    """Of one block, the words in which `base` and four rows agree; one loop, so that nothing is stored in between."""
    one, two, three, four = table[chosen[0]], table[chosen[1]], table[chosen[2]], table[chosen[3]]
    for word in range(both.size):
        both[word] = base[word] & one[word] & two[word] & three[word] & four[word]


@inlined
def _go_through(both: Words, gate: Words, table: Words, rows: Longs, count: int) -> np.uint64:
    """Put into `both` the words, cover and full, in which all rows agree; gives which words have a bit in cover."""
    last = count - 1
    if count == 0:
        both[:] = gate
    for first in range(0, count, 4):
        chosen = (rows[first], rows[min(first + 1, last)], rows[min(first + 2, last)], rows[min(first + 3, last)])
        _and_rows(both, both if first else gate, table, chosen)
    left = NO_BITS
    for word in range(both.size >> 1):
        if both[2 * word] != NO_BITS:
            left |= ONE << np.uint64(word)
    return left


@inlined
def _look_at(both: Words, gate: Words, table: Words, rows: Longs, count: int, left: np.uint64) -> np.uint64:
    """The same for the words `left` only."""
    kept = NO_BITS
    while left != NO_BITS:
        word = lowest_bit(left)
        left &= left - ONE
        cover = gate[2 * word]
        for number in range(count):
            cover &= table[rows[number], 2 * word]
        if cover != NO_BITS:
            full = cover & gate[2 * word + 1]
            for number in range(count):
                full &= table[rows[number], 2 * word + 1]
            both[2 * word] = cover
            both[2 * word + 1] = full
            kept |= ONE << np.uint64(word)
    return kept


@inlined
def _words(both: Words, bits: tuple[Any, ...], block: int, rows: Longs, count: int) -> np.uint64:
    """Which words of a block have slots that may want an event with these rows; `both` has their cover and full."""
    table, summary, _, gate = bits
    left = ALL_BITS
    for number in range(count):
        left &= summary[block, rows[number]]
    if left == NO_BITS:
        return left
    if count == 0 or bit_count(left) > _FEW_WORDS:
        return _go_through(both, gate[block], table[block], rows, count)
    return _look_at(both, gate[block], table[block], rows, count, left)


@inlined
def _emit(
    both: Words,
    left: np.uint64,
    place: tuple[int, int],
    key_of: Longs,
    out: tuple[Any, ...],
    counts: tuple[int, int],
) -> tuple[int, int]:
    """Write down all slots in the words `left` after so many pairs; those that are not in full are noted for later."""
    pairs, unsure_at, unsure_slots, _ = out
    first_slot, event = place
    found, unsure = counts
    while left != NO_BITS:
        word = lowest_bit(left)
        left &= left - ONE
        cover, full = both[2 * word], both[2 * word + 1]
        while cover != NO_BITS:
            lowest = lowest_bit(cover)
            slot = first_slot + 64 * word + lowest
            cover &= cover - ONE
            pairs[found] = (event << KEY_BITS) | key_of[slot]
            unsure_at[unsure] = found
            unsure_slots[unsure] = slot
            unsure += int(((full >> np.uint64(lowest)) & ONE) ^ ONE)
            found += 1
    return found, unsure


@inlined
def _settle(
    bits: tuple[Any, ...],
    state: tuple[Any, ...],
    columns: tuple[Any, Doubles],
    out: tuple[Any, ...],
    unsure: int,
    doubtful: int,
) -> int:
    """Strike out the unsure pairs that do not hold, and keep notes of those that the filter must decide."""
    table, _, _, gate = bits
    pairs, unsure_at, unsure_slots, _ = out
    block_words = gate.shape[1] >> 1
    bounds = state[1]
    warm = 0.0
    for number in range(doubtful, unsure if bounds.shape[1] else 0):
        # All these come from memory at once; in the loop below one would wait for the other.
        warm += bounds[unsure_slots[number], 0, 0] + bounds[unsure_slots[number], bounds.shape[1] - 1, 1]
    out[3][0] = warm
    for number in range(doubtful, unsure):
        at, slot = unsure_at[number], unsure_slots[number]
        block, word = (slot >> 6) // block_words, (slot >> 6) % block_words
        verdict = _verdict(table, (block, word, slot), pairs[at] >> KEY_BITS, columns, state)
        if verdict == 0:
            pairs[at] = NO_PAIR
        elif verdict == 2 or (gate[block, 2 * word + 1] >> np.uint64(slot & 63)) & ONE == NO_BITS:
            unsure_at[doubtful] = at
            doubtful += 1
    return doubtful


@compiled
def find_pairs(
    bits: tuple[Any, ...],
    state: tuple[Any, ...],
    key_of: Longs,
    columns: tuple[Any, Doubles],
    start: tuple[int, int],
    out: tuple[Any, ...],
) -> tuple[int, int, int, int]:
    """Pairs (event << KEY_BITS | key) that hold or may hold, from block and event `start` on; NO_PAIR in between.

    Gives the number of pairs, of how many `out[1]` notes that the filter itself must decide, and where to go on; the
    block is the number of blocks when everything is done. It stops early while there may be no room in `out` for one
    more event and block.
    """
    table, _, asking, gate = bits
    rows, _ = columns
    events, attributes = rows.shape
    block_slots = gate.shape[1] * 32
    both = np.empty(gate.shape[1], np.uint64)
    asked = np.empty(attributes, np.int64)
    found = unsure = doubtful = 0
    block, event = start
    while block < table.shape[0]:
        while event < events and found + block_slots <= out[0].size:
            count = 0
            for attribute in range(attributes):
                asked[count] = rows[event, attribute]
                count += asking[block, attribute]
            left = _words(both, bits, block, asked, count)
            found, unsure = _emit(both, left, (block * block_slots, event), key_of, out, (found, unsure))
            event += 1
        doubtful = unsure = _settle(bits, state, columns, out, unsure, doubtful)
        if event < events:
            break
        block += 1
        event = 0
    return found, doubtful, block, event
