"""`Exporting`: opens the export sheet, makes the plan in a thread, and runs the work (STU-11)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from studio_qt.authoring.exporting import (
    ExportPlan,
    Fields,
    SummaryRow,
    export_package,
    plan_export,
    stays_here,
)
from studio_qt.authoring.foreigncode import CodeSnapshot
from studio_qt.errors import PackageError, StudioError
from studio_qt.files.atomic import write_atomic
from studio_qt.files.folder import FolderSource
from studio_qt.files.overlay import OverlaySource
from studio_qt.package import load_package
from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.exporting.parts import size_words
from studio_qt.ui.exporting.sheet import ExportSheet
from studio_qt.ui.tasks import sentence

if TYPE_CHECKING:
    from studio_qt.files.source import Source
    from studio_qt.ui.documents.documents import Documents

__all__ = ["Exporting"]

_FIELDS = ("author", "version", "license")
_NO_PROJECT = "Open a project folder first; a zip is packed already."


class Exporting(QObject):
    """The export of the project. `open_wanted` carries a file and line to look at.

    `before_run` is awaited before the code of a source is run, and may raise a StudioError.
    """

    open_wanted = Signal(str, int)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, documents: Documents, over: QWidget) -> None:
        super().__init__(over)
        self._desk, self._documents, self._over = desk, documents, over
        self._sheet: ExportSheet | None = None
        self._making = asyncio.Lock()
        self._left_out: frozenset[str] = frozenset()
        self._work: asyncio.Task[None] | None = None
        self._written: Path | None = None
        self._wrong: tuple[str, int] = ("", 0)
        self.before_run: Callable[[Source], Awaitable[None]] | None = None
        desk.actions.add(
            "exportAction", "E&xport…", self.open, place=Place("File", 3), keys="Ctrl+Alt+X"
        )

    @property
    def sheet(self) -> ExportSheet | None:
        """The sheet, once it was opened."""
        return self._sheet

    def open(self) -> None:
        """Show what would be exported; a sheet that is open keeps what is typed."""
        if (self._sheet is None or not self._sheet.come_up()) and self._work is None:
            self._left_out = frozenset()
            self._start(self._open())

    def project_closed(self) -> None:
        """Stop, and close the sheet of a project that is left."""
        self._stop()
        if self._sheet is not None and self._sheet.is_open:
            self._sheet.set_busy(busy=False)
            self._sheet.reject()

    # Planning

    async def _open(self) -> None:
        root = self._root()
        plan, stays = await self._read(Fields())
        sheet = await self._make_sheet()
        if self._documents.root != root:
            return  # the project was left meanwhile
        config = plan.package.config
        author, version, license_ = (_text(config, key) for key in _FIELDS)
        place = _place_for(plan.package.name, version, root)
        sheet.begin(plan.package.name, place, Fields(author, version, license_))
        sheet.show_plan(plan, stays)
        sheet.set_busy(busy=False)
        sheet.run_button.setEnabled(not plan.faults)
        await asyncio.sleep(0)
        sheet.lay()

    async def _plan_again(self) -> None:
        sheet = self._made_sheet()
        plan, stays = await self._read(sheet.fields)
        sheet.show_plan(plan, stays)

    async def _read(self, fields: Fields) -> tuple[ExportPlan, list[SummaryRow]]:
        source, left_out = CodeSnapshot(self._source()), self._left_out

        def read() -> tuple[ExportPlan, list[SummaryRow]]:
            plan = plan_export(load_package(source), fields=fields, leave_out=left_out)
            return plan, stays_here(plan)

        plan, stays = await asyncio.to_thread(read)
        self._wrong = (plan.faults[0].file, plan.faults[0].line or 0) if plan.faults else ("", 0)
        return plan, stays

    async def _make_sheet(self) -> ExportSheet:
        async with self._making:
            if self._sheet is None:
                sheet = ExportSheet(self._desk.theme, self._over)
                await sheet.assemble()
                sheet.run_wanted.connect(self._run)
                sheet.stop_wanted.connect(self._stop)
                sheet.kind_chosen.connect(lambda _kind: self._start(self._on_kind()))
                sheet.left_out.connect(self._on_left_out)
                sheet.show_wanted.connect(self._on_show)
                sheet.problem_wanted.connect(self._on_problem)
                self._sheet = sheet
        return self._sheet

    def _made_sheet(self) -> ExportSheet:
        assert self._sheet is not None
        return self._sheet

    # Working

    def _run(self) -> None:
        if self._work is None:
            self._work = self._desk.tasks.start(
                self._export(), name="export", on_error=self._on_error
            )

    def _stop(self) -> None:
        if self._work is not None:
            self._work.cancel()

    async def _export(self) -> None:
        sheet = self._made_sheet()
        try:
            place = sheet.where
            if fault := await asyncio.to_thread(_fault, place, self._root()):
                sheet.refuse_place(fault)
                return
            sheet.set_busy(busy=True)
            if sheet.kinds.choice != "package":
                await self._write_card(sheet, place)
                return
            plan, stays = await self._read(sheet.fields)  # as it is now
            sheet.show_plan(plan, stays)
            if self.before_run is not None:
                await self.before_run(plan.package.source)
            done = await export_package(
                plan,
                place,
                with_sources=sheet.sources.isChecked(),
                told=sheet.show_progress,
            )
            sheet.set_busy(busy=False)
            self._written = done.place
            sheet.show_done(done)
        except asyncio.CancelledError:
            sheet.set_busy(busy=False)
            sheet.say("Stopped. Nothing was written.")
            raise
        except StudioError as error:
            sheet.set_busy(busy=False)
            if isinstance(error, PackageError):
                self._wrong = error.file or "", error.line or 0
            shown = bool(self._wrong[0])
            sheet.say(f"Nothing was written. {error}", "fieldError", problem=shown)
        finally:
            sheet.set_busy(busy=False)  # also where something went wrong that nobody thought of
            self._work = None

    async def _write_card(self, sheet: ExportSheet, place: Path) -> None:
        data, left = await self._card(sheet.kinds.choice, place)
        await asyncio.to_thread(write_atomic, place, data)
        sheet.set_busy(busy=False)
        sheet.show_left(left)
        self._written = place
        sheet.show_written(f"{place.name} is there, {size_words(len(data))}.")

    async def _card(self, kind: str, place: Path) -> tuple[bytes, Sequence[str]]:
        source = self._source()

        def write() -> tuple[bytes, Sequence[str]]:
            from studio_qt.authoring.cards.packing import CardForm, write_card

            form: CardForm = "json" if place.suffix.lower() == ".json" else "png"
            out = write_card(
                load_package(source),
                "v2" if kind == "v2" else "v3",
                "charx" if kind == "charx" else form,
            )
            return out.data, out.left

        return await asyncio.to_thread(write)

    async def _on_kind(self) -> None:
        """Show the plan of a package, or what a card cannot carry."""
        sheet = self._made_sheet()
        sheet.show_kind()
        if sheet.kinds.choice == "package":
            await self._plan_again()
        else:
            kind = sheet.kinds.choice
            _, left = await self._card(kind, sheet.where)
            if sheet.kinds.choice != kind:
                return  # another one was chosen meanwhile
            sheet.show_left(left)
            sheet.run_button.setEnabled(True)

    # Slots

    def _on_left_out(self, path: str) -> None:
        self._left_out |= {path}
        self._start(self._plan_again())

    def _on_show(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.parent)))

    def _on_problem(self) -> None:
        self._made_sheet().reject()
        self.open_wanted.emit(*self._wrong)

    # Helpers

    def _source(self) -> OverlaySource:
        """Return the project as it plays, unsaved text first."""
        root = self._root()
        self._documents.flush()
        return OverlaySource(self._documents.buffers, FolderSource(root))

    def _root(self) -> Path:
        if self._documents.root is None:
            raise StudioError(_NO_PROJECT)
        return self._documents.root

    def _start(self, work: Coroutine[object, object, None]) -> None:
        self._desk.tasks.start(work, name="export: plan", on_error=self._on_error)

    def _on_error(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")


def _text(config: Mapping[str, object], key: str) -> str:
    value = config.get(key)
    return value if isinstance(value, str) else ""


def _place_for(name: str, version: str, root: Path) -> Path:
    """Return a file beside the project, called after the character and its version."""
    words = re.sub(r"[^\w.-]+", "-", f"{name} {version}".strip().lower()).strip("-.")
    return root.parent / f"{words or 'character'}.zip"


def _fault(place: Path, root: Path) -> str:
    """Return what is wrong with a file to write, "" for nothing; for a thread."""
    from studio_qt.authoring.replacing import replacing_fault

    if place.name in ("", "..", ".zip") or "\0" in str(place):
        return "Name a file."
    if not place.is_absolute():
        return "Give the whole path, from the top of the disk."
    if place.is_dir():
        return f"{place} is a folder; name a file in it."
    if not place.parent.is_dir():
        return f"There is no folder {place.parent}."
    if root.resolve() in place.resolve().parents:
        return "Choose a place outside of the project, which the zip is no part of."
    return replacing_fault(place)
