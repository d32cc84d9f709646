"""What Spark complains of, in our words."""

import pytest
from pyspark.errors import PySparkException

from tidings.errors import InputError, WorldError
from tidings.pipeline.complaints import complaining, told

WORKER = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "worker.py", line 3, in main
ValueError: too many values
"""


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("x\ntidings.errors.InputError: f.gz: is it whole?\n more", InputError, "^logs: f.gz: is it whole\\?$"),
        ("tidings.errors.InputError: logs/a: is bad", InputError, "^logs/a: is bad$"),
        ("[FAILED_READ_FILE.NO_HINT] x", InputError, "a table cannot be read .*; run it again"),
        ("Job aborted\nCaused by: x", WorldError, "Spark failed: Job aborted; free memory"),
        (WORKER, WorldError, "ValueError: too many values"),
        ("", WorldError, "no reason given"),
    ],
)
def test_each_is_one_sentence(text, kind, says):
    """Yours where an input is bad, the world's where a machine is; a worker's own error by its name."""
    with pytest.raises(kind, match=says):
        raise told("logs", text)


def test_the_block_is_watched():
    """Spark's errors become ours; ours and mistakes stay what they are."""
    with pytest.raises(WorldError, match="Spark failed: x"), complaining("logs"):
        raise PySparkException("x")
    for error in (InputError("y"), KeyError("z")):
        with pytest.raises(type(error)), complaining("logs"):
            raise error
