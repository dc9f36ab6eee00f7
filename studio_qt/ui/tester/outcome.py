"""`OutcomeView`: what a call gave, what it changed, and what it said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from studio_qt.jsontext import decode, encode_pretty
from studio_qt.ui.desk import Desk
from studio_qt.ui.tester.calls import Report
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, label
from studio_qt.ui.widgets.inputs import Pill, Segments
from studio_qt.ui.widgets.marked import Line, differences, folded, lay, whole
from studio_qt.ui.widgets.textpane import TextPane

__all__ = ["OutcomeView"]

_PILLS = {"ok": ("Done", "ok"), "error": ("Error", "err"), "stopped": ("Stopped", "warn")}
_SAID = {
    "toast": "Toast",
    "log": "In the chat",
    "console": "Console",
    "error": "Error",
    "tool": "Inner call",
}


class OutcomeView(QWidget):
    """The result above, store changes and lines below."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._report: Report | None = None
        self._turn = 0
        self._settled = True
        self.setObjectName("testerOutcome")
        self.setAccessibleName("Result")
        self._pill = Pill("", "quiet", "testerEnding")
        self._time = ElidedLabel("", "second")
        self._time.setObjectName("testerTime")
        self._view = Segments(
            [("plain", "Plain"), ("json", "JSON")], "testerResultView", "The result as"
        )
        self._copy = IconButton(desk.theme, "copy", "Copy the result", name="testerCopy")
        self.result = TextPane(desk.theme, "testerResult", "Result")
        self._effects_title = label("What it did", "name")
        self.effects = TextPane(desk.theme, "testerEffects", "What the call did")
        self._build()
        self._view.chosen.connect(lambda _view: self._fill())
        self._copy.clicked.connect(self.copy)
        self.show_report(None)

    @property
    def settled(self) -> bool:
        """Whether the report is drawn."""
        return self._settled

    @property
    def report(self) -> Report | None:
        """What is shown."""
        return self._report

    def show_report(self, report: Report | None) -> None:
        """Show what came of a call; None before the first."""
        self._report = report
        word, tone = _PILLS[report.ending] if report else ("", "quiet")
        self._pill.setText(word)
        self._pill.set_tone(tone)
        self._pill.setVisible(report is not None)
        self._time.set_whole(_time_words(report) if report else "Nothing was called yet.")
        self._copy.setEnabled(report is not None)
        pretty = _pretty(report.result) if report else None
        self._view.setVisible(pretty is not None)
        if pretty is None:
            self._view.choose("plain")
        self._fill()

    def show_running(self, words: str) -> None:
        """Tell that a call runs."""
        self._pill.setText("Running")
        self._pill.set_tone("info")
        self._pill.show()
        self._time.set_whole(words)

    def copy(self) -> None:
        """Copy the result as it is shown."""
        if self._report is not None:
            QGuiApplication.clipboard().setText(self._shown_result(self._report))

    def _shown_result(self, report: Report) -> str:
        pretty = _pretty(report.result) if self._view.choice == "json" else None
        return report.result if pretty is None else pretty

    def _fill(self) -> None:
        self._turn += 1
        self._settled = False
        self._desk.tasks.start(self._show(self._turn, self._report), name="tester result")

    async def _show(self, turn: int, report: Report | None) -> None:
        text = self._shown_result(report) if report else ""
        result = await asyncio.to_thread(lambda: lay(whole(text)))
        effects = await asyncio.to_thread(lambda: lay(_effects(report) if report else ()))
        if turn == self._turn:
            await self.result.show_laid(result)
            await self.effects.show_laid(effects)
            self._settled = turn == self._turn

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 12, 8)
        head.setSpacing(8)
        head.addWidget(self._pill)
        head.addWidget(self._time, 1)
        head.addWidget(self._view)
        head.addWidget(self._copy)
        below = QWidget()
        inner = QVBoxLayout(below)
        inner.setContentsMargins(0, 8, 0, 0)
        inner.setSpacing(4)
        self._effects_title.setContentsMargins(16, 0, 16, 0)
        inner.addWidget(self._effects_title)
        inner.addWidget(self.effects, 1)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setObjectName("testerParts")
        parts.addWidget(self.result)
        parts.addWidget(below)
        parts.setSizes([200, 300])
        for at in range(2):
            parts.setCollapsible(at, False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(parts, 1)


def _time_words(report: Report) -> str:
    time = report.seconds
    words = f"{time * 1000:.1f} ms" if time < 1 else f"{time:.2f} s"
    return f"{report.call.name} · {words}"


def _pretty(text: str) -> str | None:
    """Return JSON with its levels; None for a text that is no object or list."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return encode_pretty(decode(text)).rstrip("\n")
    except ValueError:
        return None


def _effects(report: Report) -> Iterator[Line]:
    for store in report.stores:
        yield Line("head", f"Store of {store.agent_id}")
        before = _pretty(store.before) or store.before
        yield from folded(differences(before, _pretty(store.after) or store.after))
    if not report.stores:
        yield Line("note", "No store changed.")
    if report.said:
        yield Line("head", "What was said")
    for said in report.said:
        who = f"{said.who}: " if said.who else ""
        yield from whole(f"{_SAID.get(said.kind, said.kind)} · {who}{said.text}")
