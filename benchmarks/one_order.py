"""One order across topics in a simulated world of the size of the paper's: 1,000 topics, 1,000 clients, 5,000 requests a second.

Five sites with favourites of their own, a stage at each. Prints what timestamps cost, how far events fan out, and how many
are shown in a second of processor time; no figure is checked.

    python benchmarks/one_order.py [--quick] [--json]
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.compute as pc

from tidings.checking import audit
from tidings.logs import open_folder
from tidings.scenario import expand, load_scenario
from tidings.simulation import simulate

SCENARIO = """tidings = 1
duration = "1s"
[overlay]
generate = "sites"
sites = 5
near = {{ delay = {{ dist = "normal", mean = "10ms", sd = "2ms" }} }}
far = {{ delay = {{ dist = "normal", mean = "100ms", sd = "10ms" }} }}
[topics]
count = {clients}
popularity = {{ dist = "power", exponent = 0.901 }}
[[publisher]]
count = {clients}
id = "c"
every = {{ dist = "exponential", mean = "200ms" }}
[[subscriber]]
count = {clients}
id = "c"
topics = 10
[ordering]
guarantee = "total"
stages = "by-site"
"""
TABLES = ("publications", "deliveries", "interests", "timestamps")


def measured(clients: int) -> dict[str, float]:
    """One run, judged."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "large.toml"
        file.write_text(SCENARIO.format(clients=clients), "utf-8")
        world = expand(load_scenario(file))
        began = time.process_time()
        done = simulate(world, out=Path(place) / "logs", tables=TABLES)
        took_s = time.process_time() - began
        stamps = open_folder(done.folder).table("timestamps", ["stages", "entries", "bytes", "wan_hops"])
        means = {f"{name}, mean": round(pc.mean(stamps.column(name)).as_py(), 2) for name in stamps.column_names}
        report = audit(done.folder)
    return {
        "clients and topics": clients,
        "requests": done.events,
        **means,
        "fan-out, mean": round(done.deliveries / done.events, 2),
        "deliveries": done.deliveries,
        "processor time, s": round(took_s, 1),
        "deliveries a second": round(done.deliveries / took_s),
        "pairs in conflict": report.order_conflicts,
        "lost": report.total("lost"),
    }


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description="One order across topics, simulated.")
    parser.add_argument("--quick", action="store_true", help="200 clients and topics instead of 1,000")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(200 if options.quick else 1_000)
    if options.json:
        json.dump(found, sys.stdout, indent=1)
    else:
        print("\n".join(f"{name:24} {value:,}" for name, value in found.items()))


if __name__ == "__main__":
    main()
