"""What the kernel noted, on its way into the log tables: columns, without a step for each event."""

from collections.abc import Sequence

import numpy as np

from tidings.simulation.columns import Ints
from tidings.simulation.flow_state import EXPIRED, KINDS, OUTCOMES, WANTED, Records, State
from tidings.simulation.flow_window import FlowWindow
from tidings.simulation.plans import Plans
from tidings.simulation.recorder import Recorder
from tidings.simulation.workload import Workload
from tidings.vocabulary.records import NULL_NAME, NULL_NS


class FlowLog:
    """Translates numbers of events, brokers and links; `write` empties the kernel's buffers."""

    def __init__(
        self, recorder: Recorder, workload: Workload, brokers: Sequence[str], ways: Sequence[tuple[str, str]]
    ) -> None:
        self._recorder, self._workload, self._brokers = recorder, workload, brokers
        code = recorder.code
        self._senders = np.array([code(one) for one, _ in ways], np.int64)
        self._receivers = np.array([code(other) for _, other in ways], np.int64)
        self._kinds = np.array([code(kind) for kind in KINDS], np.int64)
        self._outcomes = np.array([code(outcome) for outcome in (*OUTCOMES, "expired")], np.int64)
        places = [code(name) for name in brokers]
        links = [code(f"{one}>{other}") for one, other in ways]
        self._components = np.array([*places, *reversed(links)], np.int64)
        """By broker; by -1 - link from the end."""

    def write(self, state: State, window: FlowWindow, plans: Plans) -> None:
        """Everything since the last time."""
        n = state.counters
        if n["sent"] and self._recorder.transmitting:
            self._sent(state.sent[: n["sent"]], window)
        if n["noted"]:
            self._noted(state.noted[: n["noted"]], window, plans)
        if n["taken"]:
            self._workload.decided(state.taken["event"][: n["taken"]], state.taken["ns"][: n["taken"]])
        n["sent"] = n["noted"] = n["taken"] = 0

    def _sent(self, rows: Records, window: FlowWindow) -> None:
        links = rows["link"]
        events = np.full(len(rows), NULL_NS)
        of_events = rows["kind"] == 0
        events[of_events] = window.ids[rows["event"][of_events] - window.base]
        self._recorder.transmitted(
            {
                "event": events,
                "sender": self._senders[links],
                "receiver": self._receivers[links],
                "attempt": np.zeros(len(rows), np.int64),
                "kind": self._kinds[rows["kind"]],
                "sent_ns": rows["ns"],
                "outcome": self._outcomes[rows["outcome"]],
            }
        )

    def _noted(self, rows: Records, window: FlowWindow, plans: Plans) -> None:
        places = rows["event"] - window.base
        wanted = rows["what"] == WANTED
        in_time = wanted & (rows["ns"] <= window.records["expires_ns"][places])
        shown = rows[in_time]
        clients, counts = plans.clients(shown["plan"])
        self._recorder.shown_many(
            np.repeat(window.ids[places[in_time]], counts), np.repeat(shown["ns"], counts), clients
        )
        if not in_time.all():
            self._dropped(rows[~in_time], window, plans)

    def _dropped(self, rows: Records, window: FlowWindow, plans: Plans) -> None:
        """Rows for subscribers where they are known or can be looked up, else one for everyone behind."""
        late, expired = rows["what"] == WANTED, rows["what"] == EXPIRED
        lost = self._behind(rows[expired], window)
        too_late, counts_late = plans.clients(rows["plan"][late])
        counts = np.ones(len(rows), np.int64)
        counts[late], counts[expired] = counts_late, [len(one) for one in lost]
        which = np.repeat(np.arange(len(rows)), counts)
        subscribers = np.full(len(which), NULL_NAME, np.int64)
        subscribers[late[which]] = too_late
        subscribers[expired[which]] = np.concatenate([np.zeros(0, np.int64), *lost])
        self._recorder.dropped_many(
            {
                "event": window.ids[rows["event"] - window.base][which],
                "component": self._components[rows["where"]][which],
                "subscriber": subscribers,
                "dropped_ns": rows["ns"][which],
                "reason": self._outcomes[rows["what"]][which],
            }
        )

    def _behind(self, rows: Records, window: FlowWindow) -> Sequence[Ints]:
        if len(rows) == 0:
            return []
        numbers, which = np.unique(rows["event"], return_inverse=True)
        events = window.at(numbers)
        pairs = zip(which.tolist(), rows["where"].tolist(), strict=True)
        return self._recorder.behind([(events[place], self._brokers[where]) for place, where in pairs])
