"""`Noticing`: bars above the editors of agents, as files, config.json and trust change (STU-07)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.authoring.bars import (
    BAR_KINDS,
    Bar,
    Shadow,
    bars_of,
    read_entries,
    shadows_of,
)
from studio_qt.authoring.enabling import enabled_config, entry_name
from studio_qt.authoring.permissions import shown_name
from studio_qt.errors import StudioError
from studio_qt.files import FolderSource, OverlaySource
from studio_qt.jsontext import encode
from studio_qt.package.config import CONFIG_FILE
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.documents.rewriting import rewrite
from studio_qt.ui.guarding import Gatekeeper

if TYPE_CHECKING:
    from studio_qt.ui.editors.page import EditorsPage

__all__ = ["Noticing"]

_PATIENCE_MS = 60
_WORDS = {"enable": "Enable it", "entry": "Show the entry", "review": "Review…"}
_TONES = {"trust": "warn", "registration": "warn", "shadowed": "warn"}

Undo = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class _Found:
    bars: tuple[Bar, ...]
    beside: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look needs: all of it is frozen, so that a thread can read it."""

    root: Path
    buffers: Mapping[str, str]
    paths: Sequence[str]
    untrusted: Collection[str]
    waiting: bool

    def take(self) -> dict[str, _Found]:
        """Return what is to be shown of each path."""
        source = OverlaySource(self.buffers, FolderSource(self.root))
        entries = read_entries(source)
        found = {}
        for path in self.paths:
            bars = bars_of(source, entries, path, self.untrusted, waiting=self.waiting)
            shadows = shadows_of(source, entries, path) if entries is not None else ()
            found[path] = _Found(bars, _beside(shadows))
        return found


class Noticing(QObject):
    """Looks at the open agents whenever something changes, in a thread, and shows their bars.

    Call `look` after any change. A bar that the user has sent away stays away until it has
    something else to say. `open_wanted` carries a file and a line; `enabled` a sentence and what
    takes it back.
    """

    open_wanted = Signal(str, int)
    review_wanted = Signal()
    enabled = Signal(str, object)
    notice = Signal(str, str)

    def __init__(
        self,
        desk: Desk,
        documents: Documents,
        editors: EditorsPage,
        gate: Gatekeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._desk, self._documents, self._editors, self._gate = desk, documents, editors, gate
        self._shown: WeakKeyDictionary[object, dict[str, Bar]] = WeakKeyDictionary()
        self._busy = self._again = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_PATIENCE_MS)
        self._soon.timeout.connect(self._start)
        editors.current_changed.connect(self.look)
        documents.buffers_changed.connect(self.look)
        documents.opened.connect(self.look)
        gate.changed.connect(self.look)

    @property
    def settled(self) -> bool:
        """Whether the bars are those of now."""
        return not self._busy and not self._soon.isActive()

    def look(self, _what: object = None) -> None:
        """Look again, soon."""
        self._soon.start()

    def _start(self) -> None:
        if self._busy:
            self._again = True
            return
        self._busy = True
        if self._desk.tasks.start(self._look(), name="bars") is None:
            self._busy = False

    async def _look(self) -> None:
        try:
            root = self._documents.root
            paths = [path for path in self._editors.paths if path.startswith("agents/")]
            if root is not None and paths:
                look = _Look(
                    root,
                    dict(self._documents.buffers),
                    paths,
                    self._gate.untrusted,
                    self._gate.waiting,
                )
                found = await asyncio.to_thread(look.take)
                if self._documents.root == root:
                    for path, one in found.items():
                        self._show(path, one.bars)
                        self._strike_out(path, one.beside)
        finally:
            self._busy = False
            if self._again:
                self._again = False
                self.look()

    def _show(self, path: str, bars: Sequence[Bar]) -> None:
        view = self._editors.find_view(path)
        if view is None:
            return
        before = self._shown.get(view, {})
        now: dict[str, Bar] = {bar.kind: bar for bar in bars}
        self._shown[view] = now
        for kind in BAR_KINDS:
            bar, old = now.get(kind), before.get(kind)
            if bar is None:
                if old is not None:
                    self._editors.take_notice(path, kind)
            elif old is None or old.text != bar.text:
                self._put(path, bar)

    def _strike_out(self, path: str, beside: Mapping[int, str]) -> None:
        """Mark the lines of fields that config.json overrides."""
        view = self._editors.find_view(path)
        editor = view.body.editor if view is not None and view.body is not None else None
        if editor is not None and (beside or editor.marks.shadowed):
            editor.marks.set_shadowed(beside)
            editor.repaint_marks()

    def _put(self, path: str, bar: Bar) -> None:
        view = self._editors.find_view(path)

        def act() -> None:
            now = self._shown.get(view, {}).get(bar.kind, bar)
            self._act(view.path if view is not None else path, now)

        self._editors.show_notice(
            path,
            bar.text,
            _WORDS.get(bar.action, ""),
            act if bar.action else None,
            key=bar.kind,
            tone=_TONES[bar.kind],
        )

    def _act(self, path: str, bar: Bar) -> None:
        if bar.action == "enable":
            self._desk.tasks.start(self._enable(path), name="enable")
        elif bar.action == "entry":
            self.open_wanted.emit(CONFIG_FILE, bar.line or 1)
        elif bar.action == "review":
            self.review_wanted.emit()

    async def _enable(self, path: str) -> None:
        """List a file in config.json, as one step that can be undone."""
        name = shown_name(entry_name(path) or path)
        text = await self._config()
        try:
            listed = enabled_config(text, path)
        except ValueError as error:
            self.notice.emit(
                f"{name} cannot be enabled: config.json is no JSON that can be added to ({error}). "
                "Mend it first.",
                "error",
            )
            return
        done = await rewrite(self._documents, {CONFIG_FILE: listed}, keep_unsaved=True)
        self.look()
        self.enabled.emit(f"{name} is listed in config.json now.", done.undo)

    async def _config(self) -> str:
        """Return config.json as it plays; where there is none, an empty one."""
        try:
            return await self._documents.text_now(CONFIG_FILE)
        except StudioError:
            root = self._documents.root
            if root is None or await asyncio.to_thread((root / CONFIG_FILE).exists):
                raise
            return "{}\n"


def _beside(shadows: Sequence[Shadow]) -> dict[int, str]:
    """Return what counts instead of overridden lines, by their number from 1."""
    found: dict[int, list[str]] = {}
    for one in shadows:
        if one.line is not None:
            told = shown_name(encode(one.value).strip('"'), 40)
            found.setdefault(one.line, []).append(f"{told} for {shown_name(one.instance, 40)}")
    return {line: ", ".join(said) for line, said in found.items()}
