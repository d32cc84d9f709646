"""Whole processes as machines: the broker and the client endpoint, composed of the rooms above."""

from tidings.node.addressed_broker import AddressedBroker, AddressedOptions
from tidings.node.broker import Broker, BrokerOptions
from tidings.node.bulletin import BulletinOptions
from tidings.node.client import Client, ClientOptions
from tidings.node.detours import DetourOptions
from tidings.node.doorway import RoamingOptions
from tidings.node.hedge import HedgeOptions
from tidings.node.home_broker import AT_HOME, HomeBroker
from tidings.node.latched_client import LatchedClient, LatchedOptions
from tidings.node.list_passage import ListOptions, ListPassage
from tidings.node.ordered_client import OrderedClient, OrderedOptions
from tidings.node.resident_client import ResidentClient, ResidentOptions
from tidings.node.roaming_broker import RoamingBroker
from tidings.node.roaming_client import RoamingClient
from tidings.node.stage_node import StageNode, StageOptions
from tidings.node.way_passage import WayPassage

__all__ = [
    "AT_HOME",
    "AddressedBroker",
    "AddressedOptions",
    "Broker",
    "BrokerOptions",
    "BulletinOptions",
    "Client",
    "ClientOptions",
    "DetourOptions",
    "HedgeOptions",
    "HomeBroker",
    "LatchedClient",
    "LatchedOptions",
    "ListOptions",
    "ListPassage",
    "OrderedClient",
    "OrderedOptions",
    "ResidentClient",
    "ResidentOptions",
    "RoamingBroker",
    "RoamingClient",
    "RoamingOptions",
    "StageNode",
    "StageOptions",
    "WayPassage",
]
