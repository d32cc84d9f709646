"""`tidings audit`: what is printed, and when the exit code says that a promise is broken."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.command import LINE, document, line_of, refused, tidings
from tidings.logs import LogFolder, open_folder


@pytest.fixture
def logs(tmp_path):
    """A folder with the logs of a run that keeps its promises."""
    (tmp_path / "line.toml").write_text(LINE, "utf-8")
    assert tidings("simulate", "line.toml", "--out", "logs", folder=tmp_path).returncode == 0
    return tmp_path / "logs"


@pytest.fixture
def doubled(logs):
    """The same run, whose subscriber was shown its last event twice."""
    folder = open_folder(logs)
    with LogFolder.create(logs.with_name("doubled"), names=()) as target:
        target.write_text("scenario.toml", (logs / "scenario.toml").read_text("utf-8"))
        for name in ("publications", "deliveries", "interests", "deadlines"):
            rows = folder.table(name).to_pydict()
            if name == "deliveries":
                rows = {column: [*values, values[-1]] for column, values in rows.items()}
                rows["position"][-1] += 1
            if rows["event" if "event" in rows else "subscriber"]:
                target.write(name, {**rows, **_attributes(rows)})
        target.finish({})
    return target.path


def _attributes(rows):
    return {"attributes": [dict(one) for one in rows["attributes"]]} if "attributes" in rows else {}


def test_json_is_one_document(logs):
    """The document of the contract, and the promises that are broken: none."""
    ended = tidings("audit", "logs", "--json", folder=logs.parent)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert found["broken"] == []
    assert found["exact"] is True
    assert found["wanted"] == found["on_time"] == found["subscribers"]["s"]["wanted"] > 0
    assert ended.stderr == ""
    assert found["judged_by"] == "plain"


def test_tables_changed_by_hand_are_judged_and_named(logs, tmp_path):
    """What was shown twice is found in a table that somebody wrote anew, and the file is named."""
    shutil.copytree(logs, tmp_path / "changed")
    file = tmp_path / "changed" / "deliveries.parquet"
    table = pq.read_table(file)
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), file)
    ended = tidings("audit", "changed", "--json", folder=tmp_path)
    assert ended.returncode == 1
    assert (document(ended)["duplicates"], document(ended)["altered"]) == (1, [str(Path("changed", file.name))])
    assert "deliveries.parquet is not as run.json says" in ended.stderr


def test_people_get_a_table_and_a_verdict(logs):
    """A row per group of subscribers, and one sentence."""
    ended = tidings("audit", "logs", folder=logs.parent)
    assert line_of(ended.stdout, "s")[:3] == ["1", "1.0000", "1.0000"]
    assert "duplicates 0" in ended.stdout
    assert ended.stdout.endswith("every promise of the scenario held\n")


def test_a_broken_promise_is_exit_code_1(doubled):
    """The results are printed all the same."""
    ended = tidings("audit", doubled, "--json", folder=doubled.parent)
    assert ended.returncode == 1, ended.stderr
    assert document(ended)["duplicates"] == 1
    assert len(document(ended)["broken"]) == 1
    told = tidings("audit", doubled, folder=doubled.parent)
    assert told.returncode == 1
    assert "BROKEN: 1 showing" in told.stdout


def test_several_runs_are_judged_together(logs):
    """Counts are sums, each run stands beside them."""
    words = ("simulate", "line.toml", "--runs", 2, "--out", "many")
    assert tidings(*words, folder=logs.parent).returncode == 0
    found = document(tidings("audit", "many", "--json", folder=logs.parent))
    assert sorted(found["runs"]) == ["seed-3", "seed-4"]
    assert found["wanted"] == sum(run["wanted"] for run in found["runs"].values())


def test_a_folder_without_a_run_is_bad_input(tmp_path):
    """One that is not there, and one that holds something else."""
    assert "nowhere" in refused(tidings("audit", "nowhere", folder=tmp_path))
    assert "no finished run" in refused(tidings("audit", ".", "--json", folder=tmp_path))


def test_a_folder_that_is_not_whole_is_bad_input(logs):
    """A table that was cut, or a list of files that is none."""
    table = logs / "deliveries.parquet"
    table.write_bytes(table.read_bytes()[:-7])
    assert "deliveries.parquet" in refused(tidings("audit", "logs", folder=logs.parent))
    shutil.copytree(logs, logs.parent / "other")
    (logs.parent / "other" / "run.json").write_text(json.dumps({"files": 3}), "utf-8")
    assert "run.json" in refused(tidings("audit", "other", folder=logs.parent))


def test_several_folders_are_judged_together(logs):
    """Counts are sums; a folder named twice would count twice."""
    shutil.copytree(logs, logs.parent / "other")
    found = document(tidings("audit", "logs", "other", "--json", folder=logs.parent))
    assert sorted(found["runs"]) == ["logs", "other"]
    assert found["wanted"] == 2 * found["runs"]["logs"]["wanted"]
    assert "twice" in refused(tidings("audit", "logs", "logs", folder=logs.parent))


@pytest.mark.xdist_group("spark")
def test_a_named_place_judges_on_spark(logs):
    """With the same counts, and its name in the output."""
    plain = document(tidings("audit", "logs", "--json", folder=logs.parent))
    ended = tidings("audit", "logs", "--json", "--master", "local[2]", folder=logs.parent)
    assert ended.returncode == 0, ended.stderr
    assert document(ended) == {**plain, "judged_by": "spark (local[2])"}
    assert ended.stderr == ""


def test_a_place_where_nobody_is(logs):
    """An address that refuses, and two places at once."""
    assert "answers there" in refused(tidings("audit", "logs", "--master", "spark://127.0.0.1:1", folder=logs.parent))
    words = ("audit", "logs", "--master", "local[2]", "--remote", "sc://h")
    assert "name one place" in refused(tidings(*words, folder=logs.parent))


def test_reports_are_written(logs):
    """A page, a document and a table; the measured share beside the predicted one."""
    words = ("--report", "r.html", "--report", "r.json", "--report", "r.parquet")
    ended = tidings("audit", "logs", *words, "--json", folder=logs.parent)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert found["prediction"]["subscribers"] == found["prediction"]["inside"] == 1
    assert found["subscribers"]["s"]["predicted"] == 1.0
    assert found["subscribers"]["s"]["reliability_high"] == 1.0
    del found["altered"]
    assert json.loads((logs.parent / "r.json").read_text("utf-8"))["logs"] == found
    assert "Audit of logs" in (logs.parent / "r.html").read_text("utf-8")
    assert (logs.parent / "r.parquet").stat().st_size > 0
    assert "report in r.html" in ended.stderr


def test_a_prediction_of_others_is_compared(logs):
    """The table that predict wrote, instead of the folder's own scenario."""
    assert tidings("predict", "line.toml", "--table", "f.parquet", folder=logs.parent).returncode == 0
    ended = tidings("audit", "logs", "--predicted", "f.parquet", folder=logs.parent)
    assert "prediction: 1.0000 for 1.0000 measured" in ended.stdout
    assert "(f.parquet)" in ended.stdout


