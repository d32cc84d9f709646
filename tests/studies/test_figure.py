"""Figures as data: rows of the contract, and curves that fit together."""

from tidings.studies.figure import Figure, Finding


def test_a_finding_is_a_row_of_the_contract():
    """What, paper, ours; the interval only where there is one."""
    assert Finding("mean", 3, 2.5).document() == {"what": "mean", "paper": 3, "ours": 2.5}
    assert Finding("mean", None, 2.5, 2.0, 3.0).document() == {
        "what": "mean",
        "paper": None,
        "ours": 2.5,
        "low": 2.0,
        "high": 3.0,
    }


def test_a_figure_is_a_list_of_rows():
    """In their order."""
    figure = Figure(name="fig1", title="t", findings=(Finding("b", 1, 2), Finding("a", None, "x")))
    assert [row["what"] for row in figure.document()] == ["b", "a"]
