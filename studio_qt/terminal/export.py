"""`studio-qt export`: a project packed into a zip that was proved to play."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from studio_qt.authoring.exporting import (
    Exported,
    Progress,
    export_package,
    goes_in,
    plan_export,
)
from studio_qt.authoring.replacing import replacing_fault
from studio_qt.errors import StudioError
from studio_qt.files.there import is_folder
from studio_qt.terminal.opening import load

__all__ = ["export"]


def export(project: str, place: Path, *, with_sources: bool) -> int:
    """Export a project and say what went in; returns 0.

    Raises PackageError for what cannot be packed or does not play, StudioError for a place where
    something else is, StorageError.
    """
    if fault := "" if is_folder(place) else replacing_fault(place):
        raise StudioError(fault)
    done = asyncio.run(_export(project, place, with_sources=with_sources))
    sys.stdout.write(f"{done.place}  {done.size / 1024:,.0f} KB\n")
    if done.sources is not None:
        sys.stdout.write(f"{done.sources}  the sources\n")
    return 0


async def _export(project: str, place: Path, *, with_sources: bool) -> Exported:
    package = await load(project)
    plan = await asyncio.to_thread(plan_export, package)
    for row in goes_in(plan):
        sys.stdout.write(f"  {row.title}: {row.details}\n")
    for warning in plan.warnings:
        sys.stderr.write(f"{warning.sentence}\n")
    return await export_package(plan, place, with_sources=with_sources, told=_tell)


def _tell(progress: Progress) -> None:
    if progress.seconds is not None:
        sys.stdout.write(f"{progress.words} ({progress.seconds:.1f} s)\n")
        sys.stdout.flush()
