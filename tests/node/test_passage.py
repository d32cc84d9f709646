"""What every scheme's passage offers: brokers know nothing else of it."""

import inspect

import pytest

from tidings.node import ListPassage, WayPassage
from tidings.node.passage import Passage


@pytest.mark.parametrize("kind", [ListPassage, WayPassage])
def test_every_passage_offers_all_of_it(kind):
    """The same names, and methods that take as many arguments."""
    offered = {name: one for name, one in vars(Passage).items() if not name.startswith("_")}
    assert set(offered) == {"holds", "deadline", "believe", "start", "take", "taken", "reached", "due"}
    for name, one in offered.items():
        mine = inspect.getattr_static(kind, name)
        if inspect.isfunction(one):
            assert len(inspect.signature(mine).parameters) == len(inspect.signature(one).parameters)
