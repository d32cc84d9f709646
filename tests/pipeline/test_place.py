"""Where the pipeline runs."""

import subprocess
import sys

from pipeline.made_logs import Made, random_logs
from tidings.logs import open_folder
from tidings.pipeline.place import Where, check_java, check_spark, rows_audited, spark_installed


def test_a_place_says_its_name():
    """As the report names who judged."""
    assert [str(Where()), str(Where(master="local[2]")), str(Where(remote="sc://h"))] == [
        "embedded",
        "local[2]",
        "sc://h",
    ]
    assert [Where().chosen, Where(master="local[2]").chosen, Where(remote="sc://h").chosen] == [False, True, True]


PROGRAM = "from tidings.pipeline.place import check_java; check_java(); print('found')"


def looked_for(**environment):
    """What the search for Java ends with in a process with this environment."""
    words = [sys.executable, "-c", PROGRAM]
    return subprocess.run(words, check=False, capture_output=True, text=True, env=environment)


def test_java_is_found_or_its_remedy_said(tmp_path):
    """By JAVA_HOME, or on the path; without it the sentence tells three ways."""
    check_java()
    missing = looked_for(PATH=str(tmp_path))
    assert "WorldError" in missing.stderr
    assert all(word in missing.stderr for word in ("apt-get install openjdk", "JAVA_HOME", "--remote"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("", "utf-8")
    assert looked_for(PATH="", JAVA_HOME=str(tmp_path)).stdout == "found\n"


def test_rows_are_those_of_audited_tables(tmp_path):
    """As the folder lists them."""
    folder = open_folder(random_logs(tmp_path / "logs", Made(events=40, subscribers=2)))
    tables = ("publications", "deliveries", "interests", "deadlines", "drops")
    assert rows_audited(folder) == sum(folder.table(name).num_rows for name in tables) > 40


def test_spark_is_there():
    """The tests have it; without it the sentence says how to get it."""
    assert spark_installed()
    check_spark()
    program = "from tidings.pipeline import place; print(place.spark_installed())"
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ended.stdout == "True\n"
