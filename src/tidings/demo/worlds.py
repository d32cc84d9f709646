"""The demonstration's world as scenario files: once to predict from the day before, once to replay the day."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidings.demo.cities import CITIES, LINKS_MS
from tidings.demo.wishes import Wish

_HEAD: Final = """# {title}
tidings  = 1
name     = "{title}"
seed     = {seed}
duration = "{seconds}s"

[reliability]
mechanism = "periodic"       # brokers that come back learn subscriptions again
renew     = "60s"

[ordering]
guarantee = "{guarantee}"
"""
_BROKER: Final = """
[[broker]]
id           = "{city}"
service      = {{ dist = "exponential", mean = "300us" }}
availability = 0.99
period       = "20min"
"""
_LINK: Final = """
[[link]]
between = ["{one}", "{other}"]
delay   = {{ dist = "gamma", mean = "{ms}ms", scv = 0.1 }}   # drawn for each packet
loss    = 0.001
"""


def scenario_text(
    title: str, publishers: Sequence[Mapping[str, Any]], wishes: Sequence[Wish], setting: Mapping[str, Any]
) -> str:
    """A scenario. Each of `publishers` has an id and either a `trace` or a `profile`; `setting` is what the head says."""
    parts = [_HEAD.format(title=title, **setting)]
    parts += [_BROKER.format(city=city) for city in CITIES]
    parts += [_LINK.format(one=one, other=other, ms=ms) for one, other, ms in LINKS_MS]
    parts += [_publisher(place, one) for place, one in enumerate(publishers)]
    parts += [_subscriber(one) for one in wishes]
    return "".join(parts)


def _publisher(place: int, entry: Mapping[str, Any]) -> str:
    keys = "".join(f"{key:<8} = {_text(value)}\n" for key, value in entry.items())
    return f'\n[[publisher]]\n{keys}broker   = "{CITIES[place % len(CITIES)]}"\nlifetime = "5s"\n'


def _subscriber(wish: Wish) -> str:
    return (
        f'\n[[subscriber]]\nid       = "{wish.id}"\nbroker   = "{wish.broker}"\nfilter   = {_text(wish.filter)}\n'
        f'deadline = "{wish.deadline_ms}ms"\n'
    )


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
