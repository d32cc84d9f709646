"""What `tidings.connect` gives: a client in an event loop, and its twin for programs without one."""

from tidings.client.blocking import BlockingClient, BlockingSubscription
from tidings.client.connecting import Connecting, connect
from tidings.client.live_client import LiveClient
from tidings.client.subscription import Subscription
from tidings.mqtt_client.publication import Publication

__all__ = [
    "BlockingClient",
    "BlockingSubscription",
    "Connecting",
    "LiveClient",
    "Publication",
    "Subscription",
    "connect",
]
