"""Work spread over processes: order, errors, interrupts, and that nothing is left behind."""

import multiprocessing

import pytest

from studies.jobs import crash, die, double, refuse
from tidings.errors import InputError, WorldError
from tidings.processes import Workers


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_the_order_of_the_jobs(processes):
    """Twice, with the same processes."""
    with Workers(processes) as workers:
        assert list(workers.map(double, range(5))) == [0, 2, 4, 6, 8]
        assert list(workers.map(double, [7])) == [14]
    assert multiprocessing.active_children() == []


def test_no_jobs_need_no_process():
    """Nothing is started before there is work."""
    with Workers(2):
        assert multiprocessing.active_children() == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_keeps_its_sentence(processes):
    """What the input does not allow is told in the same words, wherever it was found."""
    with pytest.raises(InputError, match="number 3"), Workers(processes) as workers:
        list(workers.map(refuse, [3]))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("processes", [1, 2])
def test_our_own_bugs_stay_bugs(processes):
    """No sentence for the user is made of them."""
    with pytest.raises(ZeroDivisionError), Workers(processes) as workers:
        list(workers.map(crash, [1]))


def test_a_process_that_is_killed_is_the_worlds_fault():
    """One sentence, with what might help."""
    with pytest.raises(WorldError, match="fewer --processes"), Workers(2) as workers:
        list(workers.map(die, [1]))


def test_an_interrupt_ends_the_others():
    """Whoever stops reading in anger leaves no process behind."""

    def leave():
        with Workers(2) as workers:
            for _ in workers.map(double, range(100)):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    assert multiprocessing.active_children() == []


def test_at_least_one_process():
    """Zero is refused."""
    with pytest.raises(InputError, match="processes = 0"):
        Workers(0)
