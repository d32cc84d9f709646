"""From a file to a scenario: TOML, schema, filters."""

import pytest

from scenario_texts import CONTRACT, CONTRACT_FILES, SMALL, scenario_of
from tidings.errors import InputError, NotImplementedYet, ScenarioError
from tidings.scenario import load_scenario


@pytest.mark.parametrize("name", CONTRACT_FILES)
def test_the_contracts_files_load(name):
    """As they stand."""
    scenario = load_scenario(CONTRACT / f"{name}.toml")
    assert scenario.tidings == 1
    assert scenario.seed == 1


def test_paths_may_be_texts(tmp_path):
    """People have both."""
    scenario_of(tmp_path, SMALL)
    assert load_scenario(str(tmp_path / "small.toml")) == load_scenario(tmp_path / "small.toml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("tidings = 1\nname = 'x\n", "name = 'x"),
        ("tidings = 1\ntidings = 2\n", "tidings = 2"),
        ("tidings = = 1", "tidings = = 1"),
        ("tidings = [1", "tidings = [1"),
        ("\x00", "\x00"),
    ],
)
def test_toml_that_does_not_parse_names_the_line(tmp_path, text, line):
    """As value of the complaint; the reason is the parser's."""
    with pytest.raises(ScenarioError) as caught:
        scenario_of(tmp_path, text)
    assert caught.value.key == "(TOML)"
    assert caught.value.value == line


def test_an_empty_file_lacks_everything(tmp_path):
    """The first thing first."""
    with pytest.raises(ScenarioError, match="tidings = None: is missing"):
        scenario_of(tmp_path, "")


def test_deep_nesting_is_refused(tmp_path):
    """Instead of a crash of the parser."""
    with pytest.raises(ScenarioError):
        scenario_of(tmp_path, "x = " + "[" * 100_000)


def test_filters_are_looked_at_before_anything_is_drawn(tmp_path):
    """With the column."""
    with pytest.raises(ScenarioError, match="column 7"):
        scenario_of(tmp_path, SMALL.replace('topic == "t"', 'topic = "t"'))


def test_errors_are_input_errors():
    """Which end in exit code 2; what is not done yet is one of them."""
    assert issubclass(ScenarioError, InputError)
    assert issubclass(NotImplementedYet, ScenarioError)
