"""Whole processes as machines: the broker and the client endpoint, composed of the rooms above."""

from tidings.node.broker import Broker, BrokerOptions
from tidings.node.client import Client, ClientOptions
from tidings.node.detours import DetourOptions
from tidings.node.latched_client import LatchedClient, LatchedOptions
from tidings.node.roaming_broker import RoamingBroker, RoamingOptions
from tidings.node.roaming_client import RoamingClient

__all__ = [
    "Broker",
    "BrokerOptions",
    "Client",
    "ClientOptions",
    "DetourOptions",
    "LatchedClient",
    "LatchedOptions",
    "RoamingBroker",
    "RoamingClient",
    "RoamingOptions",
]
