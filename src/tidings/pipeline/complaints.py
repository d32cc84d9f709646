"""What Spark complains of, as one of our own errors: yours where an input is bad, the world's where a machine is."""

import contextlib
import re
from collections.abc import Iterator

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tidings.errors import InputError, TidingsError, WorldError

_OURS = f"{InputError.__module__}.{InputError.__qualname__}: "
_UNREADABLE = ("FAILED_READ_FILE", "checksum", "ParquetDecodingException", "BadPage")


@contextlib.contextmanager
def complaining(about: str) -> Iterator[None]:
    """Turn what Spark raises inside the block into a sentence about `about`."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise told(about, str(error)) from error


def told(about: str, text: str) -> TidingsError:
    """The error for what Spark said. A refusal of our own that happened in a worker comes back as its sentence."""
    if _OURS in text:
        sentence = text.split(_OURS, 1)[1].splitlines()[0]
        return InputError(sentence if sentence.startswith(about) else f"{about}: {sentence}")
    reason = _reason([line for line in text.splitlines() if line.strip()])
    if any(word in text for word in _UNREADABLE):
        return InputError(f"{about}: a table cannot be read ({reason[:200]}); run it again")
    return WorldError(f"{about}: Spark failed: {reason[:300]}; free memory or disk, or try --master elsewhere")


def _reason(said: list[str]) -> str:
    """The first line, or, of what a worker in Python threw, the line that names the error."""
    named = [line for line in said if re.match(r"[\w.]*(Error|Exception|Exit): ", line)]
    if "Python worker" in "".join(said[:1]) and named:
        return named[-1]
    return said[0] if said else "no reason given"
