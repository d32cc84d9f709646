"""Two days of trades, made and recorded."""

import zipfile

import numpy as np

from tidings.market.trading_day import DAY_NS
from tidings.studies.two_days import TICKS, made_days, recorded_days


def test_made_days():
    """The same stocks on both, traded on both, ascending within the hours; the same for the same seed."""
    first, second = made_days(1, 5)
    assert list(first) == list(second)
    assert len(first) == 5
    for day in (first, second):
        for trades in day.values():
            assert len(trades.at_ns) > 0
            assert (np.diff(trades.at_ns) >= 0).all()
            assert trades.at_ns[-1] < DAY_NS
    again, _ = made_days(1, 5)
    assert [one.at_ns.tolist() for one in again.values()] == [one.at_ns.tolist() for one in first.values()]
    assert list(made_days(2, 5)[0]) != list(first)


def write(folder, name, text):
    """An archive with one table."""
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("trades.csv", text)


def test_recorded_days(tmp_path):
    """In the hours of trading, in order, nothing suspicious; a share of one day only is left out."""
    rows = "34199999,10000,1,P,0,0\n34201000,20000,5,P,0,0\n34200500,15000,7,P,0,0\n34200600,99,7,P,0,1\n57600000,1,1,P,0,0\n"
    for date in ("20131007", "20131008"):
        write(tmp_path, f"xyz_{date}_trade.zip", rows)
    write(tmp_path, "one_20131007_trade.zip", rows)
    first, second = recorded_days(tmp_path)
    assert list(first) == list(second) == ["XYZ"]
    assert first["XYZ"].at_ns.tolist() == [500_000_000, 1_000_000_000]
    assert first["XYZ"].price.tolist() == [1.5, 2.0]
    assert first["XYZ"].size.tolist() == [7, 5]


def test_nothing_recorded(tmp_path):
    """No folder, or an empty one."""
    assert recorded_days(tmp_path) is None
    assert recorded_days(tmp_path / "none") is None
    assert TICKS.name == "ticks"
