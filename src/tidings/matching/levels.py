"""Topic patterns as conjunctions: the levels of a topic are attributes of their own.

`+/quote/#` wants topics whose second level is `quote` and that have two levels or more. So patterns need no check of
their own. The names of these attributes cannot be written in a filter.
"""

from typing import Final

import msgspec

from tidings.matching.constraint import Constraint, constraint
from tidings.matching.limits import TOPIC_LEVELS_MAX
from tidings.vocabulary.filter import TOPIC, Matches
from tidings.vocabulary.spans import between, points

LEVEL_COUNT: Final = "\0levels"
LEVEL_NAMES: Final = tuple(f"\0level {number}" for number in range(TOPIC_LEVELS_MAX))
LEVEL_NUMBERS: Final = {name: number for number, name in enumerate(LEVEL_NAMES)}


def pattern_constraints(wish: Matches) -> dict[str, Constraint]:
    """What topics and their levels must be; doubtful for a pattern on another attribute and one of many levels."""
    asked = constraint(wish)
    levels = wish.pattern.split("/")
    open_ended = levels[-1] == "#"
    named = levels[:-1] if open_ended else levels
    if not asked.doubtful or wish.attribute != TOPIC or len(named) > TOPIC_LEVELS_MAX:
        return {wish.attribute: asked}
    count = between((len(named), 0), None if open_ended else (len(named), 1))
    conjunction = {TOPIC: msgspec.structs.replace(asked, doubtful=False), LEVEL_COUNT: Constraint(number=count)}
    for number in range(levels.index("+"), len(named)):  # What is asked of the topic says the levels before.
        if named[number] != "+":
            conjunction[LEVEL_NAMES[number]] = Constraint(string=points([named[number]]))
    return conjunction
