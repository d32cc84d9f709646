"""The papers' evaluations, figure by figure, the paper's numbers beside ours; and studies that no paper has."""

from tidings.studies.catalogue import STUDIES, study_of
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.study_run import StudyRun

__all__ = ["STUDIES", "Curve", "Figure", "Finding", "Plot", "StudyRun", "study_of"]
