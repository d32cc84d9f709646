"""What only a page shows; a folder whose scenario cannot be read has none."""

from tidings.logs import LogFolder, open_folder
from tidings.reporting.pictures import overlay_of


def test_a_scenario_that_cannot_be_read_gives_no_picture(tmp_path):
    """And no complaint: the audit stands without it."""
    with LogFolder.create(tmp_path / "logs", names=()) as made:
        made.write_text("scenario.toml", "tidings = 1\n")
        made.finish({})
    assert overlay_of(open_folder(tmp_path / "logs")) is None
