"""What all tests share: how many seeds, how hypothesis searches, one Spark, and that CI forgives no missing part."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA_ABSENT = "shared data absent"
"""A skip whose reason starts so is one in CI, too: recorded data lies beside the project, not in it."""

_SEEDS = int(os.environ.get("TIDINGS_SEEDS", "0"))

settings.register_profile("desk", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("nightly", deadline=None, print_blob=True, max_examples=max(_SEEDS, 100))
settings.load_profile("nightly" if _SEEDS else "ci" if os.environ.get("CI") else "desk")


@pytest.fixture(scope="session")
def seeds() -> range:
    """The seeds of a campaign: 5 at the desk, TIDINGS_SEEDS when it is set."""
    return range(1, (_SEEDS or 5) + 1)


@pytest.fixture(scope="session")
def spark():
    """The Spark session of this process."""
    from tidings.pipeline.session import start

    # Small data and short lives: the quick compiler alone is enough for Java here.
    os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).parent / "pipeline" / "spark"))
    return start()


def pytest_collection_modifyitems(items):
    """All tests that need Spark run in one process when there are several: a session costs seconds."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))


def pytest_report_header() -> str:
    """The commit, which together with the printed seed repeats a failure."""
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    return f"tidings: commit {commit}, TIDINGS_SEEDS={_SEEDS or 'unset'}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """In CI a skipped test is a failed one."""
    report = yield
    return _no_excuse(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """The same for files that skip themselves whole."""
    report = yield
    return _no_excuse(report)


def _no_excuse(report):
    if not (os.environ.get("CI") and report.skipped) or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not reason.removeprefix("Skipped: ").startswith(SHARED_DATA_ABSENT):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not accept: {reason}"
    return report
