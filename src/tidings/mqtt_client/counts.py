"""What has happened to one client, for those who watch."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """Since it was made."""

    connections: int = 0
    sessions_lost: int = 0
    """Connections on which the broker no longer knew us: what came in between was not sent to us."""
    published: int = 0
    refused: int = 0
    """Publications that the broker did not take, or that expired before they could be sent."""
    shown: int = 0
    """Events times subscriptions."""
    duplicates: int = 0
    """Came again, and were not shown again."""
    expired: int = 0
    """Came after their lifetime."""
    dropped: int = 0
    """Of quality 0, while the application was too far behind."""
    unwanted: int = 0
    """That no subscription of ours wants."""
