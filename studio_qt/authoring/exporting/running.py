"""`export_package`: from a project to a zip that was proved to play, or nothing at all."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio_qt.authoring.exporting.building import Built, build_package
from studio_qt.authoring.exporting.packing import zip_bytes
from studio_qt.authoring.exporting.plan import ExportPlan
from studio_qt.engine.proving import Proof, prove_package
from studio_qt.errors import PackageError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.sandbox import AgentLoadError

__all__ = ["ExportStep", "Exported", "Progress", "export_package", "sources_place"]

ExportStep = Literal["check", "build", "pack", "prove"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A step that has begun, or has ended after `seconds`."""

    step: ExportStep
    words: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the zip with its size in bytes, and the sources' one where there is any."""

    place: Path
    size: int
    sources: Path | None
    proof: Proof


def sources_place(place: Path) -> Path:
    """Return where the zip with the sources goes: beside the package."""
    return place.with_name(f"{place.stem}-sources.zip")


async def export_package(
    plan: ExportPlan,
    place: Path,
    *,
    with_sources: bool = False,
    told: Callable[[Progress], None] = lambda _progress: None,
) -> Exported:
    """Pack a plan into a zip; the file appears only when the package has answered a turn.

    Raises PackageError for a project with errors and for a package that does not play, naming
    the file; StorageError where the zip cannot be written.
    """
    watch = _Watch(told)
    async with watch.step("check", "Checked: no problem worse than a warning"):
        _refuse_faults(plan)
    compiled = ", ".join(name.rpartition("/")[2] for name in plan.sources)
    words = f"Compiled {compiled}" if compiled else f"Read {len(plan.files)} files"
    async with watch.step("build", words):
        built = await _built(plan)
    async with watch.step("pack", "Packed; the same project gives the same bytes"):
        data = await asyncio.to_thread(zip_bytes, built.files)
    async with watch.step("prove", "Loaded the zip and played one turn, without network"):
        proof = await _prove(place.name, data)
    await asyncio.to_thread(write_atomic, place, data)
    sources = sources_place(place) if with_sources and built.sources else None
    if sources is not None:
        await asyncio.to_thread(write_atomic, sources, zip_bytes(built.sources))
    return Exported(place, len(data), sources, proof)


def _refuse_faults(plan: ExportPlan) -> None:
    if not plan.faults:
        return
    first = plan.faults[0]
    where = first.file if first.line is None else f"{first.file}, line {first.line}"
    more = len(plan.faults) - 1
    others = f" There {'is' if more == 1 else 'are'} {more} more." if more else ""
    raise PackageError(
        f"It cannot be exported as it is: {where}: {first.message}{others}",
        file=first.file,
        line=first.line,
    )


async def _built(plan: ExportPlan) -> Built:
    try:
        return await build_package(plan)
    except AgentLoadError as error:
        raise PackageError(f"It cannot be exported as it is: {error}") from error


async def _prove(name: str, data: bytes) -> Proof:
    between = Path(tempfile.gettempdir())
    with storage_errors(between):
        made = tempfile.TemporaryDirectory(prefix="studio-export-")
    with made as folder:
        packed = Path(folder) / name
        with storage_errors(between):
            await asyncio.to_thread(packed.write_bytes, data)
        return await prove_package(packed)


class _Watch:
    """Tells of steps with the time that they took."""

    def __init__(self, told: Callable[[Progress], None]) -> None:
        self._told = told

    @asynccontextmanager
    async def step(self, name: ExportStep, words: str) -> AsyncIterator[None]:
        started = time.monotonic()
        self._told(Progress(name, words))
        yield
        self._told(Progress(name, words, time.monotonic() - started))
