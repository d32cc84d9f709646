"""Downtime: a broker is down while any reason lasts, and its own failures are among them."""

from simulation.worlds import MS
from tidings.simulation.agenda import Agenda
from tidings.simulation.downtime import RESTART_NS, Downtime
from tidings.vocabulary.instant import SECOND

END = 20 * SECOND


class Process:
    """Writes down when it falls and rises; its disk may refuse some starts."""

    def __init__(self, place, name):
        self.place, self.name, self.up, self.log, self.refusals = place, name, True, [], 0

    def crash(self, now):
        assert self.up
        self.up = False
        self.log.append(("crash", now))

    def start(self, now):
        assert not self.up
        self.up = True
        self.log.append(("start", now))
        if self.refusals:
            self.refusals -= 1
            self.fail(now)

    def fail(self, now):
        """As a host does when its disk fails."""
        self.crash(now)
        self.place.downtime.disk_failed(now, self.name)


class Place:
    """One broker b."""

    def __init__(self):
        self.agenda, self.back, self.stops = Agenda(), [], {}
        self.process = Process(self, "b")
        self.downtime = Downtime(self.agenda, {"b": self.process}, self.back.append, self.stops, ends_ns=END)

    def plan(self, down, up):
        """A fall and a rise."""
        fall, rise = self.downtime.turns("b")
        self.agenda.at(down, lambda now, *_: fall(now))
        self.agenda.at(up, lambda now, *_: rise(now))

    def fail(self, at):
        """The disk fails, if the process runs."""
        self.agenda.at(at, lambda now, *_: self.process.fail(now) if self.process.up else None)

    def run(self):
        """Everything; gives what happened to the process."""
        self.agenda.run_out()
        return self.process.log


def test_falls_and_rises_as_planned():
    """And whoever wants to know hears of the rise."""
    place = Place()
    place.plan(SECOND, 3 * SECOND)
    assert place.run() == [("crash", SECOND), ("start", 3 * SECOND)]
    assert (place.back, place.stops) == (["b"], {})


def test_a_process_whose_disk_failed_is_started_again():
    """After a second, and it is known how long it was down."""
    place = Place()
    place.fail(SECOND)
    assert place.run() == [("crash", SECOND), ("start", SECOND + RESTART_NS)]
    assert (place.back, place.stops) == (["b"], {"b": [(SECOND, SECOND + RESTART_NS)]})


def test_the_last_reason_decides():
    """A fall during a failure, and a failure shortly before a rise: down once, for as long as either lasts."""
    place = Place()
    place.fail(SECOND)
    place.plan(SECOND + 100 * MS, SECOND + 200 * MS)
    place.fail(5 * SECOND)
    place.plan(5 * SECOND + 100 * MS, 9 * SECOND)
    assert place.run() == [("crash", SECOND), ("start", 2 * SECOND), ("crash", 5 * SECOND), ("start", 9 * SECOND)]
    assert place.back == ["b", "b"]


def test_a_disk_that_fails_at_the_start():
    """The process is not back before a start succeeds."""
    place = Place()
    place.process.refusals = 2
    place.fail(SECOND)
    assert place.run()[-1] == ("start", SECOND + 3 * RESTART_NS)
    assert place.process.up
    assert place.back == ["b"]
    assert [down for down, _ in place.stops["b"]] == [SECOND, SECOND + RESTART_NS, SECOND + 2 * RESTART_NS]


def test_in_the_end_everybody_is_up():
    """A failure in the last moment lasts until the end and no longer."""
    place = Place()
    place.fail(END - 5)
    assert place.run() == [("crash", END - 5), ("start", END)]
