"""Writing what slots ask into the rows of a table, and letting events through to them (compiled)."""

from typing import Any, Final

import numpy as np

from tidings.matching.layout import SINGLE_ROWS
from tidings.matching.records import NUMBER, NUMBER_PART, STRING, STRING_PART, UNASKED
from tidings.matching.words import NO_BITS, ONE, Doubles, Longs, Words, cell_of, compiled, lowest_bit, set_of_slot

_LINE_WORDS: Final = 4
_EXACT: Final = 9007199254740992.0


@compiled
def fold(positions: Longs, records: tuple[Any, ...], slots: Longs, passes: Any, bounds: Doubles) -> None:
    """Write records into the slots' state; several for one attribute narrow each other."""
    attributes, record_passes, lows, highs = records
    for slot in slots:
        passes[slot, :] = UNASKED
        bounds[slot, :, 0] = -np.inf
        bounds[slot, :, 1] = np.inf
    for record in range(positions.size):
        slot, attribute = slots[positions[record]], attributes[record]
        passes[slot, attribute] &= record_passes[record]
        bounds[slot, attribute, 0] = max(bounds[slot, attribute, 0], lows[record])
        bounds[slot, attribute, 1] = min(bounds[slot, attribute, 1], highs[record])


@compiled
def _toggle_interval(
    cover: Words, full: Words, places: Doubles, ends: tuple[float, float], bit: np.uint64, painted: int
) -> int:
    """Flip `bit` where the cells of an interval begin and end; gives the last cell that is covered.

    Beyond 2**53 there are integers between doubles: there an interval covers what its bounds were rounded from.
    """
    low, high = ends
    wide_low = np.nextafter(low, -np.inf) if abs(low) >= _EXACT else low
    wide_high = np.nextafter(high, np.inf) if abs(high) >= _EXACT else high
    first, last = cell_of(places, wide_low), cell_of(places, wide_high)
    begin = max(first, painted + 1)
    if begin <= last:
        cover[begin] ^= bit
        cover[last + 1] ^= bit
    inner_first = 0 if low == -np.inf else first
    if inner_first > 0 and places[inner_first - 1] < low:
        inner_first += 1
    if low != -np.inf and first == 0:
        inner_first = 1
    inner_high = np.nextafter(high, -np.inf) if high != np.inf and abs(high) >= _EXACT else high
    inner_last = last
    while inner_last >= inner_first and high != np.inf:
        if inner_last < places.size and np.nextafter(places[inner_last], -np.inf) <= inner_high:
            break
        inner_last -= 1
    if inner_first <= inner_last:
        full[inner_first] ^= bit
        full[inner_last + 1] ^= bit
    return max(last, painted)


@compiled
def _toggle_part(
    cover: Words, full: Words, places: Doubles, ends: tuple[float, float], cuts: Doubles, bit: np.uint64
) -> None:
    """Flip `bit` around what one slot lets through of one family: an interval, or the intervals between cuts."""
    if cuts.size == 0:
        if ends[0] <= ends[1] or abs(ends[0]) >= _EXACT:
            _toggle_interval(cover, full, places, ends, bit, -1)
        return
    painted = -1
    for number in range(0, cuts.size, 2):
        high = np.nextafter(cuts[number + 1], -np.inf) if number + 1 < cuts.size else np.inf
        painted = _toggle_interval(cover, full, places, (cuts[number], high), bit, painted)


@compiled
def _toggle_family(
    toggles: tuple[Words, Words],
    asked: tuple[bool, bool],
    places: Doubles,
    ends: tuple[float, float],
    cuts: Doubles,
    bit: np.uint64,
) -> None:
    """Flip `bit` around the cells of one family, of which a slot lets pass all, a part or nothing."""
    cover, full = toggles
    whole, part = asked
    if whole:
        cover[0] ^= bit
        cover[places.size + 1] ^= bit
        full[0] ^= bit
        full[places.size + 1] ^= bit
    elif part:
        _toggle_part(cover, full, places, ends, cuts, bit)


@compiled
def _write_line(table: Words, summary: Words, toggles: Words, masks: Words, first: int) -> None:
    """Put what the toggles add up to into some words of every row, under `masks`; the toggles are zero afterwards.

    Of cover words (even places) the summary says whether they have any bit.
    """
    count = masks.size
    state = np.zeros(count, np.uint64)
    for row in range(table.shape[0]):
        for word in range(count):
            state[word] ^= toggles[row, word]
            toggles[row, word] = NO_BITS
            old = table[row, first + word] & ~masks[word]
            table[row, first + word] = old | (state[word] & masks[word])
        some = summary[row]
        for word in range(0, count, 2):
            bit = ONE << np.uint64((first + word) >> 1)
            some = some & ~bit if table[row, first + word] == NO_BITS else some | bit
        summary[row] = some
    toggles[table.shape[0], :] = NO_BITS


