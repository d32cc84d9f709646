"""Tidings: publish/subscribe that arrives in order and on time, and says beforehand whether it will.

world = tidings.expand(tidings.load_scenario("line.toml"))
forecast = tidings.predict(world)
result = tidings.simulate(world, out=Path("logs"))
report = tidings.audit(Path("logs"))

The command line does the same: `tidings predict line.toml`, `tidings simulate line.toml --out logs`, `tidings audit logs`.
"""

from typing import TYPE_CHECKING

from tidings.surface import __dir__, __getattr__, __version__

if TYPE_CHECKING:
    from tidings.analysis import admit, place, plan, predict
    from tidings.checking import audit
    from tidings.client import connect
    from tidings.scenario import expand, load_scenario
    from tidings.simulation import simulate

__all__ = [
    "__dir__",
    "__getattr__",
    "__version__",
    "admit",
    "audit",
    "connect",
    "expand",
    "load_scenario",
    "place",
    "plan",
    "predict",
    "simulate",
]
