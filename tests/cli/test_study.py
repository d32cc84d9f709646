"""`tidings study`: lists, documents, folders, and what is refused."""

import json

import pytest

from cli.command import document, refused, tidings, written


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """One study, with its folder, as JSON."""
    folder = tmp_path_factory.mktemp("study")
    return folder, tidings("study", "stuck", "--json", "--processes", 1, "--out", "s", folder=folder)


def test_without_a_name_studies_are_listed(tmp_path):
    """One line each; as JSON under their names."""
    listed = tidings("study", folder=tmp_path)
    assert listed.returncode == 0
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert {"fifo", "stuck"} <= set(names)
    assert list(document(tidings("study", "--json", folder=tmp_path))["studies"]) == names


def test_json_is_the_contracts_document(ended):
    """Figures by name, each a list of what, paper and ours; the folder holds page and plots."""
    folder, study = ended
    assert study.returncode == 0, study.stderr
    figures = document(study)["figures"]
    assert all({"what", "paper", "ours"} <= row.keys() for rows in figures.values() for row in rows)
    assert "open s/index.html" in study.stderr
    assert {"s/index.html", "s/figures.json", "s/run.json"} <= set(written(folder))
    assert json.loads((folder / "s/figures.json").read_text("utf-8")).keys() == figures.keys()


def test_people_get_all_rows(ended, tmp_path):
    """A table for each figure, on two processes the same numbers; with --quiet no word beside."""
    study = tidings("study", "stuck", "--quiet", "--processes", 2, folder=tmp_path)
    assert (study.returncode, study.stderr) == (0, "")
    for rows in document(ended[1])["figures"].values():
        for row in rows:
            (line,) = [one for one in study.stdout.splitlines() if one.startswith(row["what"] + "  ")]
            assert float(line.removeprefix(row["what"]).split()[1].replace(",", "")) == pytest.approx(
                row["ours"], rel=1e-3
            )


def test_bad_input_leaves_nothing_behind(tmp_path):
    """An unknown study, and a folder that is taken: said before anything is computed."""
    assert "'nope'" in refused(tidings("study", "nope", folder=tmp_path))
    (tmp_path / "taken").write_text("x", "utf-8")
    assert "taken" in refused(tidings("study", "stuck", "--out", "taken", folder=tmp_path))
    assert written(tmp_path) == ["taken"]
