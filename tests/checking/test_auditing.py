"""A folder in, a report out."""

import pytest
from hypothesis import given

from checking import twin
from checking.histories import history_of, interest, publication, rows_of_runs, shown, tables
from tidings.checking.auditing import audit, audit_history
from tidings.errors import InputError
from tidings.logs import LogFolder, RunsFolder
from tidings.vocabulary.records import TABLES

FAULTY = {
    "publications": [publication(0, acknowledged_ns=3), publication(1), publication(2, "q")],
    "interests": [interest("s"), interest("r")],
    "deliveries": [*shown("s", 1, 0, 0), *shown("r", 0, 1)],
}


def write(path, rows):
    """A folder with these rows."""
    with LogFolder.create(path, names=[]) as folder:
        for name, table in tables(**rows).items():
            columns = {column: table.column(column).to_pylist() for column in TABLES[name].names}
            if name == "publications":
                columns["attributes"] = [dict(pairs) for pairs in columns["attributes"]]
            folder.write(name, columns)
        folder.finish({"seed": 1})


def check(document):
    """What the planted faults of `FAULTY` count."""
    faults = {"fifo_inversions": 1, "order_conflicts": 1, "order_cycles": 1, "causal_inversions": 1, "duplicates": 1}
    fates = {"wanted": 6, "on_time": 4, "lost": 2, "late": 0, "expired": 0, "tagged": 0, "unexpected": 0, "exact": True}
    assert {key: value for key, value in document.items() if key != "subscribers"} == faults | fates


def test_a_run_with_one_fault_of_many_kinds(tmp_path):
    """Each is counted where it belongs."""
    write(tmp_path / "run", FAULTY)
    report = audit(tmp_path / "run")
    check(report.to_json())
    assert report.subscribers["s"].fifo_inversions == 1
    assert report.subscribers["r"].fifo_inversions == 0
    assert (report.fifo_chances, report.topic_inversions) == (2, 1)


def test_several_runs(tmp_path):
    """Sums, and each run by the name of its folder."""
    with RunsFolder(tmp_path / "runs") as folder:
        write(folder.stage / "seed-1", FAULTY)
        write(folder.stage / "seed-2", {})
        folder.finish_runs({}, ["seed-1", "seed-2"])
    document = audit(tmp_path / "runs").to_json()
    check(document["runs"]["seed-1"])
    assert document["runs"]["seed-2"]["wanted"] == 0
    assert document["wanted"] == 6


def test_no_finished_run(tmp_path):
    """Said at once."""
    with pytest.raises(InputError, match="no finished run"):
        audit(tmp_path)


@given(rows_of_runs())
def test_agrees_with_the_twin(rows):
    """Every count at once, on random histories."""
    report = audit_history(history_of(**rows))
    assert report.order_conflicts == twin.conflicts(rows)
    assert report.order_cycles == twin.cycles(rows)
    assert report.causal_inversions == twin.causal(rows)
    assert report.tagged == sum(row["out_of_order"] for row in rows["deliveries"])
    fifo, chances = twin.fifo(rows)
    assert (report.fifo_inversions, report.fifo_chances) == (sum(fifo.values()), chances)
    assert report.topic_inversions == sum(twin.fifo(rows, within_topic=True)[0].values())
    outcomes = {client: twin.outcome(rows, client) for client in twin.clients(rows)}
    for count in ("duplicates", "unexpected", "wanted", "on_time", "late", "expired", "lost", "acknowledged_lost"):
        assert report.total(count) == sum(one[count] for one in outcomes.values())
    assert {name: one.fifo_inversions for name, one in report.subscribers.items() if one.fifo_inversions} == dict(fifo)
