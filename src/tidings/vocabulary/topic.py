"""Topics are concrete names; patterns may hold MQTT's wildcards.

`+` stands for exactly one level, `#` (last level only) for any number of levels, none included. As in MQTT, a wildcard
in the first level does not match topics that begin with `$`.
"""

from typing import Final

TOPIC_BYTES_MAX: Final = 65_535
LEVELS_MAX: Final = 128


def check_topic(topic: str) -> None:
    """Raise ValueError unless `topic` is a concrete name that can be published on."""
    _check_text(topic)
    if "+" in topic or "#" in topic:
        raise ValueError("a topic must not hold the wildcards + and #")


def check_pattern(pattern: str) -> None:
    """Raise ValueError unless `pattern` is a topic in which + and # stand for whole levels, # only for the last."""
    _check_text(pattern)
    levels = pattern.split("/")
    for position, level in enumerate(levels):
        if "#" in level and (level != "#" or position != len(levels) - 1):
            raise ValueError("# must be the whole last level")
        if "+" in level and level != "+":
            raise ValueError("+ must be a whole level")


def matches_pattern(pattern: str, topic: str) -> bool:
    """True when `topic` is among the topics that `pattern` stands for."""
    wanted, levels = pattern.split("/"), topic.split("/")
    if levels[0].startswith("$") and wanted[0] in ("+", "#"):
        return False
    for position, level in enumerate(wanted):
        if level == "#":
            return True
        if position == len(levels) or level not in ("+", levels[position]):
            return False
    return len(wanted) == len(levels)


def pattern_covers(general: str, special: str) -> bool:
    """True exactly when every name that `special` stands for is one that `general` stands for."""
    (wanted, more), (given, given_more) = _levels(general), _levels(special)
    if len(given) < len(wanted) or not _first_levels_meet(wanted[0], given[0]):
        return False
    if any(level not in ("+", other) for level, other in zip(wanted, given, strict=False)):
        return False
    return more or (not given_more and len(given) == len(wanted))


def pattern_intersects(left: str, right: str) -> bool:
    """True exactly when some name is among those of both patterns."""
    (ours, more), (theirs, their_more) = _levels(left), _levels(right)
    if not _first_levels_meet(ours[0], theirs[0]):
        return False
    if any("+" not in (level, other) and level != other for level, other in zip(ours, theirs, strict=False)):
        return False
    return len(ours) == len(theirs) or (more if len(ours) < len(theirs) else their_more)


def _levels(pattern: str) -> tuple[list[str], bool]:
    """The levels before a final #, and whether there is one; # alone needs one level, which every name has."""
    levels = pattern.split("/")
    if levels[-1] != "#":
        return levels, False
    return levels[:-1] or ["+"], True


def _first_levels_meet(left: str, right: str) -> bool:
    """False when one is the wildcard and the other a name with $, which wildcards do not reach."""
    return not ((left == "+" and right.startswith("$")) or (right == "+" and left.startswith("$")))


def _check_text(topic: str) -> None:
    if not topic:
        raise ValueError("a topic must not be empty")
    if "\0" in topic:
        raise ValueError("a topic must not hold NUL")
    try:
        size = len(topic.encode())
    except UnicodeEncodeError:
        raise ValueError("a topic must be valid Unicode, without lone surrogates") from None
    if size > TOPIC_BYTES_MAX:
        raise ValueError(f"a topic must not exceed {TOPIC_BYTES_MAX} bytes")
    if topic.count("/") >= LEVELS_MAX:
        raise ValueError(f"a topic must not have more than {LEVELS_MAX} levels")
