"""One order across topics as a protocol of endpoints over any network that publishes and subscribes."""

from tidings.sequencing.deployment import Deployment
from tidings.sequencing.messages import Message, Names, decoded, encoded
from tidings.sequencing.port import Endpoint, GivenUp, SharedLog, Showing, Stamping, Wishes
from tidings.sequencing.publisher import OrderedPublisher
from tidings.sequencing.retained import Retention
from tidings.sequencing.stage_process import StageProcess
from tidings.sequencing.subscriber import OrderedSubscriber, Waiting

__all__ = [
    "Deployment",
    "Endpoint",
    "GivenUp",
    "Message",
    "Names",
    "OrderedPublisher",
    "OrderedSubscriber",
    "Retention",
    "SharedLog",
    "Showing",
    "StageProcess",
    "Stamping",
    "Waiting",
    "Wishes",
    "decoded",
    "encoded",
]
