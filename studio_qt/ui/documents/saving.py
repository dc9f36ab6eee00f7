"""Writing one document: look, keep the earlier version, replace. All on another thread."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from studio_qt.errors import StorageError, StudioError
from studio_qt.ui.documents.disk import ForeignChange, digest_of, read_bytes, replace_file
from studio_qt.ui.documents.history import LocalHistory

__all__ = ["Job", "save_file"]


class Job(NamedTuple):
    """What is to be written where; `seen` is the SHA-256 that the file had when last seen."""

    root: Path
    path: str
    data: bytes
    seen: str | None
    check: bool


def save_file(job: Job, history: LocalHistory) -> str:
    """Replace the file unless it has the bytes already; raises StorageError and `ForeignChange`.

    With `check`, a file that is not as it was seen stays. One that is gone is made again. Returns
    why the earlier version is not kept, as a sentence: the text of the user comes first.
    """
    there = _there(job)
    lost = ""
    if there == job.data:
        return lost
    if there is not None:
        if job.check and digest_of(there) != job.seen:
            raise ForeignChange(
                f"{job.path} was changed by another program. "
                "Compare the two, then keep yours or take the disk's."
            )
        try:
            history.keep(job.path, there, "before saving")
        except StorageError as error:
            lost = f"{job.path} is saved, but what it was before could not be kept. {error}"
    replace_file(job.root, job.path, job.data)
    return lost


def _there(job: Job) -> bytes | None:
    try:
        return read_bytes(job.root, job.path)
    except StorageError:
        raise
    except StudioError as error:
        if job.check:
            raise ForeignChange(f"{job.path} was changed by another program: {error}") from error
        raise
