"""The tests stand where the source stands: one file for each module, and at least as many lines."""

from architecture.rooms import SOURCE, TESTS, all_python

RATIO_MIN = 1.0


def lines(prefix: str) -> int:
    """Lines that are not blank, below a folder."""
    return sum(
        bool(line.strip())
        for module in all_python()
        if module.name.startswith(prefix)
        for line in module.text.splitlines()
    )


def test_every_module_has_its_own_test_file():
    """`src/tidings/room/module.py` is held by `tests/room/test_module.py`."""
    missing = []
    for path in sorted(SOURCE.rglob("*.py")):
        inside = path.relative_to(SOURCE)
        partner = TESTS / inside.parent / f"test_{inside.name}"
        if path.name != "__init__.py" and not partner.exists():
            missing.append(partner.relative_to(TESTS).as_posix())
    assert missing == []


def test_there_are_at_least_as_many_lines_of_tests():
    """Blank lines do not count."""
    assert lines("tests/") >= RATIO_MIN * lines("src/")
