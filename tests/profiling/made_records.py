"""Records in every layout that the package knows, small enough to count by hand, with bad rows among them."""

import gzip
import io
import json
import tarfile
import zipfile

import numpy as np

from tidings.logs import LogFolder
from tidings.vocabulary.records import NULL_NAME, NULL_NS

MS = 1_000_000
DAY_MS = 86_400_000
OPEN_MS = 34_200_000
DAYS = {"20131007": 15985, "20131008": 15986}
"""Days since 1970."""
TRADES = [
    (OPEN_MS + at, price, size) for at, price, size in [(0, 1821400, 64), (0, 1821500, 100), (40, 1821400, 64)]
] + [(OPEN_MS + 1000 * second, 1820000 + 100 * (second % 7), 100 * (1 + second % 3)) for second in range(1, 60)]
BAD_TRADES = ["bad,row", "1,2,3", f"{OPEN_MS},-5,100,P,1,0", f"{OPEN_MS},1800000,100,P,1,maybe", ",1,1,P,1,0"]


def write_records(folder):
    """A folder for each layout; gives it back."""
    for make in (trades, quotes, mentions, flights, posts, failures, monitor, pings, matrices, rides, run):
        make(folder)
    return folder


def trades(folder):
    """Two days of one symbol, the second with bad rows; the same trades on both."""
    for day, bad in (("20131007", []), ("20131008", BAD_TRADES)):
        rows = [f"{at},{price},{size},P,2000,{int(price == 1820000)}" for at, price, size in TRADES]
        zipped(folder / "ticks" / f"ibm_{day}_trade.zip", f"{day}_ibm_Trade_Tick.csv", [*rows, *bad])


def quotes(folder):
    """Of a share and of a currency."""
    zipped(folder / "ticks" / "ibm_20131007_quote.zip", "q.csv", [f"{OPEN_MS},0,0,1836300,100,Q,1,0"] * 2)
    zipped(folder / "ticks" / "eurusd_20131007_quote.zip", "q.csv", [f"{OPEN_MS + 7},1.38756,1.38758"])


def mentions(folder):
    """Three in five minutes, none, then one."""
    text = "timestamp,value\n2013-10-07 09:30:00,3\n2013-10-07 09:35:00,0\n2013-10-07 09:40:00,1\n"
    written(folder / "nab" / "Twitter_volume_KO.csv", text)


def flights(folder):
    """From two airports, out of order."""
    rows = [
        {"date": "2001/01/01 01:10", "delay": 95, "distance": 2399, "origin": "HNL", "destination": "SFO"},
        {"date": "2001/01/01 00:47", "delay": -6, "distance": 1750, "origin": "DTW", "destination": 'L"AS'},
        {"date": "yesterday", "delay": 1, "distance": 1, "origin": "DTW", "destination": "LAS"},
        {"date": "2001/01/01 00:50", "delay": None, "distance": 5, "origin": "DTW", "destination": "LAS"},
    ]
    written(folder / "flights" / "flights.json", json.dumps(rows))


def posts(folder):
    """Three posts: one with two tags, one whose tag is called c++; two threads."""
    parts = {
        "tags-made-up-nverts": [2, 1, 1],
        "tags-made-up-simplices": [1, 2, 2, 3],
        "tags-made-up-times": [5000, 4000, 6000],
        "tags-made-up-simplex-labels": [10, 11, 12],
        "tags-made-up-node-labels": ["1 power", "2 sound", "3 c++"],
        "threads-made-up-nverts": [2, 1],
        "threads-made-up-simplices": [7, 8, 7],
        "threads-made-up-simplex-labels": [10, 11],
    }
    for name, numbers in parts.items():
        packed(folder / "posts" / f"{name}.txt.gz", "".join(f"{one}\n" for one in numbers))


FAILURES = [
    # System, node, started, fixed, cause, in production, decommissioned
    ("2", "0", "6/1/2005 10:00", "6/1/2005 11:00", "Hardware", "5-Apr", "current"),
    ("2", "0", "6/1/2005 10:30", "6/1/2005 12:00", "Software", "5-Apr", "current"),
    ("2", "0", "6/3/2005 00:00", "6/3/2005 00:00", "Network", "5-Apr", "current"),
    ("2", "1", "6/1/2005 10:00", "6/1/2005 10:10", "Hardware", "5-Apr", "5-Jul"),
    ("16", "1", "6/1/1997 10:00", "6/1/1997 10:10", "Facilities", "Jan-97", "before tracking"),
    ("16", "2", "6/1/1997 12:00", "6/1/1997 11:00", "Facilities", "Jan-97", "5-Nov"),
]
"""Overlapping ones, one without length, two at the same minute, one that ends before it begins."""


def failures(folder):
    """With a name that only latin-1 can say."""
    names = ["System", "nodenum", "Prob Started", "Prob Fixed", "node prod", "node decom"]
    causes = ["Facilities", "Hardware", "Human Error", "Network", "Undetermined", "Software"]
    lines = [",".join([*names, *causes, "purpose"])]
    for system, node, down, up, cause, since, until in FAILURES:
        why = [cause if cause == one else "" for one in causes]
        lines.append(",".join([system, node, down, up, since, until, *why, "caf\u00e9"]))
    path = folder / "lanl" / "failures.csv"
    path.parent.mkdir()
    path.write_bytes("\n".join(lines).encode("latin-1"))


