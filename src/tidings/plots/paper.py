"""How large a plot is drawn, and where its names of curves stand."""

from dataclasses import dataclass
from typing import Final

LINE: Final = 16
"""Height of a line of the legend."""


@dataclass(frozen=True, slots=True)
class Paper:
    """Sizes in units of the drawing, of which letters are 11 high."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    legend_below: bool = False
    """Under the plot, which grows for it; else to its right."""

    def whole_height(self, curves: int) -> int:
        """With the legend."""
        return self.height + (LINE * curves if self.legend_below else 0)

    def legend_at(self, curve: int) -> tuple[int, int]:
        """Where the name of a curve stands."""
        if self.legend_below:
            return self.left, self.height + LINE * curve
        return self.width - self.right + 10, self.top + 8 + LINE * curve


WIDE: Final = Paper(640, 360, 70, 170, 30, 50)
NARROW: Final = Paper(400, 300, 56, 14, 30, 50, legend_below=True)
"""For a page that is read on a telephone, too: as wide as one, with letters that stay readable there."""
