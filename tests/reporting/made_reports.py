"""Reports and folders for the tests of this room, made by hand."""

from tidings.checking import AuditReport, SubscriberReport
from tidings.reporting.comparison import compare
from tidings.reporting.forecasts import Forecast
from tidings.reporting.judged import Judged

SCENARIO = """
tidings  = 1
name     = "three & more"
seed     = 3
duration = "60s"

[[broker]]
id = "a"
availability = 0.8
period = "10s"
[[broker]]
id = "b"
[[broker]]
id = "<c>"
[[link]]
between = ["a", "b"]
delay   = "10ms"
[[link]]
between = ["b", "<c>"]
delay   = "30ms"

[[publisher]]
id     = "p"
broker = "a"
topic  = "reading"
every  = { dist = "exponential", mean = "100ms" }
lifetime = "1s"

[[subscriber]]
count  = 3
id     = "s"
broker = "<c>"
filter = 'topic == "reading"'
"""


def entry(wanted, on_time, **more):
    """A subscriber whose losses are spread evenly over four batches."""
    batches = tuple((wanted // 4, on_time // 4) for _ in range(4))
    return SubscriberReport(
        wanted=wanted, on_time=on_time, lost=wanted - on_time, batches=batches, delay_ns=(1, 2, 3, 4), **more
    )


def report(**more):
    """Two who wanted something, one who did not."""
    subscribers = {"<s0>": entry(400, 360), "s1": entry(80, 40), "idle": SubscriberReport()}
    delays = {1_000_000: 300, 2_000_000: 95, 4_000_000: 5}
    return AuditReport(subscribers=subscribers, delays=delays, **more)


def judged(name="logs", found=None, **more):
    """A folder whose prediction is right about one, and wrong about the other."""
    found = found or report(fifo_inversions=7, order_conflicts=3)
    forecast = Forecast(reliability={"<s0>": 0.9, "s1": 0.9}, source="a table")
    return Judged(name=name, report=found, comparison=compare(found, {name: forecast}), **more)
