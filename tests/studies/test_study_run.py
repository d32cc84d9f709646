"""How a study is run: sizes, spreading and progress."""

from studies.jobs import double
from tidings.processes import Workers
from tidings.studies.study_run import StudyRun


def test_the_size_is_one_of_two():
    """Quick unless told otherwise."""
    assert StudyRun().sized(quick=1, full=2) == 1
    assert StudyRun(full=True).sized(quick=1, full=2) == 2


def test_draws_depend_on_the_seed():
    """Same seed and name, same draws."""
    first, again, other = (StudyRun(seed=seed).streams("x").random() for seed in (1, 1, 2))
    assert first == again != other


def test_jobs_are_counted_over_all_calls():
    """Progress grows by what is done and by what turns out to be there."""
    steps = []
    run = StudyRun(progress=lambda done, total: steps.append((done, total)))
    assert run.map(double, [1, 2]) == [2, 4]
    assert run.map(double, [3]) == [6]
    assert steps == [(0, 2), (1, 2), (2, 2), (2, 3), (3, 3)]


def test_processes_change_nothing():
    """The same results in the same order."""
    with Workers(2) as workers:
        assert StudyRun(workers=workers).map(double, [1, 2, 3]) == StudyRun().map(double, [1, 2, 3])
