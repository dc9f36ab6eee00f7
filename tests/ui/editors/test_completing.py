"""The list of completions in the editor, with real keys."""

from __future__ import annotations

import json
import random
import time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView

from studio_qt.resources import resource_text
from studio_qt.ui.editors.completer import Completer
from studio_qt.ui.editors.helpcard import HelpCard
from tests.support.qt import until
from tests.ui.editors.conftest import CONTROL, SHIFT, Bench

pytestmark = pytest.mark.qt_loop

SUB = "agents/marcus.subagent.md"
HEAD = "---\ndescription: Ask.\n"
Key = Qt.Key


class Writer:
    """An author at a file: what is typed, what is offered, what the text is then."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    async def at(self, path: str, marked: str) -> Writer:
        """Open a file with the cursor where the bar is."""
        before, after = marked.split("|")
        editor = await self.bench.open(path, before + after)
        cursor = editor.textCursor()
        cursor.setPosition(len(before))
        editor.setTextCursor(cursor)
        return self

    @property
    def completer(self) -> Completer | None:
        view = self.bench.page.current
        return self.bench.page.assisting.completer(view) if view is not None else None

    @property
    def labels(self) -> list[str]:
        completer = self.completer
        return [item.label for item in completer.items] if completer is not None else []

    async def type(self, text: str) -> list[str]:
        """Type, and wait for the list that comes of it."""
        self.bench.type(text)
        await until(lambda: bool(self.labels))
        return self.labels

    async def settle(self) -> None:
        """Wait until whatever a key has set off is done."""
        await self.bench.idle()

    @property
    def marked(self) -> str:
        """The text with a bar where the cursor is."""
        text, at = self.bench.text, self.bench.editor.textCursor().position()
        return f"{text[:at]}|{text[at:]}"


@pytest.fixture
def writer(bench: Bench) -> Writer:
    return Writer(bench)


@pytest.mark.clause("STU-08")
@pytest.mark.parametrize(
    ("path", "marked", "typed", "first", "text"),
    [
        (SUB, f"{HEAD}|\n---\nx", "hist", "history", f"{HEAD}history: |\n---\nx"),
        (SUB, f"{HEAD}model:|\n---\nx", " m", "main", f"{HEAD}model: main|\n---\nx"),
        (SUB, f"{HEAD}contextFiles:\n  -|\n---\n", " ", ".tides.json",
         f"{HEAD}contextFiles:\n  - .tides.json|\n---\n"),
        (SUB, f"{HEAD}---\nKnow |.", "%%", "%%CONTEXT%%", f"{HEAD}---\nKnow %%CONTEXT%%|."),
        ("agents/omens.py", '"""\n@agent omens\n|\n"""\n', "@t", "@tool",
         '"""\n@agent omens\n@tool |\n"""\n'),
        ("agents/omens.py", '"""\n@agent omens\n@hook|\n"""\n', " after", "afterResponse",
         '"""\n@agent omens\n@hook afterResponse|\n"""\n'),
        ("agents/roller.js", "|", "studio.lo", "log", "studio.log|"),
        ("agents/x.lua", "|", "studio.history.", "search", "studio.history.search|"),
        ("agents/x.ts", "|", "studio.web.", "fetch", "studio.web.fetch|"),
        ("agents/omens.py", "|", "studio.lo", "log", "studio.log|"),
        ("agents/omens.py", '"""\n@agent omens\n@api|\n"""\n', " studio.h", "studio.history",
         '"""\n@agent omens\n@api studio.history|\n"""\n'),
        ("agents/roller.js", "/**\n * @agent r\n * @lib|\n */\n", " wei", "weighted-choice",
         "/**\n * @agent r\n * @lib weighted-choice|\n */\n"),
        ("config.json", '{"agents": [{"id": "a.b", "implementation": |}]}', '"studio.a',
         "studio.agent-db", '{"agents": [{"id": "a.b", "implementation": "studio.agent-db"|}]}'),
        ("config.json", '{"agents": [{"id": "a.b", "contextFile": |}]}', '".t', ".tides.json",
         '{"agents": [{"id": "a.b", "contextFile": ".tides.json"|}]}'),
        ("config.json", '{"agents": [{"id": "a.b", "promptFile": |}]}', '"mar',
         "marcus.subagent.md", '{"agents": [{"id": "a.b", "promptFile": "marcus.subagent.md"|}]}'),
        ("config.json", '{"agents": ["studio.dice-roller", {"shared-agents": [|]}]}', '"stu',
         "studio.dice-roller",
         '{"agents": ["studio.dice-roller", {"shared-agents": ["studio.dice-roller"|]}]}'),
        ("config.json", '{\n  "agents": [|]\n}', '"', "marcus.subagent.md",
         '{\n  "agents": ["marcus.subagent.md"|]\n}'),
        ("system-prompt.txt", "|", "%%", "%%CHARACTER_INSTRUCTIONS%%",
         "%%CHARACTER_INSTRUCTIONS%%|"),
    ],
)  # fmt: skip
async def test_the_list_opens_by_itself_and_tab_takes_the_first(
    writer: Writer, path: str, marked: str, typed: str, first: str, text: str
) -> None:
    writer.bench.write("context/.tides.json", "{}")
    await writer.at(path, marked)
    assert (await writer.type(typed))[0] == first
    writer.bench.press(Key.Key_Tab)
    assert writer.marked == text


async def test_undo_takes_a_completion_back_in_one_step_with_what_came_along(
    writer: Writer,
) -> None:
    code = "/**\n * @agent roller\n */\nexport function onLoad(store, studio) {\n  |\n}\n"
    await writer.at("agents/roller.js", code)
    await writer.type("studio.history.se")
    before = writer.bench.text
    writer.bench.press(Key.Key_Tab)
    assert " * @api studio.history\n" in writer.bench.text
    assert "studio.history.search|\n}" in writer.marked
    writer.bench.press(Key.Key_Z, CONTROL)
    assert writer.bench.text == before


async def test_letters_filter_the_list_and_erasing_them_brings_it_back(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    assert await writer.type("m") == ["model", "maxTokens", "maxRounds"]
    writer.bench.type("ax")
    assert writer.labels == ["maxTokens", "maxRounds"]
    writer.bench.press(Key.Key_Backspace)
    writer.bench.press(Key.Key_Backspace)
    assert writer.labels == ["model", "maxTokens", "maxRounds"]
    writer.bench.type("zz")
    assert writer.labels == []


async def test_enter_begins_a_line_until_the_user_has_chosen(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("mo")
    writer.bench.press(Key.Key_Return)
    assert writer.marked == f"{HEAD}mo\n|\n---\n"
    assert writer.labels == []
    await writer.type("ma")
    writer.bench.press(Key.Key_Down)
    writer.bench.press(Key.Key_Return)
    assert writer.marked == f"{HEAD}mo\nmaxRounds: |\n---\n"


async def test_arrows_go_around_and_escape_closes_and_does_nothing_else(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("m")
    place = writer.marked
    for key in (Key.Key_Up, Key.Key_Down, Key.Key_PageDown):
        writer.bench.press(key)
        assert writer.labels
    assert writer.completer is not None
    writer.bench.press(Key.Key_Escape)
    assert writer.labels == []
    assert writer.marked == place


async def test_it_opens_when_asked_for_and_enter_takes_it_then(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    writer.bench.press(Key.Key_Space, CONTROL)
    await until(lambda: bool(writer.labels))
    assert writer.labels[0] == "id"
    writer.bench.type("deb")
    writer.bench.press(Key.Key_Return)
    assert writer.marked == f"{HEAD}debug: |\n---\n"
    await until(lambda: writer.labels == ["true", "false"])


async def test_where_nothing_can_be_offered_that_is_said(writer: Writer) -> None:
    await writer.at("notes.md", "# Notes\n|")
    writer.bench.press(Key.Key_Space, CONTROL)
    await until(lambda: writer.bench.notices != [])
    assert writer.bench.notices == [("There is nothing to complete here.", "info")]


async def test_a_field_that_was_taken_offers_its_values_at_once(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("mod")
    writer.bench.press(Key.Key_Tab)
    assert writer.labels == ["worker", "main"]
    writer.bench.press(Key.Key_Down)
    writer.bench.press(Key.Key_Tab)
    assert writer.marked == f"{HEAD}model: main|\n---\n"
    assert writer.labels == []


async def test_a_click_takes_what_is_clicked_and_elsewhere_closes_the_list(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("m")
    rows = writer.bench.find("completionRows", QListView)
    assert isinstance(rows, QListView)
    place = rows.visualRect(rows.model().index(1, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert writer.marked == f"{HEAD}maxTokens: |\n---\n"
    writer.bench.press(Key.Key_Space, CONTROL)
    await until(lambda: bool(writer.labels))
    QTest.mouseClick(writer.bench.editor.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 4))
    assert writer.labels == []


async def test_the_list_goes_when_the_cursor_or_the_focus_goes(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n\nBody")
    await writer.type("m")
    writer.bench.press(Key.Key_Home, CONTROL)
    assert writer.labels == []
    await writer.at("agents/second.subagent.md", f"{HEAD}|\n---\n")
    await writer.type("m")
    writer.bench.page.tabs.tabBar().setFocus()
    assert writer.labels == []


async def test_the_keys_stay_in_the_editor_and_other_keys_are_not_taken(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("m")
    assert QApplication.focusWidget() is writer.bench.editor
    writer.bench.press(Key.Key_Home, SHIFT)
    assert writer.bench.editor.textCursor().selectedText() == "m"


async def test_what_an_input_method_writes_is_completed_and_what_it_holds_is_left_alone(
    writer: Writer,
) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    QApplication.sendEvent(writer.bench.editor, QInputMethodEvent("mo", []))
    await writer.settle()
    assert writer.labels == []
    event = QInputMethodEvent("", [])
    event.setCommitString("mo")
    QApplication.sendEvent(writer.bench.editor, event)
    await until(lambda: writer.labels == ["model"])


async def test_tab_moves_on_where_it_was_told_to(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("mo")
    writer.bench.editor.setTabChangesFocus(True)
    writer.bench.press(Key.Key_Tab)
    assert "model" not in writer.bench.text


async def test_a_list_that_is_not_wanted_is_not_there(writer: Writer) -> None:
    await writer.at("agents/roller.js", "// |\n")
    writer.bench.type("studio.")
    await writer.settle()
    assert writer.labels == []
    await writer.at(SUB, f"{HEAD}---\n|")
    writer.bench.type("He said model, history.")
    await writer.settle()
    assert writer.labels == []
    writer.bench.page.set_read_only("Not now.")
    writer.bench.press(Key.Key_Space, CONTROL)
    await writer.settle()
    assert writer.labels == []


async def test_names_of_the_project_are_new_after_files_have_changed(writer: Writer) -> None:
    await writer.at(SUB, f"{HEAD}contextFiles: [|]\n---\n")
    writer.bench.write("context/a.txt", "x")
    writer.bench.press(Key.Key_Space, CONTROL)
    await until(lambda: writer.labels == ["a.txt"])
    writer.bench.press(Key.Key_Escape)
    writer.bench.write("context/b.txt", "x")
    writer.bench.page.files_changed(frozenset({"context/b.txt"}))
    writer.bench.press(Key.Key_Space, CONTROL)
    await until(lambda: writer.labels == ["a.txt", "b.txt"])


async def test_characters_of_two_units_before_the_cursor_do_not_matter(writer: Writer) -> None:
    await writer.at(SUB, "---\ndescription: 🦊🦊\n|\n---\n")
    writer.bench.press(Key.Key_End, CONTROL)
    writer.bench.press(Key.Key_Up)
    writer.bench.press(Key.Key_Up)
    await writer.type("mod")
    writer.bench.press(Key.Key_Tab)
    assert writer.bench.text == "---\ndescription: 🦊🦊\nmodel: \n---\n"


async def test_the_current_completion_is_told_and_explained_beside_the_list(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "studio_qt.ui.editors.completionlist.announce", lambda _place, text: told.append(text)
    )
    await writer.at(SUB, f"{HEAD}|\n---\n")
    await writer.type("m")
    assert told == ["model, worker. 1 of 3."]
    card = writer.bench.find("completionHelp")
    assert isinstance(card, HelpCard)
    assert "two models" in card.spoken
    writer.bench.press(Key.Key_Down)
    assert told[-1] == "maxTokens, 1024. 2 of 3."
    assert "8192" in card.spoken
    inside = writer.bench.window.rect()
    for shown in (card, writer.bench.find("completionList")):
        assert inside.contains(shown.geometry())


LARGE = {
    SUB: f"{HEAD}---\n" + "A line of the prompt with %%CONTEXT%% in it.\n" * 20_000,
    "agents/roller.js": "/**\n * @agent a\n */\n" + "const x = studio.log(1);\n" * 40_000,
    "config.json": '{ "agents": [\n' + '  "studio.memory-store",\n' * 1_000 + "  ",
}


@pytest.mark.parametrize("path", LARGE)
async def test_a_key_in_a_large_file_costs_little(writer: Writer, path: str) -> None:
    """In time of this thread alone: the machine may be busy with other things."""
    await writer.at(path, f"{LARGE[path]}|")
    typed = {SUB: "%%CON", "agents/roller.js": "studio.lo", "config.json": '"stu'}[path]
    await writer.type(typed[0] if path == "config.json" else typed)
    writer.bench.press(Key.Key_Escape)
    costs = []
    for _ in range(5):
        completer = writer.completer
        assert completer is not None
        start = time.thread_time()
        completer.typed("x")
        costs.append(time.thread_time() - start)
    assert min(costs) < 0.008, costs


async def test_the_types_of_the_bridge_are_put_into_the_project_and_taken_out_again(
    bench: Bench,
) -> None:
    told: list[tuple[str, object]] = []
    bench.page.assisting.mended.connect(lambda text, undo: told.append((text, undo)))
    action = bench.actions.find("addTypes")
    assert action is not None
    action.trigger()
    await until(lambda: told != [])
    assert bench.read("types/studio.d.ts") == resource_text("types/studio.d.ts")
    assert json.loads(bench.read("jsconfig.json"))["include"] == ["agents", "types"]
    undo = told[0][1]
    assert callable(undo)
    await undo()
    assert not (bench.root / "jsconfig.json").exists()
    bench.write("tsconfig.json", "{}")
    action.trigger()
    await until(lambda: len(told) == 2)
    assert not (bench.root / "jsconfig.json").exists()


KEYS = [
    *(Key.Key_Tab, Key.Key_Down, Key.Key_Up, Key.Key_Return, Key.Key_Escape, Key.Key_Backspace),
    *(Key.Key_Left, Key.Key_Right, Key.Key_Home, Key.Key_End, Key.Key_Delete, Key.Key_PageDown),
]
WORDS = ["hi", "m", " ", ":", "- ", "%%", "studio.", "@", '"', "[", "{", ","]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("path", [SUB, "config.json", "agents/roller.js", "agents/omens.py"])
async def test_no_keys_in_any_order_break_it_and_undo_leads_back(
    writer: Writer, path: str, seed: int
) -> None:
    chance = random.Random(seed)
    begun = {SUB: f"{HEAD}\n---\nx", "config.json": '{ "agents": [] }'}.get(path, "/** */\n")
    await writer.at(path, f"|{begun}")
    for _ in range(120):
        if chance.random() < 0.5:
            writer.bench.type(chance.choice(WORDS))
        elif chance.random() < 0.2:
            writer.bench.press(Key.Key_Space, CONTROL)
        else:
            writer.bench.press(chance.choice(KEYS))
        if chance.random() < 0.1:
            await writer.settle()
    await writer.settle()
    writer.bench.press(Key.Key_Escape)
    while writer.bench.editor.document().isUndoAvailable():
        writer.bench.editor.undo()
    assert writer.bench.text == begun
