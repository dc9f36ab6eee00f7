"""`Drafts`: forms that are being filled in, kept with their project until saved or closed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from studio_qt.authoring.subagentform import Opened, SubAgentForm
from studio_qt.errors import StorageError
from studio_qt.files.atomic import write_atomic
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.tasks import Tasks

__all__ = ["Draft", "Drafts"]

_FILES = "builder-*.json"
_SOON_MS = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsaved form: `path` and `entry` of what it edits, `text` what a new one began with."""

    form: SubAgentForm
    path: str = ""
    entry: int | None = None
    text: str = ""

    @classmethod
    def of(cls, form: SubAgentForm, opened: Opened) -> Draft:
        """Take a form and what it was read from."""
        entry = opened.instance.index if opened.instance is not None else None
        return cls(form, opened.path, entry, opened.text if opened.is_new else "")


class Drafts(QObject):
    """Writes what `now` tells half a second after `mark`; it survives a kill of the program.

    `root` tells the project that is open, whether its character plays or not.
    """

    def __init__(
        self,
        tasks: Tasks,
        now: Callable[[], Draft | None],
        root: Callable[[], Path | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._tasks, self._now, self._root = tasks, now, root
        self._writing = asyncio.Lock()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self.write)

    async def kept(self) -> list[Draft]:
        """Return the forms that were not saved in the open project, one for each file."""
        root = self._root()
        return [] if root is None else await asyncio.to_thread(_read, project_memory(root))

    def mark(self) -> None:
        """Something was changed."""
        if not self._soon.isActive():
            self._soon.start()

    def write(self) -> None:
        """Bring the form to the disk now."""
        self._soon.stop()
        draft, root = self._now(), self._root()
        if root is not None and draft is not None:
            self._tasks.start(self._put(project_memory(root), draft), name="keep the form")

    async def end(self) -> None:
        """Have the form on the disk; the window closes."""
        self._soon.stop()
        draft, root = self._now(), self._root()
        if root is not None and draft is not None:
            await self._put(project_memory(root), draft)

    def forget(self, path: str) -> None:
        """Remove what is kept for a file, "" for a new one: it was saved, or given up."""
        self._soon.stop()
        if (root := self._root()) is not None:
            place = _place(project_memory(root), path)
            self._tasks.start(self._remove(place), name="keep the form")

    async def _put(self, folder: Path, draft: Draft) -> None:
        text = json.dumps(asdict(draft), ensure_ascii=False)
        async with self._writing:
            try:
                await asyncio.to_thread(_write, _place(folder, draft.path), text)
            except StorageError as error:
                _log.warning("The unsaved form could not be kept: %s", error)

    async def _remove(self, place: Path) -> None:
        async with self._writing:
            with suppress(FileNotFoundError):
                await asyncio.to_thread(place.unlink)


def _place(folder: Path, path: str) -> Path:
    mark = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return folder / _FILES.replace("*", mark)


def _read(folder: Path) -> list[Draft]:
    """Return the forms that are kept; what is not readable is told in the log."""
    drafts = []
    for place in sorted(folder.glob(_FILES)):
        try:
            draft = _draft(read_kept(place))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            _log.warning("The unsaved form %s is not readable: %s", place, error)
            continue
        if draft is not None:
            drafts.append(draft)
    return drafts


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(place, text)


def _draft(kept: object) -> Draft | None:
    """Return what a file holds, None where another program wrote it."""
    if not isinstance(kept, dict) or not isinstance(kept.get("form"), dict):
        return None
    values: dict[str, object] = {}
    for one in fields(SubAgentForm):
        value = kept["form"].get(one.name)
        value = tuple(value) if isinstance(value, list) else value
        if _fits(value, getattr(SubAgentForm(), one.name)):
            values[one.name] = value
    entry = kept.get("entry")
    return Draft(
        replace(SubAgentForm(), **values),  # type: ignore[arg-type]
        str(kept.get("path") or ""),
        entry if isinstance(entry, int) else None,
        str(kept.get("text") or ""),
    )


def _fits(value: object, default: object) -> bool:
    """Whether a field may hold a value; None is the default of numbers that may be left out."""
    if default is None:
        return value is None or isinstance(value, (int, float))
    return type(value) is type(default)
