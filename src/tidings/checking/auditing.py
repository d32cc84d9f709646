"""All checks over one folder of logs."""

from pathlib import Path

from tidings.checking.causal_order import causal_order
from tidings.checking.delays import delay_counts
from tidings.checking.history import History, by_subscriber, read_history
from tidings.checking.one_order import order_cycles
from tidings.checking.outcomes import outcomes
from tidings.checking.pairwise_order import order_conflicts
from tidings.checking.publisher_order import publisher_order
from tidings.checking.report import AuditReport, SubscriberReport, summed
from tidings.logs import runs_of


def audit(path: Path | str) -> AuditReport:
    """Check the run, or all the runs, in the folder `path`.

    Only logs are read: what was wanted is worked out from the interests by brute force, not taken from the protocol.
    Raises InputError where the folder holds no finished run.
    """
    reports = {folder.name: audit_history(read_history(folder.table)) for folder in runs_of(path)}
    return summed(reports) if len(reports) != 1 else next(iter(reports.values()))


def audit_history(history: History) -> AuditReport:
    """Every check on one run."""
    fifo = publisher_order(history)
    conflicts = order_conflicts(history)
    causal = causal_order(history)
    inversions = by_subscriber(history, fifo.subscribers)
    return AuditReport(
        fifo_inversions=fifo.inversions,
        order_conflicts=conflicts.pairs,
        order_cycles=order_cycles(history),
        causal_inversions=causal.inversions,
        tagged=int(history.showings.tagged.sum()),
        fifo_chances=fifo.chances,
        topic_inversions=publisher_order(history, within_topic=True).inversions,
        delays=delay_counts(history),
        exact=conflicts.exact and causal.exact,
        subscribers={
            history.clients[subscriber]: SubscriberReport(
                **vars(outcome), fifo_inversions=inversions.get(subscriber, 0)
            )
            for subscriber, outcome in outcomes(history).items()
        },
    )
