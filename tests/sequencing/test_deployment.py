"""What all endpoints agree on."""

from sequencing.board import PAIR, deployment


def test_codes_are_places_in_the_list_of_topics():
    """Of every member of a topic's group, ascending."""
    one = deployment({**PAIR, "v": ("c",)})
    assert one.topics == ("a", "b", "c")
    assert one.codes_of("a") == one.codes_of("b") == [0, 1]
    assert one.codes_of("c") == [2]


def test_layouts_are_shared():
    """One for each topic, with its group as the plan has it."""
    one = deployment()
    assert one.layouts["a"].members == ("a", "b")
    assert one.layouts["a"].own == 0


def test_two_of_the_same_plan_are_equal():
    """Whoever makes the plan from the same interests can take part."""
    assert deployment() == deployment()
    assert deployment() != deployment(program_order=True)