@compiled
def _toggle_attribute(
    toggles: tuple[Words, Words],
    asked: int,
    places: tuple[Doubles, Doubles],
    ends: tuple[float, float],
    cuts: Doubles,
    bit: np.uint64,
) -> None:
    """Flip `bit` around the rows of one attribute that one slot lets pass."""
    cover, full = toggles
    numbers, strings = places
    for row in range(SINGLE_ROWS):
        if asked & (1 << row):
            cover[row] ^= bit
            cover[row + 1] ^= bit
            full[row] ^= bit
            full[row + 1] ^= bit
    start = SINGLE_ROWS
    of_family = (asked & NUMBER != 0, asked & NUMBER_PART != 0)
    _toggle_family((cover[start:], full[start:]), of_family, numbers, ends, cuts, bit)
    start += numbers.size + 1
    of_family = (asked & STRING != 0, asked & STRING_PART != 0)
    _toggle_family((cover[start:], full[start:]), of_family, strings, ends, cuts, bit)


@compiled
def _toggle_word(
    toggles: tuple[Words, Words],
    attribute: int,
    word: int,
    mask: np.uint64,
    state: tuple[Any, ...],
    layout: tuple[Any, ...],
) -> bool:
    """Flip the bits of one word's slots around what they ask of one attribute; True when any asks anything."""
    cover, full = toggles
    passes, bounds, pool_starts, pool = state
    places, place_starts, _ = layout
    line = 2 * attribute
    numbers = places[place_starts[line] : place_starts[line + 1]]
    strings = places[place_starts[line + 1] : place_starts[line + 2]]
    asking = False
    while mask != NO_BITS:
        lowest = lowest_bit(mask)
        mask &= mask - ONE
        bit = ONE << np.uint64(lowest)
        slot = word * 64 + lowest
        asked = passes[slot, attribute]
        if asked == UNASKED:
            cover[0] ^= bit
            full[0] ^= bit
        else:
            asking = True
            ends = (bounds[slot, attribute, 0], bounds[slot, attribute, 1])
            first, last = set_of_slot(pool, pool_starts[slot], attribute)
            _toggle_attribute(toggles, asked, (numbers, strings), ends, pool[first:last], bit)
    return asking


@compiled
def paint(bits: tuple[Any, ...], state: tuple[Any, ...], layout: tuple[Any, ...], masks: Words) -> None:
    """Write the bits of the slots under `masks`, one for each word, into all rows.

    Some words at a time, as many as share a line of the processor's cache.
    """
    table, summary, asking = bits
    row_starts = layout[2]
    block_words = table.shape[2] >> 1
    together = min(_LINE_WORDS, block_words)
    toggles = np.zeros((table.shape[1] + 1, 2 * together), np.uint64)
    line_masks = np.zeros(2 * together, np.uint64)
    for first in range(0, masks.size, together):
        if not masks[first : first + together].any():
            continue
        block, word = first // block_words, first % block_words
        for number in range(together):
            line_masks[2 * number] = line_masks[2 * number + 1] = masks[first + number]
        for attribute in range(row_starts.size - 1):
            for number in range(together):
                both = (toggles[:, 2 * number], toggles[:, 2 * number + 1])
                if _toggle_word(both, attribute, first + number, masks[first + number], state, layout):
                    asking[block, attribute] = True
            start, end = row_starts[attribute], row_starts[attribute + 1]
            _write_line(table[block, start:end], summary[block, start:end], toggles, line_masks, 2 * word)


@compiled
def ranges(passes: Any, bounds: Doubles, layout: tuple[Any, ...], slots: Longs) -> Any:
    """The first and last row, counted within each attribute, between which slots let values pass; -1 if unasked."""
    places, place_starts, row_starts = layout
    found = np.full((slots.size, passes.shape[1], 2), -1, np.int32)
    for number in range(slots.size):
        slot = slots[number]
        for attribute in range(passes.shape[1]):
            asked = passes[slot, attribute]
            if asked != UNASKED:
                found[number, attribute, 0] = 0
                found[number, attribute, 1] = row_starts[attribute + 1] - row_starts[attribute] - 1
                line = 2 * attribute + (asked == STRING_PART)
                if asked in (NUMBER_PART, STRING_PART):
                    of_line = places[place_starts[line] : place_starts[line + 1]]
                    start = SINGLE_ROWS
                    if asked == STRING_PART:
                        start += place_starts[line] - place_starts[line - 1] + 1
                    found[number, attribute, 0] = start + cell_of(of_line, bounds[slot, attribute, 0])
                    found[number, attribute, 1] = start + cell_of(of_line, bounds[slot, attribute, 1])
    return found


@compiled
def shut(gate: Words, slots: Longs) -> None:
    """Let no event through to these slots. In a gate, cover words and full words take turns, as in the table."""
    block_words = gate.shape[1] >> 1
    for slot in slots:
        block, word = (slot >> 6) // block_words, (slot >> 6) % block_words
        bit = ONE << np.uint64(slot & 63)
        gate[block, 2 * word] &= ~bit
        gate[block, 2 * word + 1] &= ~bit


@compiled
def open_up(gate: Words, slots: Longs, doubtful: Any) -> None:
    """Let events through to these slots; where they are doubtful, the filter must decide in the end."""
    block_words = gate.shape[1] >> 1
    for number in range(slots.size):
        slot = slots[number]
        block, word = (slot >> 6) // block_words, (slot >> 6) % block_words
        bit = ONE << np.uint64(slot & 63)
        gate[block, 2 * word] |= bit
        if doubtful[number]:
            gate[block, 2 * word + 1] &= ~bit
        else:
            gate[block, 2 * word + 1] |= bit
