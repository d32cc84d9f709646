"""What a broker tells one neighbour: a few filter texts that together want what many texts want."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tidings.matching.covering import Covering
from tidings.matching.limits import COVER_PROOFS_MAX, MERGE_STAGES, RETURN_PROOFS_MAX
from tidings.matching.merging import MergeStage


class Aggregate:
    """Counted texts, and those of them (or of their mergers) that are worth telling.

    Together the announced texts want exactly what the texts in the aggregate want. Searches for covers and mergers are
    bounded by `limits`, for each text and each change: what lies beyond is announced although it is covered, which is
    correct and only more than necessary. Texts must be canonical: the same filter, the same text.
    """

    def __init__(self, *, covering: bool = True, merging: bool = False) -> None:
        self._counts: dict[str, int] = {}
        self._covering = Covering() if covering else None
        self._stages = [MergeStage(rank) for rank in range(MERGE_STAGES)] if merging else []
        self._announced: dict[str, int] = {}
        """With counts: two mergers may have the same text."""

    @property
    def announced(self) -> tuple[str, ...]:
        """What the neighbour knows, sorted."""
        return tuple(sorted(self._announced))

    def change(self, added: Sequence[str], removed: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Count texts in and then out; gives what must be announced and what withdrawn, each sorted.

        The same text may come from several sources; it must be removed as often as it was added.

        Raises:
            ValueError: a text is removed more often than it was added; nothing is changed.
        """
        fresh, gone = self._count(added, removed)
        changes: Iterator[tuple[str, bool]]
        if self._covering is None:
            changes = iter([*((text, True) for text in fresh), *((text, False) for text in gone)])
        else:
            # Short texts tend to ask less, so they come first and the others hide at once.
            fresh.sort(key=lambda text: (len(text), text))
            proofs_max = RETURN_PROOFS_MAX + COVER_PROOFS_MAX * (len(fresh) + len(gone))
            changes = self._covering.change(fresh, gone, proofs_max)
        for stage in self._stages:
            changes = stage.change(changes)
        return self._announce(changes)

    def _count(self, added: Sequence[str], removed: Sequence[str]) -> tuple[list[str], list[str]]:
        """The texts that are new, and those that are no more."""
        differences = Counter(added)
        differences.subtract(removed)
        for text, difference in differences.items():
            if self._counts.get(text, 0) + difference < 0:
                raise ValueError(f"filter removed more often than added: {text}")
        fresh, gone = [], []
        for text, difference in differences.items():
            before = self._counts.get(text, 0)
            if before + difference:
                self._counts[text] = before + difference
                if not before:
                    fresh.append(text)
            elif before:
                del self._counts[text]
                gone.append(text)
        return fresh, gone

    def _announce(self, changes: Iterator[tuple[str, bool]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What changes in the end."""
        differences: dict[str, int] = {}
        for text, comes in changes:
            differences[text] = differences.get(text, 0) + (1 if comes else -1)
        announced, withdrawn = [], []
        for text, difference in differences.items():
            before = self._announced.pop(text, 0)
            if before + difference:
                self._announced[text] = before + difference
            if before + difference and not before:
                announced.append(text)
            elif before and not before + difference:
                withdrawn.append(text)
        return tuple(sorted(announced)), tuple(sorted(withdrawn))
