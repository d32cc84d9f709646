"""Who may publish what, and who may be shown what: three lists of patterns, and no right that is not on them.

Asked again for every event, on every path: publishing, live delivery, retained messages, what waited on disk, wills.
"""

from typing import Final

import msgspec

from tidings.vocabulary.topic import check_pattern, matches_pattern, pattern_covers, pattern_intersects

_OURS: Final = "$"


class Rights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns of topics; what is denied is denied for both."""

    publish: tuple[str, ...] = ()
    subscribe: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pattern in (*self.publish, *self.subscribe, *self.deny):
            check_pattern(pattern)

    def may_publish(self, topic: str) -> bool:
        """True when events on `topic` are taken; topics that begin with $ are the broker's own."""
        return not topic.startswith(_OURS) and self._allows(self.publish, topic)

    def may_receive(self, topic: str) -> bool:
        """True when events on `topic` may be shown."""
        return self._allows(self.subscribe, topic)

    def may_subscribe(self, pattern: str) -> bool:
        """True when a subscription could bring anything at all; each event is asked about again."""
        if any(pattern_covers(denied, pattern) for denied in self.deny):
            return False
        return any(pattern_intersects(pattern, allowed) for allowed in self.subscribe)

    def _allows(self, patterns: tuple[str, ...], topic: str) -> bool:
        return any(matches_pattern(one, topic) for one in patterns) and not any(
            matches_pattern(one, topic) for one in self.deny
        )


NO_RIGHTS: Final = Rights()
ALL_RIGHTS: Final = Rights(publish=("#",), subscribe=("#",))
