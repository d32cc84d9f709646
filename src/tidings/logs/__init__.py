"""Log folders: writing the tables of a run so that they appear whole or not at all, and reading them back."""

from tidings.logs.folder import LogFolder
from tidings.logs.reader import Folder, open_folder, runs_of
from tidings.logs.staging import RunsFolder, StagedFolder
from tidings.vocabulary.records import NULL_NAME, NULL_NS

__all__ = ["NULL_NAME", "NULL_NS", "Folder", "LogFolder", "RunsFolder", "StagedFolder", "open_folder", "runs_of"]
