"""The reference page says what the schema says."""

import os
import subprocess
import sys
from pathlib import Path

from tidings.scenario.client_tables import SubscriberEntry
from tidings.scenario.document import Scenario
from tidings.scenario.reference import page
from tidings.scenario.schema import keys_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "scenario.md"


def test_the_page_is_up_to_date():
    """If this fails: python -m tidings.scenario.reference > docs/reference/scenario.md."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_key_has_a_row():
    """With its meaning."""
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    for table in (Scenario, SubscriberEntry):
        for one in keys_of(table):
            assert any(row.startswith(f"| `{one.name}` | {one.meaning} |") for row in rows)


def test_rows_are_whole():
    """Four cells each: no meaning or value breaks the table."""
    for line in page().splitlines():
        if line.startswith("|"):
            assert line.count("|") == 5, line


def test_defaults_are_shown():
    """As they would be written, or a dash."""
    text = page()
    assert (
        '| `renew` | `periodic`, `bypass`: how often subscriptions are renewed | a duration above 0 | `"1min"` |'
        in text
    )
    assert (
        "| `duration` | publishing stops here, and what fails is repaired | a duration above 0 | must be given |"
        in text
    )


def test_it_can_be_printed():
    """By the command that the page names."""
    printed = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "tidings.scenario.reference"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert printed.stdout == page()
