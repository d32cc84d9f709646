"""How long the shipped scenarios take: read and drawn, simulated, judged. Prints figures, asserts nothing."""

import tempfile
import time
from pathlib import Path

import tidings
from tidings.scenario import template_names, template_text


def main() -> None:
    """One line per template; the first is run twice, so that compiling is not counted."""
    names = template_names()
    print(f"{'scenario':<12}{'events':>10}{'shown':>10}{'read s':>9}{'run s':>9}{'shown/s':>12}{'audit s':>9}")
    for number, name in enumerate((names[0], *names)):
        with tempfile.TemporaryDirectory(prefix="tidings-") as folder:
            line = measured(name, Path(folder))
        if number:
            print(line)


def measured(name: str, folder: Path) -> str:
    """The line of one template."""
    scenario, logs = folder / f"{name}.toml", folder / "logs"
    scenario.write_text(template_text(name), "utf-8")
    began = time.perf_counter()
    world = tidings.expand(tidings.load_scenario(scenario))
    drawn = time.perf_counter()
    result = tidings.simulate(world, out=logs)
    run = time.perf_counter()
    tidings.audit(logs)
    judged = time.perf_counter()
    rate = result.deliveries / (run - drawn)
    counts = f"{name:<12}{result.events:>10,}{result.deliveries:>10,}"
    return f"{counts}{drawn - began:>9.3f}{run - drawn:>9.3f}{rate:>12,.0f}{judged - run:>9.3f}"


if __name__ == "__main__":
    main()
