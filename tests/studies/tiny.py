"""Studies in a moment: as few samples as can be, to see that everything is there."""

from tidings.studies.study_run import StudyRun


class TinyRun(StudyRun):
    """Numbers of whatever kind are 2 at most; other sizes are the quick ones."""

    def sized(self, *, quick, full):
        """The quick one, or 2."""
        return min(quick, 2) if isinstance(quick, int) else quick


def rows(figure):
    """Findings by what they say."""
    found = {finding.what: finding for finding in figure.findings}
    assert len(found) == len(figure.findings), "two findings say the same"
    return found