def test_what_cannot_be_predicted_is_judged_all_the_same(logs):
    """And the reason is said."""
    text = LINE + '[ordering]\nguarantee = "fifo"\n'
    (logs.parent / "ordered.toml").write_text(text, "utf-8")
    assert tidings("simulate", "ordered.toml", "--out", "ordered", folder=logs.parent).returncode == 0
    ended = tidings("audit", "logs", "ordered", "--report", "both.html", "--json", folder=logs.parent)
    assert ended.returncode == 0, ended.stderr
    found = document(ended)
    assert found["runs"]["logs"]["prediction"]["subscribers"] == 1
    # One or the other: whoever predicts an order says so with numbers.
    ordered = found["runs"]["ordered"]
    assert (ordered["prediction"] is None) == (ordered["not_predicted"] is not None)
    assert "violations of fifo order" in (logs.parent / "both.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--report", "r.pdf"), "--report r.pdf"),
        (("--report", "none/r.html"), "name a file"),
        (("--predicted", "none.parquet"), "predict SCENARIO --table FILE"),
    ],
)
def test_reports_that_cannot_be_are_refused(logs, words, said):
    """Before anything is judged; nothing is written."""
    assert said in refused(tidings("audit", "logs", *words, folder=logs.parent))
    assert not list(logs.parent.glob("r.*"))
