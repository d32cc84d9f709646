"""The catalogue: each study can be loaded and says what it is about; unknown ones are refused with what there is."""

import subprocess
import sys

import pytest

from tidings.errors import InputError
from tidings.studies.catalogue import STUDIES, study_of


@pytest.mark.parametrize("name", list(STUDIES))
def test_every_study_loads(name):
    """Its module is there, and offers figures."""
    assert callable(study_of(name).figures)
    assert 10 < len(STUDIES[name].about) < 80


def test_an_unknown_study_is_refused_with_what_there_is():
    """The message lists the names."""
    with pytest.raises(InputError, match=r"'nope'.*fifo"):
        study_of("nope")


def test_nothing_is_imported_before_it_is_run():
    """The list of studies costs no import of any of them."""
    text = "import sys, tidings.studies as s; sys.exit(any(one.module in sys.modules for one in s.STUDIES.values()))"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0
