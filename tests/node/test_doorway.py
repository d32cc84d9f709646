"""What a door is told, and what must stand behind it."""

from node.network import options_on
from tidings.delivery.backlog import BACKLOG_MAX
from tidings.node import Broker
from tidings.node.doorway import Inside, RoamingOptions


def test_unless_told_otherwise_neighbours_are_learned_and_clients_are_plain():
    """The defaults of a door."""
    options = RoamingOptions(name="a", scheme="reactive", way={}.get)
    assert (options.neighbours, options.backlog_max, options.keeping) == (None, BACKLOG_MAX, "plain")


def test_a_broker_can_stand_behind_a_door():
    """It has all that the protocol names."""
    names = [name for name in dir(Inside) if not name.startswith("_")]
    assert {"clients", "holds", "owed_to_clients", "receive", "drain"} <= set(names)
    assert all(hasattr(Broker, name) for name in names)
    broker = Broker(options_on([("a", "b")])["a"])
    assert not broker.holds
    assert list(broker.owed_to_clients()) == []
