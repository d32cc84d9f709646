"""The page about log tables is what the code says."""

from pathlib import Path

from tidings.logs.reference import logs_page
from tidings.vocabulary.records import COLUMNS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "logs.md"


def test_the_page_is_up_to_date():
    """Write `logs_page()` into it when this fails."""
    assert PAGE.read_text(encoding="utf-8") == logs_page()


def test_every_column_has_one_line_below_its_table():
    """With type, whether it may be null, and its meaning."""
    for part in logs_page().split("## ")[1:]:
        table = part.split(".")[0].strip("`")
        assert part.count("\n| `") == len(COLUMNS[table])
        assert all(f"| `{column.name}` |" in part and f"| {column.meaning} |" in part for column in COLUMNS[table])
    assert "| `out_of_order` | boolean |  |" in logs_page()
    assert "| `attributes` | map of strings |  |" in logs_page()
    assert "| `until_ns` | integer | yes |" in logs_page()
    assert "| `broker` | name | yes |" in logs_page()
