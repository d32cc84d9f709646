"""Rows become tables: by mapping, with the reasons of those that do not."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.profiling.mapping import mapping_from
from tidings.profiling.normalise import part_of
from tidings.profiling.normalised import SCHEMAS

HOUR_NS = 3_600 * 10**9


def read(spark, path, text, mapping):
    """Good rows of a CSV file, and the reasons of the others."""
    path.write_text(text, "utf-8")
    found = mapping_from(mapping, "m.toml")
    part = part_of(spark, found, [path])
    rows = part.judged.cache()
    (table,) = part.tables(rows.where("reason is null").select("good.*")).values()
    assert {field.name for field in table.schema} == {one.split()[0] for one in SCHEMAS[found.kind].split(", ")}
    return [row.asDict() for row in table.collect()], [
        row["reason"] for row in rows.where("reason is not null").collect()
    ]


def test_events(spark, tmp_path):
    """With everything that an event may say; what it does not say is left at its default."""
    mapping = """
kind = "events"
rules = [{ column = "size", least = 1, most = 100 }]
[fields]
publisher = "who"
published = { column = "at", unit = "s" }
topic = "what"
payload_bytes = "size"
lifetime = { column = "life", unit = "ms" }
[attributes]
side = "side"
"""
    text = "who,at,what,size,life,side\np,1.5,t,10,20,buy\np,2,,1,,\n,1,t,1,1,x\np,x,t,1,1,x\np,1,a/#,1,1,x\np,1,t,0,1,x\np,1,t,101,1,x\np,1,t,1,z,x\n"
    good, bad = read(spark, tmp_path / "a.csv", text, mapping)
    first, second = good
    assert (first["publisher"], first["at_ns"], first["topic"]) == ("p", 1_500_000_000, "t")
    assert (first["payload_bytes"], first["lifetime_ns"], first["attributes"]) == (10, 20_000_000, {"side": '"buy"'})
    assert (second["topic"], second["lifetime_ns"], second["attributes"], second["place"]) == ("events", None, {}, 3)
    assert bad == [
        "publisher: nothing is not what the mapping says",
        "published: x is not what the mapping says",
        "topic: has a wildcard, + or #",
        "size: is below 1",
        "size: is above 100",
        "lifetime: z is not what the mapping says",
    ]


def test_copies(spark, tmp_path):
    """A row that stands for several events: in the middle of equal parts."""
    mapping = 'kind = "events"\ncopies = "n"\nover = "8ns"\n[fields]\npublisher = { value = "p" }\npublished = { column = "at", unit = "ns" }\n'
    good, bad = read(spark, tmp_path / "a.csv", "at,n\n100,4\n200,0\n300,1\n400,x\n", mapping)
    assert [row["at_ns"] for row in good] == [101, 103, 105, 107, 304]
    assert bad == ["n: x is not what the mapping says"]


def test_outages(spark, tmp_path):
    """Components of a group are named after it; none ends before it begins."""
    mapping = 'kind = "outages"\n[fields]\ncomponent = "c"\ngroup = "g"\ndown = { column = "d", unit = "h" }\nup = { column = "u", unit = "h" }\n'
    good, bad = read(spark, tmp_path / "a.csv", "c,g,d,u\n7,x,1,2\n7,,1,1\n7,x,2,1\n", mapping)
    assert [(row["component"], row["down_ns"], row["up_ns"]) for row in good] == [
        ("x/7", HOUR_NS, 2 * HOUR_NS),
        ("7", HOUR_NS, HOUR_NS),
    ]
    assert (good[0]["group"], good[1]["group"], good[0]["since_ns"]) == ("x", None, None)
    assert bad == ["up: comes before down"]


@pytest.mark.parametrize(
    ("said", "delay_ns", "deviation_ns"),
    [
        ('delay = { column = "d", unit = "ms" }', 8_000_000, 4_000_000),
        ('round_trip = { column = "d", unit = "ms" }', 4_000_000, 2_828_427),
    ],
)
def test_delays(spark, tmp_path, said, delay_ns, deviation_ns):
    """A round trip is two ways that vary by themselves; lost packets have none; light is not beaten."""
    mapping = f"""
kind = "delays"
[fields]
one = "a"
other = "b"
{said}
deviation = {{ column = "v", unit = "ms" }}
distance = {{ column = "km", unit = "km" }}
lost = "lost"
"""
    text = "a,b,d,v,km,lost\nx,y,8,4,10,no\nx,y,,,10,yes\nx,y,,,10,no\nx,y,-1,,10,no\nx,y,8,,9000,no\n"
    good, bad = read(spark, tmp_path / "a.csv", text, mapping)
    assert [(row["delay_ns"], row["deviation_ns"], row["lost"]) for row in good] == [
        (delay_ns, deviation_ns, False),
        (None, 0, True),
    ]
    assert bad == ["delay: is missing", "delay: is negative", "delay: is shorter than light takes"]


def test_positions_points_interests(spark, tmp_path):
    """Metres or degrees."""
    mapping = 'kind = "positions"\n[fields]\nsubject = "s"\nat = { column = "t", unit = "s" }\nx = { column = "x", unit = "km" }\ny = "y"\n'
    good, _ = read(spark, tmp_path / "a.csv", "s,t,x,y\nu,1,2,3\n", mapping)
    assert good == [{"subject": "u", "at_ns": 10**9, "x": 2000.0, "y": 3.0, "degrees": False}]
    mapping = 'kind = "points"\n[fields]\npoint = "p"\nlongitude = "x"\nlatitude = "y"\n'
    good, bad = read(spark, tmp_path / "b.csv", "p,x,y\nq,2,3\nr,2,north\n", mapping)
    assert good == [{"point": "q", "x": 2.0, "y": 3.0, "degrees": True}]
    assert bad == ["latitude: north is not what the mapping says"]
    mapping = 'kind = "interests"\n[fields]\nsubject = "p"\ntopic = "x"\nweight = "y"\n'
    good, _ = read(spark, tmp_path / "c.csv", "p,x,y\nq,t,3\nq,u,\n", mapping)
    assert [row["weight"] for row in good] == [3.0, 1.0]


def test_parquet_with_typed_columns(spark, tmp_path):
    """Numbers and texts as they are."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"who": ["p"], "at": pa.array([5], pa.timestamp("us")), "x": [2.5], "ok": [True]}), path)
    mapping = 'kind = "events"\nformat = "parquet"\n[fields]\npublisher = "who"\npublished = "at"\n[attributes]\nx = { column = "x", as = "number" }\nok = { column = "ok", as = "truth" }\n'
    part = part_of(spark, mapping_from(mapping, "m"), [path])
    (row,) = part.judged.select("good.*").collect()
    assert (row["at_ns"], row["attributes"]) == (5_000, {"x": "2.5", "ok": "true"})
