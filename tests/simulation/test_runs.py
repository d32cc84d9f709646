"""`simulate`: one world into one folder, whole or not at all, and the world that the folder names."""

import json

import pytest

from scenario_texts import CONTRACT, SMALL, world_of
from simulation.worlds import changed, make_world, ms, publisher, serving, subscriber
from tidings.checking import audit
from tidings.errors import InputError, NotImplementedYet
from tidings.logs import open_folder
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import Ordering
from tidings.simulation import Faults, simulate
from tidings.simulation.faults import LinkFaults, Spells
from tidings.version import __version__
from tidings.vocabulary.instant import MINUTE, SECOND


def tables(folder):
    """The bytes of every table in a folder."""
    return {file.name: file.read_bytes() for file in folder.glob("*.parquet")}


def test_the_result_says_how_much_happened(tmp_path):
    """Events and deliveries are those of the tables, and of `run.json`."""
    result = simulate(world_of(tmp_path, SMALL), out=tmp_path / "logs")
    folder = open_folder(result.folder)
    assert result.folder == tmp_path / "logs"
    assert result.events == folder.table("publications").num_rows == 10
    assert result.deliveries == folder.table("deliveries").num_rows == 10
    assert folder.run["counters"] == {"events": 10, "deliveries": 10, "faults": {}}


def test_run_json_says_what_was_run(tmp_path):
    """Verb, scenario, seed, version, machine, time, and every file."""
    simulate(world_of(tmp_path, SMALL, seed=9), out=tmp_path / "logs")
    run = json.loads((tmp_path / "logs" / "run.json").read_text("utf-8"))
    assert (run["verb"], run["seed"], run["version"]) == ("simulate", 9, __version__)
    assert run["wall_s"] >= 0
    assert set(run["host"]) == {"python", "machine", "system", "cores"}
    listed = {file["name"] for file in run["files"]}
    assert listed | {"run.json"} == {file.name for file in (tmp_path / "logs").iterdir()}


def test_the_scenario_beside_the_tables_is_the_world(tmp_path):
    """What `simulate` writes down gives the same world, and its simulation the same tables."""
    world = changed(expand(load_scenario(CONTRACT / "load.toml")), duration_ns=30 * SECOND)
    simulate(world, out=tmp_path / "first")
    again = expand(load_scenario(tmp_path / "first" / "scenario.toml"))
    assert again == world
    simulate(again, out=tmp_path / "second")
    assert tables(tmp_path / "first") == tables(tmp_path / "second")


def test_seeds_differ_and_repeat(tmp_path):
    """The same seed gives the same tables, another seed others."""
    world = make_world([serving("a", ms(2)), "b"], publishers=[publisher(every=ms(20))])
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        simulate(changed(world, seed=seed), out=tmp_path / name)
    assert tables(tmp_path / "one") == tables(tmp_path / "same")
    assert tables(tmp_path / "one")["deliveries.parquet"] != tables(tmp_path / "other")["deliveries.parquet"]


def test_tables_can_be_left_out(tmp_path):
    """Only those asked for are written; they are the same as ever."""
    world = make_world()
    simulate(world, out=tmp_path / "all")
    simulate(world, out=tmp_path / "some", tables=("publications", "deliveries"))
    some, whole = tables(tmp_path / "some"), tables(tmp_path / "all")
    assert sorted(some) == ["deliveries.parquet", "publications.parquet"]
    assert all(whole[name] == some[name] for name in some)


def test_progress_is_told(tmp_path):
    """Instants that never run backwards, out of the duration."""
    told = []
    world = make_world(publishers=[publisher(every=ms(1))], duration_ns=20 * SECOND)
    simulate(world, out=tmp_path / "logs", progress=lambda now, duration: told.append((now, duration)))
    assert {duration for _, duration in told} == {20 * SECOND}
    assert [now for now, _ in told] == sorted(now for now, _ in told)
    assert told[-1][0] > 10 * SECOND


def test_faults_are_counted(tmp_path):
    """What a campaign did stands in `run.json`."""
    faults = Faults(packets=LinkFaults(drop=0.3), crashes=Spells(every_ns=SECOND, lasting_ns=SECOND // 10))
    world = make_world(publishers=[publisher(every=ms(100))], subscribers=[subscriber("s", "b")], duration_ns=MINUTE)
    simulate(world, out=tmp_path / "logs", faults=faults)
    counted = open_folder(tmp_path / "logs").run["counters"]["faults"]
    assert set(counted) == {"drop link", "crash broker"}
    assert all(counted.values())


def test_what_is_not_simulated_yet_is_refused(tmp_path):
    """With key and value, before anything is written."""
    world = make_world(ordering=Ordering(guarantee="groups", mode="unreliable"))
    with pytest.raises(NotImplementedYet, match=r"ordering\.mode"):
        simulate(world, out=tmp_path / "logs")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_taken_is_left_alone(tmp_path):
    """The complaint comes first, and nothing is touched."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "precious").write_text("data")
    with pytest.raises(InputError, match="not an empty folder"):
        simulate(make_world(), out=tmp_path / "logs")
    assert [file.name for file in tmp_path.rglob("*")] == ["logs", "precious"]


def test_a_run_that_ends_early_leaves_nothing(tmp_path):
    """As when somebody interrupts it."""

    def interrupt(_now, _duration):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(make_world(), out=tmp_path / "logs", progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_the_contracts_load(tmp_path):
    """A tree of brokers under load: nothing twice, nothing unexpected, every outcome accounted for, and plausible."""
    world = changed(expand(load_scenario(CONTRACT / "load.toml")), duration_ns=5 * MINUTE)
    simulate(world, out=tmp_path / "logs")
    report = audit(tmp_path / "logs")
    wanted, on_time, late, expired, lost = (
        report.total(name) for name in ("wanted", "on_time", "late", "expired", "lost")
    )
    assert report.total("duplicates") == report.total("unexpected") == 0
    assert wanted == on_time + late + expired + lost
    assert late == 0, "nothing is shown after its lifetime, and there are no deadlines"
    # A link loses one packet in a thousand, and nobody is more than some ten links away.
    assert 0 < lost < 0.01 * wanted
    # Brokers work 0.1 s on each of 8 events a second: most events are too late after a few of them.
    assert 0.1 * wanted < on_time < 0.8 * wanted


def test_a_subscriber_at_the_publishers_broker_gets_everything(tmp_path):
    """No link, no queue: nothing can happen to an event."""
    world = make_world("a", publishers=[publisher(every=ms(10))], subscribers=[subscriber()])
    simulate(world, out=tmp_path / "logs")
    report = audit(tmp_path / "logs").subscribers["s"]
    assert report.reliability == 1.0
    assert report.delay_ns == (0, 0, 0, 0)
