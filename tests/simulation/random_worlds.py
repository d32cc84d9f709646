"""Scenario texts drawn by a seed: small worlds that together use all that a simulated world can contain."""

import random

SHAPES = ('"line"', '"star"', '"tree"', '"full"', '"random"\ndegree = 2')
SERVICES = (
    "",
    "",
    'service = "0s"',
    'service = "3ms"',
    'service = { dist = "exponential", mean = "4ms" }',
    'service = { dist = "gamma", mean = "1ms", scv = 2.0, per = "subscription" }',
    'service = { dist = "constant", value = "1ms", per = "subscription" }',
)
DELAYS = (
    "",
    'delay = "0s"',
    'delay = "5ms"',
    'delay = { dist = "uniform", low = "0ms", high = "30ms", per = "packet" }',
    'delay = { dist = "exponential", mean = "10ms", per = "packet" }',
)
INTERVALS = (
    '"50ms"',
    '"10ms"',
    '{ dist = "exponential", mean = "20ms" }',
    '{ dist = "hyperexponential", mean = "30ms", scv = 6.0 }',
)
ATTRIBUTES = (
    "{}",
    '{ x = { dist = "zipf", values = 4, exponent = 1.0 } }',
    '{ x = { choice = [1, 1.0, true, "1", -2] } }',
    '{ x = { dist = "uniform", low = 0.0, high = 4.0 }, y = { choice = ["a", "b"] } }',
    '{ y = { choice = ["a", "b", false] }, x = 3 }',
)
FILTERS = (
    'topic == "t0"',
    'topic in ("t0", "t1")',
    "x >= 2",
    'x < 2 or y == "a"',
    "not x == 1",
    "exists(y) and x between 1 and 3",
    'topic == "t1" and x == true',
    'topic matches "t/+" or x > 3.5',
)
SUBSCRIBERS_MAX = 12


def random_world(seed: int) -> str:
    """The text of a scenario that is run in well under a second."""
    draw = random.Random(seed)
    parts = [
        f'tidings = 1\nname = "random {seed}"\nseed = {seed}\nduration = "{draw.choice((1, 2, 3))}s"',
        _overlay(draw),
        *(_publisher(draw, index) for index in range(draw.randint(1, 4))),
        *(_subscriber(draw, index) for index in range(draw.randint(0, SUBSCRIBERS_MAX))),
        *(_crash(draw) for _ in range(draw.choice((0, 0, 1, 2)))),
        _promises(draw),
    ]
    return "\n".join(parts) + "\n"


def _overlay(draw: random.Random) -> str:
    lines = ["[overlay]", f"generate = {draw.choice(SHAPES)}", f"brokers = {draw.randint(3, 7)}", draw.choice(SERVICES)]
    if draw.random() < 0.3:
        lines += ["availability = 0.9", 'period = "900ms"']
    link = [draw.choice(DELAYS)]
    link += draw.choice(([], [], ["loss = 0.02"], ["loss = 0.5"]))
    link += draw.choice(([], ["fifo = true"]))
    link += draw.choice(([], [], ['bandwidth = "200kbit/s"']))
    link += draw.choice(([], [], ["availability = 0.9", 'period = "700ms"']))
    lines.append(f"link = {{ {', '.join(one for one in link if one)} }}")
    return "\n".join(lines)


def _publisher(draw: random.Random, index: int) -> str:
    lines = ["[[publisher]]", f'id = "p{index}"', f"every = {draw.choice(INTERVALS)}"]
    lines.append(draw.choice(('topic = "t0"', 'topic = "t/a"', 'topics = ["t0", "t1"]', 'topics = ["t1", "t0", "t1"]')))
    lines.append(f"attributes = {draw.choice(ATTRIBUTES)}")
    lines += draw.choice(([], ['lifetime = "20ms"'], ['lifetime = "60ms"']))
    lines += draw.choice(([], ['payload = { dist = "uniform", low = 0, high = 200 }'], ["payload = 100"]))
    lines += draw.choice(([], ['broker = "b0"']))
    return "\n".join(lines)


def _subscriber(draw: random.Random, index: int) -> str:
    lines = ["[[subscriber]]", f'id = "s{index}"', f"filter = '{draw.choice(FILTERS)}'"]
    if draw.random() < 0.3:
        lines.append(f'joins = "{draw.randint(0, 1500)}ms"')
        lines += draw.choice(([], ['stays = { dist = "exponential", mean = "500ms" }']))
    elif draw.random() < 0.2:
        lines.append(f'leaves = "{draw.randint(1, 900)}ms"')
    return "\n".join(lines)


def _crash(draw: random.Random) -> str:
    at = draw.randint(0, 900)
    return f'[[crash]]\ncomponent = "b{draw.randint(0, 2)}"\nat = "{at}ms"\nlasting = "{draw.randint(1, 300)}ms"'


def _promises(draw: random.Random) -> str:
    mechanism = draw.choice(("none", "none", "periodic"))
    lines = ["[reliability]", f'mechanism = "{mechanism}"', f'expired = "{draw.choice(("drop", "carry"))}"']
    if mechanism == "periodic":
        lines.append(f'renew = "{draw.choice((100, 250, 1000))}ms"')
    lines += [
        "[routing]",
        f"covering = {draw.choice(('true', 'false'))}",
        f"merging = {draw.choice(('true', 'false'))}",
    ]
    if draw.random() < 0.2:
        lines += ["[faults]", 'links = { probability = 0.2, every = "200ms", lasting = "100ms" }']
    return "\n".join(lines)
