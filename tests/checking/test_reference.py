"""The page about audits is what the code says."""

from pathlib import Path

from tidings.checking.reference import audit_page
from tidings.checking.report import MEANINGS, SUBSCRIBER_MEANINGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit.md"


def test_the_page_is_up_to_date():
    """Write `audit_page()` into it when this fails."""
    assert PAGE.read_text(encoding="utf-8") == audit_page()


def test_every_key_has_one_line():
    """Of a table."""
    lines = audit_page().splitlines()
    for key, meaning in {**MEANINGS, **SUBSCRIBER_MEANINGS}.items():
        assert lines.count(f"| `{key}` | {meaning} |") == 1
