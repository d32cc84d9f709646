"""The version is said once in the code."""

import re

import tidings
from tidings import surface, version


def test_it_is_a_semantic_version():
    """Three numbers."""
    assert re.fullmatch(r"\d+\.\d+\.\d+", version.__version__)


def test_everybody_says_the_same():
    """The package and its surface take it from here."""
    assert tidings.__version__ is surface.__version__ is version.__version__
