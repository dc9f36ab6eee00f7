"""`IdentityColumn`: who the sub-agent is, what it sees, and how it answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.subagentchecks import FormProblem
from studio_qt.authoring.subagentform import Opened, SubAgentForm
from studio_qt.package.ids import tool_name_of
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.ui.builder.choices import ChoiceField
from studio_qt.ui.builder.rows import FieldRow, Section
from studio_qt.ui.builder.words import history_sentence, model_sentence
from studio_qt.ui.documents.plain import document_text, to_document
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.inputs import NumberField

__all__ = ["IdentityColumn"]

_TIERS = ("none", "recent", "full")
_LANES = ("worker", "main")
_RECENT = 10


class IdentityColumn(QWidget):
    """The left column. `changed`: a field is another; `mended` carries a mended form.

    `instance_wanted` carries the place in config.json of the instance to be edited instead.
    """

    changed = Signal()
    mended = Signal(object)
    instance_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._opened = Opened(SubAgentForm())
        self._make_fields()
        self._make_rows()
        self._build()
        self._connect()

    # What the form is

    def show_form(self, form: SubAgentForm, opened: Opened) -> None:
        """Show a form; what a field shows already is left alone, with its undo steps."""
        self._opened = opened
        self._show_name(form, opened)
        if document_text(self.description.document()) != form.description:
            self.description.setPlainText(to_document(form.description))
        tier, _, count = form.history.partition(":")
        self.history.setCurrentIndex(max(0, self.history.findData(tier)))
        if tier == "recent" and count.lstrip("-").isdecimal():
            self.count.setValue(int(count))
        self.model.setCurrentIndex(max(0, self.model.findData(form.model)))
        self.cap.setValue(form.max_tokens)
        for field, value in ((self.temperature, form.temperature), (self.top_p, form.top_p)):
            if _same(_number(field.text()), value):
                continue
            field.setText("" if value is None else f"{value:g}")
        self.debug.setChecked(form.debug)
        self._show_instances(opened)

    def read(self, form: SubAgentForm) -> SubAgentForm:
        """Return the form with what this column says. A number that is none is NaN."""
        tier = str(self.history.currentData())
        return replace(
            form,
            name=form.name if self.name.isReadOnly() else _stem(self.name.text()),
            description=document_text(self.description.document()).strip(),
            history=f"recent:{self.count.value()}" if tier == "recent" else tier,
            model=str(self.model.currentData()),
            max_tokens=self.cap.value(),
            temperature=_number(self.temperature.text()),
            top_p=_number(self.top_p.text()),
            debug=self.debug.isChecked(),
        )

    def show_state(
        self,
        form: SubAgentForm,
        problems: Mapping[str, Sequence[FormProblem]],
        *,
        history_tokens: int,
        models: Mapping[str, str],
        asked: Sequence[str] = (),
    ) -> None:
        """Show what is wrong, and what the choices come to.

        `asked` are fields that are still to be filled in: they say so without blame.
        """
        first = {field: found[0] for field, found in problems.items() if found}
        wanted = {field: first.pop(field).sentence for field in asked if field in first}
        self.name_row.show_problem(first.get("name"), wanted.get("name") or self._names(form))
        self._lock_name()
        good, missing = "Says what it knows and when to call it.", wanted.get("description")
        state = "" if missing else "ok"
        self.description_row.show_problem(first.get("description"), missing or good, state)
        recent = form.history.startswith("recent")
        for widget in (self.count, self._messages):
            widget.setVisible(recent)
        sees = history_sentence(form.history, history_tokens)
        self.history_row.show_problem(first.get("history"), sees)
        sentence = model_sentence(form.model, models.get(form.model, ""))
        self.model_row.show_problem(first.get("model"), sentence)
        self.cap_row.show_problem(first.get("max_tokens"))
        self.temperature_row.show_problem(first.get("temperature"))
        self.top_p_row.show_problem(first.get("top_p"))

    def _names(self, form: SubAgentForm) -> str:
        agent_id = self._opened.agent_id or form.name
        if not agent_id:
            return ""
        tool = tool_name_of(agent_id)
        return f"tool {tool}  ·  command @{tool}  ·  id {agent_id}"

    def _show_name(self, form: SubAgentForm, opened: Opened) -> None:
        if _stem(self.name.text()) != form.name:
            self.name.setText(form.name)
        locked = not opened.is_new
        self.name.setReadOnly(locked)
        self._lock.setVisible(locked)
        self.name_row.set_hint("locked while editing" if locked else "becomes the file's name")

    def _lock_name(self) -> None:
        if self.name.isReadOnly():
            self.name.setProperty("state", "locked")
            self.name.style().polish(self.name)

    def _show_instances(self, opened: Opened) -> None:
        self.instance_row.setVisible(len(opened.instances) > 1)
        self.instance.clear()
        for one in opened.instances:
            self.instance.addItem(one.agent_id, one.index)
        if opened.instance is not None:
            self.instance.setCurrentIndex(self.instance.findData(opened.instance.index))
        others = len(opened.instances) - 1
        shown = ", ".join(sorted(opened.overridden)) or "nothing"
        self.instance_row.show_state(
            "",
            f"The file is shared with {others} more; this one overrides {shown}.",
        )

    # Building

    def _make_fields(self) -> None:
        self.name = QLineEdit()
        self.name.setObjectName("builderName")
        self._lock = QAction(self.name)
        self.name.addAction(self._lock, QLineEdit.ActionPosition.LeadingPosition)
        self.instance = _combo("builderInstance", "Instance")
        self.description = QPlainTextEdit()
        self.description.setObjectName("builderDescription")
        self.description.setProperty("kind", "field")
        self.description.setTabChangesFocus(True)
        self.history = _combo("builderHistory", "Conversation it sees")
        for tier, words in zip(_TIERS, ("none", "recent…", "full"), strict=True):
            self.history.addItem(words, tier)
        self.count = NumberField("builderHistoryCount", "Messages it sees", 0, 9_999)
        self.count.setValue(_RECENT)
        self.model = _combo("builderModel", "Model")
        for lane in _LANES:
            self.model.addItem(lane, lane)
        self.cap = NumberField("builderMaxTokens", "Answer cap in tokens", -1_000_000, 1_000_000)
        self.cap.setGroupSeparatorShown(True)
        self.temperature = _decimal("builderTemperature", "Temperature, 0 to 2")
        self.top_p = _decimal("builderTopP", "Top P, 0 to 1")
        self.debug = QCheckBox("debug")
        self.debug.setObjectName("builderDebug")
        self.debug.setAccessibleName("Write each call to the agent log")

    def _make_rows(self) -> None:
        theme = self._theme
        self.name_row = FieldRow(theme, "Name", self.name)
        self.instance_row = FieldRow(theme, "Instance", self.instance, "of config.json")
        hint = "what makes the narrator call it"
        self.description_row = FieldRow(theme, "Description", self.description, hint)
        self.history_row = FieldRow(theme, "Conversation it sees", self.history)
        self._messages = label("messages", "second")
        self.history_row.beside.addWidget(self.count)
        self.history_row.beside.addWidget(self._messages)
        self.history_row.beside.setStretch(0, 1)
        self.model_row = FieldRow(theme, "Model", self.model)
        self.cap_row = FieldRow(theme, "Answer cap", self.cap, "1 to 8,192 tokens")
        self.cap_row.mend_beside()
        self.temperature_row = FieldRow(theme, "Temperature", self.temperature)
        self.top_p_row = FieldRow(theme, "Top P", self.top_p)
        self._log = Section("Agent log")
        self._log.column.addWidget(self.debug)

    def _build(self) -> None:
        self.setObjectName("builderIdentity")
        self.setAccessibleName("Who it is")
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(14)
        for row in (
            self.name_row,
            self.instance_row,
            self.description_row,
            self.history_row,
            self.model_row,
            self.cap_row,
        ):
            column.addWidget(row)
        last = QHBoxLayout()
        last.setSpacing(16)
        for part in (self.temperature_row, self.top_p_row, self._log):
            last.addWidget(part, 1, Qt.AlignmentFlag.AlignTop)
        column.addLayout(last)
        column.addStretch(1)
        self._theme.changed.connect(self._dress)
        self._dress()

    def _connect(self) -> None:
        for text in (self.name, self.temperature, self.top_p):
            text.textChanged.connect(self.changed)
        self.description.textChanged.connect(self.changed)
        for combo in (self.history, self.model):
            combo.currentIndexChanged.connect(self.changed)
        for number in (self.count, self.cap):
            number.valueChanged.connect(self.changed)
        self.debug.toggled.connect(self.changed)
        self.instance.activated.connect(
            lambda at: self.instance_wanted.emit(int(self.instance.itemData(at)))
        )
        for row in (
            self.name_row,
            self.history_row,
            self.cap_row,
            self.temperature_row,
            self.top_p_row,
        ):
            row.mended.connect(self.mended)

    def _dress(self) -> None:
        theme = self._theme
        self._lock.setIcon(theme.icon("lock", "fg3", 14))
        self.description.setFixedHeight(theme.scaled(102))
        self.cap.setFixedWidth(theme.scaled(96))
        self.count.setFixedWidth(theme.scaled(76))


def _combo(name: str, accessible: str) -> QComboBox:
    return ChoiceField(name, accessible)


def _decimal(name: str, accessible: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setAccessibleName(accessible)
    field.setPlaceholderText("default")
    return field


def _stem(text: str) -> str:
    """Return the name without the ending of its file, where somebody types that as well."""
    return text.strip().removesuffix(SUFFIX)


def _number(text: str) -> float | None:
    """Return what a field says, None for nothing, NaN for what is no number."""
    words = text.strip().replace(",", ".")
    if not words:
        return None
    try:
        number = float(words)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == other or (math.isnan(one) and math.isnan(other))
