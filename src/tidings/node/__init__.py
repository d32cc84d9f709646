"""Whole processes as machines: the broker and the client endpoint, composed of the rooms above."""

from tidings.node.addressed_broker import AddressedBroker, AddressedOptions
from tidings.node.broker import Broker, BrokerOptions
from tidings.node.bulletin import BulletinOptions
from tidings.node.client import Client, ClientOptions
from tidings.node.detours import DetourOptions
from tidings.node.latched_client import LatchedClient, LatchedOptions
from tidings.node.list_passage import ListOptions, ListPassage
from tidings.node.roaming_broker import RoamingBroker, RoamingOptions
from tidings.node.roaming_client import RoamingClient
from tidings.node.way_passage import WayPassage

__all__ = [
    "AddressedBroker",
    "AddressedOptions",
    "Broker",
    "BrokerOptions",
    "BulletinOptions",
    "Client",
    "ClientOptions",
    "DetourOptions",
    "LatchedClient",
    "LatchedOptions",
    "ListOptions",
    "ListPassage",
    "RoamingBroker",
    "RoamingClient",
    "RoamingOptions",
    "WayPassage",
]
