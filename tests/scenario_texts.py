"""Small scenarios that many tests change in one place, and the way to load them."""

from pathlib import Path

from tidings.scenario import Scenario, World, expand, load_scenario

CONTRACT = Path(__file__).parent / "scenario" / "contract"
CONTRACT_FILES = ("explicit", "line", "load", "mesh", "orders", "roaming")

BROKERS = """
[[broker]]
id = "a"
[[broker]]
id = "b"
[[link]]
between = ["a", "b"]
"""
PUBLISHER = """
[[publisher]]
id = "p"
broker = "a"
topic = "t"
every = "1s"
"""
SUBSCRIBER = """
[[subscriber]]
id = "s"
broker = "b"
filter = 'topic == "t"'
"""
TOP = 'tidings = 1\nduration = "10s"\n'
SMALL = TOP + BROKERS + PUBLISHER + SUBSCRIBER
"""Two brokers, one link, a publisher, a subscriber."""


def scenario_of(folder: Path, text: str, *, allow_files: bool = False) -> Scenario:
    """The scenario that `text` is, as a file in `folder`."""
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(path, allow_files=allow_files)


def world_of(folder: Path, text: str, *, seed: int | None = None) -> World:
    """The world of a scenario."""
    return expand(scenario_of(folder, text), seed=seed)
