"""What only a page shows of a folder: its overlay, where that can be drawn."""

from tidings.errors import TidingsError
from tidings.logs import Folder
from tidings.reporting.forecasts import world_of
from tidings.reporting.overlay_map import OverlayMap, overlay_map


def overlay_of(folder: Folder) -> OverlayMap | None:
    """The overlay of a run; None where its scenario cannot be read or the overlay is too large."""
    try:
        return overlay_map(world_of(folder), folder)
    except TidingsError:
        return None
