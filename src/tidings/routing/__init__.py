"""Which neighbours next: spanning trees of topics, and what each neighbour wants."""

from tidings.routing.interest_table import Difference, InterestTable
from tidings.routing.trees import TopicTree, pick_tree, plan_trees, tree_neighbours
from tidings.routing.wants import Ahead, TableOptions, Wanted

__all__ = [
    "Ahead",
    "Difference",
    "InterestTable",
    "TableOptions",
    "TopicTree",
    "Wanted",
    "pick_tree",
    "plan_trees",
    "tree_neighbours",
]
