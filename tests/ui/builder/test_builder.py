"""The Sub-Agent Builder in a real window: made, changed, saved, deleted, never lost (STU-06)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from studio_qt.ui.builder.checklist import CheckList
from studio_qt.ui.builder.form import BuilderSheet
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-06")]

PATH = "agents/marcus.subagent.md"
PROMPT = """---
description: >
  Marcus Vane, harbour pilot. Call him whenever he is spoken to.
maxTokens: 500
x-own: 1
---
You are Marcus.
"""


class Form:
    """The form of a window, and what a user does with it."""

    def __init__(self, stage: Stage, root: Path) -> None:
        self.stage, self.root = stage, root
        self.builder = stage.window.pages.building.builder

    @property
    def sheet(self) -> BuilderSheet:
        assert self.builder.sheet is not None
        return self.builder.sheet

    async def shown(self) -> Form:
        await until(lambda: self.builder.is_open, 10)
        return await self.settled()

    async def settled(self) -> Form:
        await until(lambda: "builder" not in self.stage.window.tasks.names, 10)
        if self.builder.is_open:
            self.sheet.show_around(self.sheet.surroundings)  # looks at the form now
        return self

    async def edit(self) -> Form:
        self.builder.open_edit(PATH)
        return await self.shown()

    async def new(self) -> Form:
        self.stage.window.inside.desk.actions.find("newSubAgentForm").trigger()
        return await self.shown()

    async def save(self) -> None:
        await self.settled()
        self.stage.click("builderSave")
        await until(lambda: not self.builder.is_open, 10)
        await self.settled()

    def field(self, name: str, kind: type = QWidget) -> QWidget:
        found = self.sheet.findChild(kind, name)
        assert found is not None, name
        return found

    def write(self, name: str, text: str) -> None:
        """Type a text into a field in place of what is there."""
        field = self.field(name)
        if isinstance(field, QPlainTextEdit):
            cursor = QTextCursor(field.document())
            cursor.select(QTextCursor.SelectionType.Document)
            field.setTextCursor(cursor)
            cursor.insertText(text)
        else:
            assert isinstance(field, (QLineEdit, QSpinBox))
            field.selectAll()
            QTest.keyClicks(field, text)

    def choose(self, name: str, words: str) -> None:
        combo = self.field(name, QComboBox)
        combo.setCurrentText(words)

    def check(self, name: str, key: str) -> None:
        """Check a row by hand; one that is out of sight is given."""
        rows = self.field(name, CheckList)
        item = next(one for one in range(rows.count()) if rows.key(one) == key)
        rows.item(item).setCheckState(Qt.CheckState.Checked)

    def config(self) -> dict:
        return json.loads((self.root / "config.json").read_text(encoding="utf-8"))

    def text(self, path: str = PATH) -> str:
        return (self.root / path).read_text(encoding="utf-8")


@pytest_asyncio.fixture
async def form(stage_on: OpenStage, tmp_path: Path) -> AsyncIterator[Form]:
    """The window on a character with one sub-agent."""
    files = {PATH: PROMPT, "context/.tides.txt": "tide " * 400, "context/.log.txt": "log " * 50_000}
    agents = ["studio.dice-roller", "marcus.subagent.md", "test.gone"]
    root = write_package(tmp_path / "ada", files, agents=agents)
    yield Form(await stage_on(root), root)


async def test_the_form_shows_a_sub_agent_and_saves_what_is_changed(form: Form) -> None:
    await form.edit()
    assert form.field("builderName", QLineEdit).isReadOnly()
    assert form.field("builderDescription").toPlainText().startswith("Marcus Vane")
    form.choose("builderHistory", "recent…")
    form.write("builderHistoryCount", "8")
    form.choose("builderModel", "main")
    form.write("builderBody", "You are Marcus Vane.\n")
    await form.save()
    text = form.text()
    assert "history: recent:8\nmodel: main\nmaxTokens: 500\nx-own: 1\n---\n" in text
    assert text.endswith("You are Marcus Vane.\n")
    assert form.config()["agents"][1] == "marcus.subagent.md"


async def test_grants_make_the_entry_an_object_and_show_the_inner_rounds(form: Form) -> None:
    await form.edit()
    assert not form.field("builderMaxRounds").isVisible()
    form.check("builderSharedAgents", "studio.dice-roller")
    form.check("builderPrivateAgents", "studio.memory-store")
    await form.settled()
    assert form.field("builderMaxRounds").isVisible()
    form.write("builderMaxRounds", "3")
    await form.save()
    entry = form.config()["agents"][1]
    assert entry["shared-agents"] == ["studio.dice-roller"]
    assert entry["private-agents"] == ["studio.memory-store"]
    assert "maxRounds: 3" in form.text()
    player = form.stage.window.session.player
    await until(lambda: "marcus.studio.memory-store" in {one.id for one in player.agents()}, 10)


async def test_rows_are_checked_by_a_click_and_by_the_keyboard(form: Form) -> None:
    await form.edit()
    files = form.field("builderContextFiles", CheckList)
    place = files.visualItemRect(files.item(1)).center()
    QTest.mouseClick(files.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert form.sheet.form.context_files == (".tides.txt",)
    shared = form.field("builderSharedAgents", CheckList)
    shared.setFocus()
    QTest.keyClick(shared, Qt.Key.Key_Space)
    assert form.sheet.form.shared == ("studio.dice-roller",)
    QTest.keyClick(shared, Qt.Key.Key_Space)
    assert form.sheet.form.shared == ()
    form.check("builderPrivateAgents", "studio.memory-store")
    private = form.field("builderPrivateAgents", CheckList)
    private.setFocus()
    QTest.keyClick(private, Qt.Key.Key_Delete)
    assert form.sheet.form.private == ()
    assert not private.isVisible()


async def test_a_private_agent_goes_by_its_cross_and_a_composed_one_stays(form: Form) -> None:
    composed = {"id": "charts", "implementation": "studio.context-access", "contextFile": "x.txt"}
    entry = {"id": "a.marcus", "implementation": "studio.sub-agent", "promptFile": PATH[7:]}
    entry["private-agents"] = ["studio.memory-store", composed]
    (form.root / "config.json").write_text(json.dumps({"agents": [entry]}), encoding="utf-8")
    await form.edit()
    private = form.field("builderPrivateAgents", CheckList)
    for row in (1, 0):
        rect = private.visualItemRect(private.item(row))
        cross = rect.center()
        cross.setX(rect.right() - 14)
        QTest.mouseClick(private.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
        QTest.mouseClick(private.viewport(), Qt.MouseButton.LeftButton, pos=cross)
    assert form.sheet.form.private == (composed,)
    await form.save()
    assert form.config()["agents"][0]["private-agents"] == [composed]


async def test_what_is_wrong_is_told_in_place_and_mended_by_its_link(form: Form) -> None:
    await form.edit()
    form.write("builderMaxTokens", "9000")
    await form.settled()
    save = form.field("builderSave")
    assert not save.isEnabled()
    assert "the answer cap" in form.field("builderFoot").text()
    assert form.field("builderMaxTokens").accessibleDescription().startswith("9,000 is over 8,192")
    form.stage.click("builderMaxTokensMend")
    assert form.field("builderMaxTokens", QSpinBox).value() == 8192
    assert save.isEnabled()


@pytest.mark.clause("SUB-11")
async def test_files_show_their_size_and_an_agent_that_does_not_load_its_reason(form: Form) -> None:
    await form.edit()
    files = form.field("builderContextFiles", CheckList)
    texts = [files.item(at).text() for at in range(files.count())]
    assert texts[0].startswith(".log.txt, 50k, over the 24k limit")
    assert texts[1].startswith(".tides.txt, 0.5k")
    shared = form.field("builderSharedAgents", CheckList)
    gone = shared.item(shared.count() - 1)
    assert gone.text().startswith("test.gone")
    assert not gone.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "missing" in gone.toolTip()


@pytest.mark.clause("SUB-01")
async def test_a_hand_written_file_is_the_same_to_the_byte_where_nothing_is_changed(
    form: Form,
) -> None:
    body = "one\r\ntwo\n\u00a0\u2028 three \u2029\tend ✨ \ufdd3\r\n\r\n".encode()
    head = b"\xef\xbb\xbf---\r\ndescription: Marcus Vane. Call him by the sea.\r\n---\r\n"
    (form.root / PATH).write_bytes(head + body)
    await form.edit()
    assert not form.sheet.changed
    await form.save()
    assert (form.root / PATH).read_bytes() == head + body
    await form.edit()
    form.write("builderDescription", "Marcus Vane. Call him at any time.")
    await form.save()
    assert (form.root / PATH).read_bytes().endswith(body)


async def test_unsaved_text_of_an_open_editor_is_read_and_refreshed(form: Form) -> None:
    editors = form.stage.window.pages.editors
    await editors.open(PATH)
    QTest.keyClick(editors.editor, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(editors.editor, "Unsaved words.")
    await form.edit()
    assert form.field("builderBody").toPlainText().endswith("Unsaved words.")
    form.write("builderDescription", "Speaks as Marcus; call him when he is there.")
    await form.save()
    document = form.stage.window.session.documents.find(PATH)
    assert "Speaks as Marcus" in document.plain
    assert not document.modified
    assert form.text().endswith("Unsaved words.")


async def test_a_change_on_the_disk_is_told_and_what_was_typed_stays(form: Form) -> None:
    await form.edit()
    form.write("builderDescription", "Mine: call him when the tide turns.")
    changed = PROMPT.replace("maxTokens: 500", "maxTokens: 700").replace("Marcus Vane", "Somebody")
    (form.root / PATH).write_text(changed, encoding="utf-8")
    notice = form.field("builderNoticeText")
    await until(notice.isVisible, 10)
    assert "changed elsewhere" in notice.text()
    assert form.field("builderDescription").toPlainText().startswith("Mine:")
    assert form.field("builderMaxTokens", QSpinBox).value() == 700
    form.stage.click("builderTakeTheirs")
    assert form.field("builderDescription").toPlainText().startswith("Somebody")


async def test_escape_asks_when_something_was_changed_and_undo_brings_it_back(form: Form) -> None:
    await form.edit()
    QTest.keyClick(form.sheet, Qt.Key.Key_Escape)
    assert not form.builder.is_open
    await form.edit()
    form.write("builderBody", "Something new.")
    QTest.keyClick(form.sheet, Qt.Key.Key_Escape)
    assert form.builder.is_open
    undone = []
    form.builder.done.connect(lambda _text, undo: undone.append(undo))
    form.stage.click("builderDiscardConfirm")
    assert not form.builder.is_open
    assert form.text() == PROMPT
    undone[0]()
    await form.shown()
    assert form.field("builderBody").toPlainText() == "Something new."


async def test_a_form_that_was_not_saved_comes_back_with_its_project(form: Form) -> None:
    await form.edit()
    form.write("builderBody", "Half a thought")
    offered = []
    form.builder.found.connect(lambda text, act: offered.append((text, act)))
    session = form.stage.window.session
    await session.open(form.root)
    await until(lambda: bool(offered), 10)
    assert not form.builder.is_open
    assert "marcus" in offered[0][0]
    offered[0][1]()
    await form.shown()
    assert form.field("builderBody").toPlainText() == "Half a thought"
    await form.save()
    offered.clear()
    await session.open(form.root)
    await form.stage.idle()
    await until(lambda: "builder" not in form.stage.window.tasks.names, 10)
    assert offered == []


async def test_a_form_that_was_not_saved_stays_while_another_is_filled_in(form: Form) -> None:
    await form.edit()
    form.write("builderBody", "Half a thought")
    session = form.stage.window.session
    await session.open(form.root)
    await form.stage.idle()
    await form.new()
    form.write("builderName", "poet")
    offered = []
    form.builder.found.connect(lambda text, _act: offered.append(text))
    await session.open(form.root)
    await until(lambda: len(offered) == 2, 10)
    assert any("marcus" in text for text in offered)
    assert any("poet" in text for text in offered)


@pytest.mark.parametrize("key", [Qt.Key.Key_S, Qt.Key.Key_Return])
async def test_the_keys_save_from_any_field(form: Form, key: Qt.Key) -> None:
    await form.edit()
    form.write("builderBody", "Be brief.")
    await form.settled()
    body = form.field("builderBody")
    body.setFocus()
    QTest.keyClick(body, key, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not form.builder.is_open, 10)
    assert form.text().endswith("---\nBe brief.")


async def test_what_is_typed_while_a_save_runs_stays_in_the_form(form: Form) -> None:
    await form.edit()
    form.write("builderBody", "First.")
    await form.settled()
    form.stage.click("builderSave")
    form.write("builderBody", "First. Second.")
    notice = form.field("builderNoticeText")
    await until(notice.isVisible, 10)
    assert form.text().endswith("---\nFirst.")
    assert form.sheet.form.body == "First. Second."
    assert form.sheet.changed


async def test_a_save_that_fails_says_why_and_keeps_the_form(form: Form) -> None:
    await form.edit()
    form.write("builderBody", "Kept.")
    (form.root / "config.json").write_text("{ no", encoding="utf-8")
    await form.settled()
    form.stage.click("builderSave")
    await until(lambda: "config.json" in form.field("builderNoticeText").text(), 10)
    assert form.builder.is_open
    assert form.sheet.form.body == "Kept."
    assert form.text() == PROMPT


async def test_a_save_can_be_undone(form: Form) -> None:
    before = (form.root / "config.json").read_bytes()
    await form.edit()
    form.check("builderPrivateAgents", "studio.memory-store")
    undone = []
    form.builder.done.connect(lambda _text, undo: undone.append(undo))
    await form.save()
    assert (form.root / "config.json").read_bytes() != before
    undone[0]()
    await form.settled()
    assert (form.root / "config.json").read_bytes() == before
    assert form.text() == PROMPT


async def test_delete_takes_file_and_entry_and_the_tree_brings_both_back(form: Form) -> None:
    thrown = []
    form.stage.window.pages.project.files._trash = lambda root, path: (
        thrown.append(path),
        (root / path).unlink(),
    )
    await form.edit()
    form.stage.click("builderDelete")
    await until(lambda: "marcus.subagent.md" not in form.config()["agents"], 10)
    assert thrown == [PATH]
    assert not (form.root / PATH).exists()
    await until(lambda: not any("files" in name for name in form.stage.window.tasks.names), 10)
    form.stage.window.pages.project.files.undo()
    await until(lambda: "marcus.subagent.md" in form.config()["agents"], 10)
    assert form.text() == PROMPT


async def test_macro_chips_insert_where_the_cursor_is(form: Form) -> None:
    await form.edit()
    form.write("builderBody", "See: ")
    form.stage.click("builderChipHistory")
    assert form.field("builderBody").toPlainText() == "See: %%HISTORY%%"
    await form.settled()
    assert form.sheet.prompt.said.sentences[0].startswith("%%HISTORY%% stands for nothing")
    form.stage.click("builderBodySaidMend")
    assert form.sheet.form.history == "recent:10"


async def test_the_pencil_of_a_tab_and_the_plus_of_the_tree_open_the_form(form: Form) -> None:
    window = form.stage.window
    await window.pages.editors.open("instructions.txt")
    await window.pages.editors.open(PATH)
    form.stage.click("subAgentEdit")
    await form.shown()
    assert form.sheet.form.name == "marcus"
    form.stage.click("builderCancel")
    assert not form.builder.is_open
    await until(lambda: form.stage.find("subAgentNew").isVisible())
    form.stage.click("subAgentNew")
    await form.shown()
    assert form.sheet.opened.is_new
    assert not form.field("builderDelete").isVisible()
    form.stage.click("builderCancel")
    window.inside.desk.actions.find("editSubAgent").trigger()
    await form.shown()
    assert form.sheet.opened.path == PATH


async def test_a_whole_text_fills_the_form_and_a_polished_prompt_comes_back(form: Form) -> None:
    form.builder.open_new(
        "---\nid: poet\ndescription: Rhymes; call for songs.\nhistory: full\n---\nRhyme."
    )
    await form.shown()
    assert form.sheet.form.name == "poet"
    assert form.sheet.form.history == "full"
    wanted = []
    form.builder.polish_wanted.disconnect()  # whoever polishes would open a menu
    form.builder.polish_wanted.connect(wanted.append)
    form.builder.offer_polish()
    form.stage.click("builderPolish")
    assert wanted == ["Rhyme."]
    form.builder.take_body("Rhyme well.")
    assert form.sheet.form.body == "Rhyme well."
    form.field("builderBody", QPlainTextEdit).undo()
    assert form.sheet.form.body == "Rhyme."


async def test_an_instance_is_chosen_among_several(form: Form) -> None:
    entry = {"implementation": "studio.sub-agent", "promptFile": "marcus.subagent.md"}
    config = {"agents": [{"id": "a.one", **entry}, {"id": "a.two", "model": "main", **entry}]}
    (form.root / "config.json").write_text(json.dumps(config), encoding="utf-8")
    await form.edit()
    combo = form.field("builderInstance", QComboBox)
    assert [combo.itemText(at) for at in range(combo.count())] == ["a.one", "a.two"]
    combo.setCurrentIndex(1)
    combo.activated.emit(1)
    await until(lambda: form.sheet.opened.agent_id == "a.two", 10)
    assert form.sheet.form.model == "main"


async def test_a_broken_config_says_so_instead_of_a_form(form: Form) -> None:
    (form.root / "config.json").write_text("{ no", encoding="utf-8")
    told = []
    form.builder.notice.connect(lambda text, _kind: told.append(text))
    form.builder.open_edit(PATH)
    await until(lambda: bool(told), 10)
    assert "config.json" in told[0]
    assert not form.builder.is_open
