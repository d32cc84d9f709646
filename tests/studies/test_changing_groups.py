"""Groups that come and go over a bad network: nobody waits for ever, nobody disagrees; and what breaks that is noticed."""

from collections import Counter
from functools import partial

import pytest

from tidings.errors import PeerError
from tidings.ordering.detours import Detours
from tidings.ordering.group_directory import GroupDirectory
from tidings.ordering.group_member import GroupMember
from tidings.ordering.group_messages import Admit, Joined
from tidings.ordering.group_sequencer import GroupSequencer
from tidings.studies.changing_groups import Changed, ChangingRun, Parts, run_changing
from tidings.studies.published_retirement import PublishedRetirement
from tidings.vocabulary.streams import Streams


def faults(found: Changed, k: int) -> dict[str, int]:
    """What must not be, by kind; with k = 1 there is more of it."""
    kinds = {
        "held for ever": found.lives.stuck,
        "never shown": found.missing,
        "never sequenced": found.unopened,
        "disagreements": found.lives.conflicts(),
        "shown twice": sum(len(order) - len(set(order)) for order in found.seen.shown.values()),
    }
    if k == 1:
        kinds |= {"cycles": found.lives.has_cycle(), "effects before causes": found.seen.inversions()}
    return {kind: int(count) for kind, count in kinds.items() if count}


def drawn(seed):
    """A world of any size under any network."""
    draw = Streams(seed)("changing groups")
    what = ChangingRun(
        k=int(draw.integers(1, 3)),
        members=int(draw.integers(2, 12)),
        groups=int(draw.integers(1, 9)),
        machines=int(draw.integers(1, 6)),
        events=int(draw.integers(60)),
        changes=int(draw.integers(60)),
        plans=float(draw.choice([0, 0.05, 0.2])),
        answers=float(draw.random() / 5),
        loss=float(draw.choice([0, 0.1, 0.4])),
        order_delay_ns=int(draw.choice([0, 3_000, 40_000])),
    )
    return what, draw


HAPPENS = (
    "let in",
    "succeeded",
    "begun",
    "left",
    "ended",
    "planned anew",
    "nodes gone",
    "asked again",
    "frames lost",
    "frames repeated",
)


def campaign(seeds):
    """Runs of all kinds; gives what happened in them. Fails at the first that is not right."""
    happened = Counter()
    for seed in seeds:
        what, draw = drawn(seed)
        found = run_changing(what, draw)
        assert faults(found, what.k) == {}, f"seed {seed}, {what}"
        happened += found.happened
    return happened


def test_order_survives_all_changes():
    """40 worlds, both k; every kind of change and fault has happened many times."""
    happened = campaign(range(40))
    assert all(happened[kind] > 20 for kind in HAPPENS), happened


@pytest.mark.slow
def test_order_survives_all_changes_at_length(seeds):
    """Twenty worlds for each seed of the campaign."""
    happened = campaign(range(1_000, 1_000 + 20 * len(seeds)))
    assert all(happened[kind] for kind in HAPPENS), happened


def test_runs_repeat():
    """The same stream, the same run, to the last event."""
    for k in (1, 2):
        one, other = (run_changing(ChangingRun(k=k), Streams(5)("x")) for _ in range(2))
        assert (one.seen.shown, one.happened, one.depth) == (other.seen.shown, other.happened, other.depth)
        assert sum(map(len, one.seen.shown.values())) > 50


def caught(parts, k, runs=20, plans=0.0):
    """In how many runs something is wrong with these parts; a channel that is found to be broken counts."""
    found = Counter()
    for seed in range(runs):
        what = ChangingRun(k=k, order_delay_ns=20_000, plans=plans)
        try:
            outcome = run_changing(what, Streams(seed)(f"planted {k}"), parts)
        except PeerError:
            found["refused"] += 1
        else:
            found.update(faults(outcome, k).keys())
            found["any"] += bool(faults(outcome, k))
    return found


def test_nothing_is_found_where_nothing_is_wrong():
    """The same runs as of the planted bugs."""
    assert sum(sum(caught(Parts(), k).values()) for k in (1, 2)) == 0


@pytest.mark.parametrize("k", [1, 2])
def test_atoms_that_retire_too_soon_are_noticed(k):
    """As published, when the end of a group has passed: members wait for ever, for what others have been shown."""
    exact = Parts(sequencer=PublishedRetirement, member=partial(GroupMember, exact=True))
    assert caught(exact, k, runs=15)["held for ever"] >= 4


def test_members_that_do_not_wait_disagree_then():
    """The same nodes with members that show what nothing they know of comes before."""
    assert caught(Parts(sequencer=PublishedRetirement), 2)["disagreements"] >= 2


class Forward(GroupMember):
    """A planted bug: begins with a new plan's groups before the old ones have ended."""

    def appoint(self, group, version=0):
        super().appoint(group)


class OpensAtOnce(GroupSequencer):
    """A planted bug: a new group numbers messages before what it is put in order with comes its way."""

    def _take_in(self, order):
        super()._take_in(order)
        self._entrances[order.group].awaited.clear()


class Straight(Detours):
    """A planted bug: nothing waits for the old way to be empty."""

    def pass_on(self, child, item):
        return [item]


class NoDetours(GroupSequencer):
    """Of such nodes."""

    def __init__(self, name):
        super().__init__(name)
        self._detours = Straight()


class Impatient(GroupMember):
    """A planted bug: goes on being shown messages while it waits to be let into a group."""

    def receive(self, message):
        if isinstance(message.body, Joined) and self.awaits(message.group, message.body):
            _, version = self._joining.pop(message.group)
            self._begin(message.group, message.number - 1, version)
        return self._take(message)


class NoHeirs(GroupDirectory):
    """A planted bug: members join a group as it is, whatever overlaps then."""

    def join(self, member, name):
        if name not in self._current:
            return super().join(member, name)
        group = self._current[name]
        self._groups[group].members[member] = None
        self._tickets += 1
        self._order(self._groups[group].entrance, Admit(group, member, self._tickets))
        return group, self._tickets


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        (Parts(sequencer=OpensAtOnce), "disagreements"),
        (Parts(sequencer=NoDetours), "refused"),
        (Parts(member=Impatient), "held for ever"),
        (Parts(directory=NoHeirs), "disagreements"),
    ],
    ids=["opens at once", "no detours", "impatient", "no heirs"],
)
@pytest.mark.parametrize("k", [1, 2])
def test_other_planted_bugs_are_noticed(parts, kind, k):
    """Each by what it breaks, in several of 20 runs."""
    assert caught(parts, k)[kind] >= 3


@pytest.mark.parametrize("k", [1, 2])
def test_members_that_do_not_wait_for_the_old_plan_are_noticed(k):
    """They disagree about what was before and what after."""
    assert caught(Parts(member=Forward), k, plans=0.3)["disagreements"] >= 3


def test_a_world_without_anything():
    """No events, no changes: nothing happens, and nothing is wrong."""
    found = run_changing(ChangingRun(events=0, changes=0), Streams(1)("x"))
    assert faults(found, 2) == {}
    assert not found.happened
    assert found.depth >= 1
