"""The page of the reference that says what an audit reports, from the meanings that stand in the code."""

from collections.abc import Mapping

from tidings.checking.report import MEANINGS, SUBSCRIBER_MEANINGS


def audit_page() -> str:
    """`docs/reference/audit.md`, whole."""
    return "\n".join(
        [
            "# What an audit reports",
            "",
            (
                "Generated from `tidings.checking.report`. With several runs the counts are sums, and `runs` holds the "
                "report of each by the name of its folder."
            ),
            "",
            *_lines(MEANINGS),
            "",
            "## For each subscriber",
            "",
            *_lines(SUBSCRIBER_MEANINGS),
            "",
        ]
    )


def _lines(meanings: Mapping[str, str]) -> list[str]:
    return ["| key | meaning |", "| --- | --- |", *(f"| `{key}` | {text} |" for key, text in meanings.items())]
