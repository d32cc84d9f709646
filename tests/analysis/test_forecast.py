"""What a prediction says: the contract's document, a table, what holds and what does not."""

import json
import math

import pytest

from tidings.analysis.forecast import (
    BrokerForecast,
    ConnectionForecast,
    LinkForecast,
    Prediction,
    SubscriberForecast,
    seconds,
)


def subscriber(reliability=0.5, **more):
    """One that is shown half of two events a second."""
    return SubscriberForecast(reliability=reliability, rate=2.0, delay_mean_s=0.1, **more)


def broker(load=0.5, wait=0.2):
    """One that works half of the time."""
    return BrokerForecast(load=load, wait_mean_s=wait, rate=5.0, method="exact")


def prediction(**more):
    """Two subscribers, two brokers."""
    parts = {"subscribers": {"r": subscriber(), "s": subscriber(0.9, requires=0.8)}, "brokers": {"a": broker()}}
    return Prediction(**(parts | more))


def test_document():
    """The keys of the contract, and finite numbers or null."""
    found = json.loads(json.dumps(prediction(assumptions=("one",)).to_json(), allow_nan=False))
    assert {"subscribers", "brokers", "assumptions"} <= set(found)
    assert {"reliability", "delay_mean_s", "rate"} <= set(found["subscribers"]["r"])
    assert found["subscribers"]["s"]["requires"] == 0.8
    assert "requires" not in found["subscribers"]["r"]
    assert found["brokers"]["a"]["load"] == 0.5
    assert found["brokers"]["a"]["wait_mean_s"] == 0.2
    assert found["assumptions"] == ["one"]


def test_overload_is_null_and_named():
    """An infinite wait has no number in JSON; brokers and links are named."""
    found = prediction(
        brokers={"a": broker(), "b": broker(1.2, math.inf)}, links={"a>b": LinkForecast(rate=1.0, load=1.5)}
    )
    assert found.to_json()["brokers"]["b"]["wait_mean_s"] is None
    assert found.overloaded == ("b", "a>b")
    assert found.to_json()["links"]["a>b"] == {"rate": 1.0, "load": 1.5}
    assert not found.holds


def test_connections():
    """The bound beside the exact value, which large overlays do not have."""
    found = prediction(connections={"a>b": ConnectionForecast(bound=0.9, exact=None)})
    assert found.to_json()["connections"] == {"a>b": {"bound": 0.9, "exact": None}}


def test_requirements():
    """Met by who gets at least that much."""
    assert prediction().holds
    unmet = prediction(subscribers={"r": subscriber(0.5, requires=0.6)})
    assert unmet.unmet == ("r",)
    assert not unmet.holds


def test_buffers_are_said_where_there_are_any():
    """Mean number of events kept."""
    one = BrokerForecast(load=0.0, wait_mean_s=0.0, rate=1.0, method="exact", buffer=3.5)
    assert one.to_json()["buffer_events"] == 3.5
    assert "buffer_events" not in broker().to_json()


def test_table():
    """A row for each subscriber, nulls where there is no value."""
    found = prediction(
        subscribers={
            "r": subscriber(0.25, delay_s=(0.1, 0.2, None), reason="why"),
            "s": SubscriberForecast(reliability=1.0, rate=0.0, delay_mean_s=None),
        }
    ).table()
    assert found.column("subscriber").to_pylist() == ["r", "s"]
    assert found.column("reliability").to_pylist() == [0.25, 1.0]
    assert found.column("delay_mean_s").to_pylist() == [0.1, None]
    assert found.column("delay_p95_s").to_pylist() == [0.2, None]
    assert found.column("delay_p99_s").to_pylist() == [None, None]
    assert found.column("reason").to_pylist() == ["why", None]


def test_seconds():
    """None stays None."""
    assert seconds(None) is None
    assert seconds(1.5e9) == pytest.approx(1.5)
