"""`GrantsColumn`: what the sub-agent is given: files, shared agents, agents of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio_qt.authoring.subagentchecks import FormProblem, sizes_of
from studio_qt.authoring.subagentfacts import Choice, SubAgentFacts
from studio_qt.authoring.subagentform import Opened, SubAgentForm
from studio_qt.jsontext import JsonValue, encode
from studio_qt.ui.builder.checklist import CheckList, Row
from studio_qt.ui.builder.choices import GiveField
from studio_qt.ui.builder.rows import FieldRow, Said, Section
from studio_qt.ui.builder.words import in_thousands
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.inputs import NumberField
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["GrantsColumn"]

_LARGE = 1 / 3
"""Of the threshold: from there on a file is large enough to matter."""


class GrantsColumn(QWidget):
    """The right column. `changed`: something is given or taken; `mended` carries a mended form."""

    changed = Signal()
    mended = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._facts = SubAgentFacts()
        self._form = SubAgentForm()
        self._kept: tuple[JsonValue, ...] = ()
        self._make()
        self._build()
        self._connect()

    def show_form(self, form: SubAgentForm, opened: Opened, facts: SubAgentFacts) -> None:
        """Show what a form gives; `opened` has the private agents that are kept as they are."""
        self._form, self._facts, self._kept = form, facts, opened.form.private
        self.rounds.setValue(form.max_rounds)
        self._show()

    def read(self, form: SubAgentForm) -> SubAgentForm:
        """Return the form with what is given here."""
        return replace(
            form,
            context_files=self._form.context_files,
            shared=self._form.shared,
            private=self._form.private,
            max_rounds=self.rounds.value(),
        )

    def show_state(self, form: SubAgentForm, problems: Mapping[str, Sequence[FormProblem]]) -> None:
        """Show what is wrong, and what the files come to."""
        self._form = form
        total, most = sizes_of(form, self._facts), self._facts.threshold
        self._files.hint.setText(f"{in_thousands(total)} of {most / 1000:.0f}k tokens")
        for field, said in self._said.items():
            said.show_problems(list(problems.get(field, ())))
        self.rounds_row.setVisible(form.has_grants)
        found = problems.get("max_rounds", ())
        self.rounds_row.show_problem(found[0] if found else None)

    # Building

    def _make(self) -> None:
        theme = self._theme
        self.files = CheckList(theme, "builderContextFiles", "Context files", 5)
        self.shared = CheckList(theme, "builderSharedAgents", "Shared agents", 4)
        self.private = CheckList(theme, "builderPrivateAgents", "Private agents", 8)
        self.private.setAccessibleDescription("Delete takes one away.")
        self.give = GiveField("builderGivePrivate", "Give a private agent")
        self.give.setPlaceholderText("Give a private agent…")
        self.rounds = NumberField("builderMaxRounds", "Inner rounds", -1_000, 1_000)
        hint = "here because it has grants"
        self.rounds_row = FieldRow(theme, "Inner rounds", self.rounds, hint)
        self.rounds_row.beside.addWidget(label("model calls at most, 1 to 10", "second"), 1)
        self.no_files = label("There are no files in the context folder.", "quiet", wrap=True)
        self.no_shared = label("config.json lists no other agent.", "quiet", wrap=True)
        self._said = {
            "context_files": Said(theme, "builderContextSaid"),
            "shared": Said(theme, "builderSharedSaid"),
            "private": Said(theme, "builderPrivateSaid"),
        }

    def _build(self) -> None:
        self.setObjectName("builderGrants")
        self.setAccessibleName("What it is given")
        self._files = Section("Context files")
        shared = Section("Shared agents", "the narrator's own instances")
        private = Section("Private agents", "the narrator never sees these")
        for section, parts in (
            (self._files, (self.files, self.no_files, self._said["context_files"])),
            (shared, (self.shared, self.no_shared, self._said["shared"])),
            (private, (self.private, self.give, self._said["private"])),
        ):
            for part in parts:
                section.column.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(14)
        for section in (self._files, shared, private):
            column.addWidget(section)
        column.addWidget(self.rounds_row)
        column.addStretch(1)
        self._theme.changed.connect(self._dress)
        self._dress()

    def _connect(self) -> None:
        self.files.toggled.connect(self._on_file)
        self.shared.toggled.connect(self._on_shared)
        self.private.toggled.connect(self._on_private)
        self.give.activated.connect(self._on_give)
        self.rounds.valueChanged.connect(self.changed)
        self.rounds_row.mended.connect(self.mended)
        for said in self._said.values():
            said.mended.connect(self.mended)

    def _dress(self) -> None:
        self.rounds.setFixedWidth(self._theme.scaled(76))

    # Slots

    def _on_file(self, name: str, on: bool) -> None:  # noqa: FBT001 - a slot
        files = [one for one in self._form.context_files if one != name]
        self._take(context_files=tuple([*files, name] if on else files))

    def _on_shared(self, agent_id: str, on: bool) -> None:  # noqa: FBT001 - a slot
        rest = [one for one in self._form.shared if one != agent_id]
        self._take(shared=tuple([*rest, agent_id] if on else rest))

    def _on_private(self, key: str, on: bool) -> None:  # noqa: FBT001 - a slot
        rest = [one for one in self._form.private if _key(one) != key]
        self._take(private=tuple([*rest, key] if on else rest))

    def _on_give(self, at: int) -> None:
        key = str(self.give.itemData(at))
        self.give.setCurrentIndex(-1)
        self.private.set_checked(key, on=True)

    def _take(self, **changes: tuple[JsonValue, ...]) -> None:
        self._form = replace(self._form, **changes)  # type: ignore[arg-type]
        self._show()
        self.changed.emit()

    # Rows

    def _show(self) -> None:
        form, facts = self._form, self._facts
        self.files.show_rows(list(self._file_rows()), form.context_files)
        self.no_files.setVisible(not self.files.count())
        shared = list(self._shared_rows())
        self.shared.show_rows(shared, form.shared)
        self.no_shared.setVisible(not shared)
        given = [_key(entry) for entry in form.private]
        self.private.show_rows(self._private_rows(given), given)
        self.give.clear()
        for choice in facts.private:
            if choice.id not in given and not choice.fault:
                self.give.addItem(choice.id, choice.id)
                tools = ", ".join(choice.tools)
                self.give.setItemData(
                    self.give.count() - 1, plain_tip(tools), Qt.ItemDataRole.ToolTipRole
                )
        self.give.setCurrentIndex(-1)

    def _file_rows(self) -> Sequence[Row]:
        facts, form = self._facts, self._form
        rows = [self._file_row(one.name, one.tokens) for one in facts.context]
        missing = [
            name for name in dict.fromkeys(form.context_files) if not facts.has_context(name)
        ]
        rows += [
            Row(name, note="not in the context folder", tone="warn", plate="amberbg", mono=True)
            for name in missing
        ]
        return rows

    def _file_row(self, name: str, tokens: int | None) -> Row:
        if tokens is None:
            return Row(name, note="is no text", mono=True, can=False)
        number = in_thousands(tokens)
        most = self._facts.threshold
        if tokens > most:
            note = f"over the {most / 1000:.0f}k limit"
            return Row(name, "", note, number, "err", "redbg", always=True, mono=True, tip=note)
        if tokens > most * _LARGE:
            note = "large, sent whole each call"
            return Row(name, "", note, number, "warn", "amberbg", always=True, mono=True, tip=note)
        note = "" if name.startswith(".") else "the narrator has it too"
        return Row(name, "", note, number, mono=True)

    def _shared_rows(self) -> Sequence[Row]:
        rows = [_shared_row(choice) for choice in self._facts.shared if not choice.is_sub_agent]
        known = {row.key for row in rows}
        return rows + [
            Row(
                agent_id,
                note="is not there"
                if self._facts.shared_choice(agent_id) is None
                else "is a sub-agent",
                tone="err",
                plate="redbg",
                can=False,
            )
            for agent_id in dict.fromkeys(self._form.shared)
            if agent_id not in known
        ]

    def _private_rows(self, given: Sequence[str]) -> list[Row]:
        """Return the private agents that are given, then those that can be, out of sight."""
        rows = {}
        for entry in self._form.private:
            choice = self._facts.private_choice(entry)
            rows[_key(entry)] = _private_row(entry, choice)
        for choice in self._facts.private:
            if choice.id not in given:
                row = _private_row(choice.id, choice)
                rows[choice.id] = replace(row, shown=False)
        return list(rows.values())


def _shared_row(choice: Choice) -> Row:
    tools = ", ".join(choice.tools) or "no tools"
    if choice.fault:
        below = ", ".join(choice.tools) or choice.fault
        return Row(choice.id, below, "does not load", "", "err", can=False, tip=choice.fault)
    return Row(choice.id, tools, plate="sel")


def _private_row(entry: JsonValue, choice: Choice) -> Row:
    if isinstance(entry, str):
        tools = ", ".join(choice.tools) or choice.fault or "no tools"
        return Row(entry, tools, plate="sel", mark="lock", tip=choice.fault)
    data = entry.get("contextFile") if isinstance(entry, dict) else None
    below = " · ".join(part for part in (choice.implementation, data) if isinstance(part, str))
    note = "kept as config.json has it"
    return Row(
        choice.id,
        below or choice.fault,
        note,
        plate="bg3",
        mark="lock",
        fixed=True,
        tip=choice.fault,
    )


def _key(entry: JsonValue) -> str:
    """Return what a row stands for: the local id, where there is one."""
    if isinstance(entry, dict) and isinstance(entry.get("id"), str):
        return str(entry["id"])
    return entry if isinstance(entry, str) else encode(entry)[:60]