def monitor(folder):
    """One site that fails twice, the last time for good, and one that never does; a line that says nothing."""
    said = [
        (100, "\u2705 https://a.b is up (200 in 40ms) [skip ci]"),
        (200, "\U0001f7e5 Site A is down (0 in 0 ms) [skip ci] [upptime]"),
        (250, "\U0001f7e5 Site A is down (0 in 0 ms) [skip ci] [upptime]"),
        (300, "\U0001f7e9 Site A is up (200 in 80 ms) [skip ci] [upptime]"),
        (500, "\U0001f7e5 Site A is down (500 in 9 ms) [skip ci] [upptime]"),
        (600, "\U0001f7e5 Site A is down (500 in 9 ms) [skip ci] [upptime]"),
        (700, "nothing to say"),
    ]
    text = "".join(f"{1596917232 + at}\t2020-08-09T01:37:12+05:30\t{words}\n" for at, words in said)
    written(folder / "monitor" / "status.tsv", text)


def pings(folder):
    """There and back; a destination with its country; one that beats light."""
    head = "source,destination,km,avg_ms,min_ms,max_ms,mdev_ms,checked"
    rows = [
        'Rome,"Bonn Germany, Eurasia",1000,30.0,29.0,31.0,0.4,2018-11-10 12:22:54',
        'Bonn,"Rome Italy, Eurasia",1000,32.0,29.0,31.0,0.4,2018-11-10 12:22:54',
        'Rome,"Nome United States, North America",9000,9.0,9.0,9.0,0.0,2018-11-10 12:22:54',
    ]
    packed(folder / "cities" / "pings.csv.gz", "\n".join([head, *rows]))


def matrices(folder):
    """Two slices of three nodes; a pair that was not measured, a word among the numbers."""
    slices = {"P/Data_1": "0\t2.0\t4.0\n2.0\t0\t0\n4.0\t0\t0\n", "P/Data_2": "0\t3.0\tx\n3.0\t0\t6\n5.0\t6\t0\n"}
    path = folder / "planetlab" / "PlanetLabData_01-02.tar.gz"
    path.parent.mkdir()
    with tarfile.open(path, "w:gz") as archive:
        for name, text in slices.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


def rides(folder):
    """One straight ride past a station, one that stands still; a fix that stands there twice."""
    head = "route_id,bike,time,longitude,latitude"
    ride = [
        f"a,1,2021-02-01 11:34:{second:02d}{'.5' if second == 59 else ''},{second * 1e-4},0.0" for second in range(60)
    ]
    still = [f"b,2,2021-02-01 11:34:{second:02d},1.0,0.0" for second in (0, 5, 5, 10)]
    packed(
        folder / "bikes" / "february2021.csv.gz", "\n".join([head, *ride, *still, "b,2,2021-02-01 11:35:00,1.0,95.0"])
    )
    written(folder / "bikes" / "stations.csv", "name,latitude,longitude\nMiddle,0.0,0.003\nFar,0.0,0.5\n")


def run(folder):
    """A finished run of ten seconds."""
    path = folder / "run"
    with LogFolder.create(path, names=["p", "s", "a", "b"]) as logs:
        logs.write_text("scenario.toml", 'tidings = 1\nduration = "10s"\n')
        events = np.arange(5)
        at = events * 1000 * MS
        logs.write(
            "publications",
            {
                "event": events,
                "publisher": np.zeros(5, np.int64),
                "incarnation": np.zeros(5, np.int64),
                "topic": np.full(5, logs.code("t")),
                "number": events,
                "published_ns": at,
                "acknowledged_ns": at,
                "expires_ns": at + 200 * MS,
                "attributes": [{"x": "1"}] * 5,
                "payload_bytes": np.full(5, 64),
            },
        )
        delays = np.array([10, 16, 13, 13, 40]) * MS
        zeros = np.zeros(5, np.int64)
        shown = {"event": events, "subscriber": zeros + 1, "incarnation": zeros, "position": events}
        times = {"arrived_ns": at + delays, "delivered_ns": at + delays}
        logs.write("deliveries", {**shown, **times, "out_of_order": zeros.astype(bool), "version": zeros})
        outcomes = [logs.code(one) for one in ("arrived", "lost", "arrived", "arrived")]
        logs.write(
            "transmissions",
            {
                "event": events[:4],
                "sender": np.full(4, 2),
                "receiver": np.full(4, 3),
                "attempt": zeros[:4],
                "kind": np.full(4, logs.code("event")),
                "sent_ns": at[:4],
                "outcome": np.array(outcomes),
            },
        )
        down = {"component": np.array([2, 2]), "kind": np.full(2, logs.code("broker"))}
        logs.write("outages", {**down, "down_ns": np.array([1000, 8000]) * MS, "up_ns": np.array([3000 * MS, NULL_NS])})
        logs.write(
            "interests",
            {
                "subscriber": np.array([1]),
                "filter": np.array([logs.code("true")]),
                "broker": np.array([NULL_NAME]),
                "requested_ns": zeros[:1],
                "effective_ns": zeros[:1],
                "until_ns": np.array([NULL_NS]),
            },
        )
        logs.finish({"verb": "made"})


def written(path, text):
    """A text file in a folder of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def packed(path, text):
    """The same, compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))


def zipped(path, name, lines):
    """Lines in a zip file; no two of them are alike."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, "\n".join(lines) + "\n")
