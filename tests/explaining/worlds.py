"""Runs to explain: a line of three brokers, with what befalls its events planted by hand or by the simulator."""

from tidings.logs import open_folder
from tidings.scenario import expand, load_scenario
from tidings.simulation import simulate

LINE = """
tidings  = 1
name     = "line"
seed     = 3
duration = "60s"

[[broker]]
id = "a"
[[broker]]
id = "b"
[[broker]]
id = "c"
[[link]]
between = ["a", "b"]
delay   = { dist = "gamma", mean = "40ms", scv = 1.0 }
loss    = 0.1
[[link]]
between = ["b", "c"]
delay   = "30ms"

[[publisher]]
id     = "p"
broker = "a"
topic  = "reading"
every  = { dist = "exponential", mean = "20ms" }
lifetime = "5s"

[[subscriber]]
id     = "s"
broker = "c"
filter = 'topic == "reading"'
deadline = "100ms"
[[subscriber]]
id     = "near"
broker = "a"
filter = 'topic == "reading"'
"""
CRASH = '[[crash]]\ncomponent = "b"\nat = "20s"\nlasting = "5s"\n'
FIFO = '[ordering]\nguarantee = "fifo"\n'


def simulated(place, *more, tables=None):
    """The folder of a run of the line, with more in its scenario; and its world."""
    (place / "s.toml").write_text(LINE + "".join(more), "utf-8")
    world = expand(load_scenario(place / "s.toml"))
    simulate(world, out=place / "logs", tables=tables)
    return open_folder(place / "logs"), world


def rows(folder, name, **wanted):
    """Rows of a table that have these values."""
    return [row for row in folder.table(name).to_pylist() if all(row[key] == value for key, value in wanted.items())]
