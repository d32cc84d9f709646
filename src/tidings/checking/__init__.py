"""The definitions of every check: they read logs only, and share nothing with the protocols that they judge."""

from tidings.checking.auditing import audit, audit_history
from tidings.checking.history import History, read_history
from tidings.checking.one_order import shortest_cycle
from tidings.checking.promises import Promises, promises_of, verdict
from tidings.checking.publisher_order import interval
from tidings.checking.report import AuditReport, SubscriberReport

__all__ = [
    "AuditReport",
    "History",
    "Promises",
    "SubscriberReport",
    "audit",
    "audit_history",
    "interval",
    "promises_of",
    "read_history",
    "shortest_cycle",
    "verdict",
]
