"""Places and files: complaints name file and key, and nothing outside the folder is read unasked."""

import os

import pytest

from tidings.errors import ScenarioError, WorldError
from tidings.scenario.source import FILE_BYTES_MAX, Place, Source, read_scenario_text


def test_places_spell_keys_as_people_write_them(tmp_path):
    """Tables by dots, entries by brackets."""
    top = Place(Source(tmp_path / "x.toml"))
    assert top.child("publisher").item(0).child("every").key == "publisher[0].every"
    assert top.child("name").key == "name"


def test_complaints_name_file_key_value_and_remedy(tmp_path):
    """The four things that a person needs."""
    error = Place(Source(tmp_path / "x.toml"), "seed").wrong("no", "must be a number")
    assert (error.file, error.key, error.value, error.remedy) == (
        str(tmp_path / "x.toml"),
        "seed",
        "no",
        "must be a number",
    )


def test_a_list_in_its_own_file_is_named_instead(tmp_path):
    """`file` takes the place of the scenario, also for keys below."""
    place = Place(Source(tmp_path / "x.toml"), "link", "links.parquet").item(3).child("loss")
    assert place.wrong(2, "…").file == "links.parquet"


def test_the_whole_file_has_a_name_too(tmp_path):
    """An empty key would read badly."""
    assert Place(Source(tmp_path / "x.toml")).wrong(1, "…").key == "(whole file)"


def test_companions_lie_beside_or_below(tmp_path):
    """Both are found."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.csv").write_text("1")
    place = Place(Source(tmp_path / "x.toml"), "file")
    assert place.companion("sub/one.csv").read_text() == "1"
    assert place.companion("./sub/../sub/one.csv").exists()


@pytest.mark.parametrize("name", ["../secret.csv", "/elsewhere.csv", "link.csv"])
def test_companions_elsewhere_are_refused(tmp_path, name):
    """Also through a symbolic link."""
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("1")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(ScenarioError, match="--allow-files"):
        Place(Source(folder / "x.toml"), "file").companion(name)


def test_companions_elsewhere_can_be_allowed(tmp_path):
    """The caller says so."""
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (tmp_path / "other.csv").write_text("1")
    place = Place(Source(folder / "x.toml", allow_files=True), "file")
    assert place.companion("../other.csv").read_text() == "1"


@pytest.mark.parametrize("name", ["", 3, None, "a\0b"])
def test_names_that_are_no_names(tmp_path, name):
    """A file has a name in quotes."""
    with pytest.raises(ScenarioError, match="name of a file"):
        Place(Source(tmp_path / "x.toml"), "file").companion(name)


def test_missing_files_and_folders_are_refused(tmp_path):
    """What cannot be opened, and what is no file."""
    place = Place(Source(tmp_path / "x.toml"), "file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ScenarioError, match="cannot be opened"):
        place.companion("absent.csv")
    with pytest.raises(ScenarioError, match="not a folder"):
        place.companion("folder")


def test_companions_have_a_size_limit(tmp_path):
    """A sparse file is enough to show it."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        os.truncate(file.fileno(), (1 << 30) + 1)
    with pytest.raises(ScenarioError, match="larger than 1024 MiB"):
        Place(Source(tmp_path / "x.toml"), "file").companion("huge.csv")


def test_text_is_read_whole(tmp_path):
    """UTF-8 as it stands."""
    (tmp_path / "x.toml").write_text("name = 'Ærø'\n", encoding="utf-8")
    assert read_scenario_text(tmp_path / "x.toml") == "name = 'Ærø'\n"


def test_a_missing_scenario_is_an_input_error(tmp_path):
    """So is a folder."""
    for path in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(ScenarioError, match="not a scenario file"):
            read_scenario_text(path)


def test_what_the_system_refuses_is_the_worlds_error(tmp_path):
    """A name that is too long for any file system."""
    with pytest.raises(WorldError, match="cannot be read"):
        read_scenario_text(tmp_path / ("x" * 5000))


def test_scenarios_have_a_size_limit(tmp_path):
    """The message says where long lists belong."""
    path = tmp_path / "x.toml"
    with path.open("wb") as file:
        os.truncate(file.fileno(), FILE_BYTES_MAX + 1)
    with pytest.raises(ScenarioError, match="Parquet"):
        read_scenario_text(path)


def test_other_encodings_are_refused(tmp_path):
    """With the place of the first byte that is wrong."""
    (tmp_path / "x.toml").write_bytes(b"name = '\xff'\n")
    with pytest.raises(ScenarioError, match="byte 8"):
        read_scenario_text(tmp_path / "x.toml")
