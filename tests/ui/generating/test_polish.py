"""Polish in the window: side by side, accepted as one step or refused (STU-09)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio_qt.ui.generating.change import ChangeSheet
from studio_qt.ui.generating.sentences import broken_lines
from tests.support.model_server import DONE, ModelServer, Wait, chunk, sse, text
from tests.support.qt import until
from tests.ui.conftest import OpenStage
from tests.ui.generating.bed import BODY, PROMPT, Bed, make_character

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.clause("STU-09"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # a menu without a display
]

BETTER = BODY.replace("You is", "You are").replace("you're", "your")
PATH = "agents/marcus.subagent.md"


@pytest_asyncio.fixture
async def bed(stage_on: OpenStage, model: ModelServer, tmp_path: Path) -> Bed:
    return Bed(await stage_on(make_character(tmp_path / "ada"), model.base_url))


async def test_a_prompt_is_polished_from_its_button_and_one_undo_takes_it_back(
    bed: Bed, model: ModelServer
) -> None:
    document = await bed.open(PATH)
    bed.press(bed.button("polishButton"))
    menu = await bed.menu()
    words = [action.text() for action in menu.actions()]
    assert words == ["Fix English && Punctuation", "Tighten the Prompt", "Harden Against Invention"]
    model.script(text(f"<text>\n{BETTER}\n</text>"))
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    change = await bed.compared()
    assert document.plain == PROMPT
    bed.press(change.accept_button)
    await until(lambda: document.plain != PROMPT, 10)
    assert document.plain == PROMPT.replace(BODY, BETTER)
    assert bed.sheets(ChangeSheet) == []
    bed.pages.editors.editor.undo()
    assert document.plain == PROMPT


async def test_the_keys_open_the_menu_below_the_button_and_escape_leaves_it(bed: Bed) -> None:
    await bed.open(PATH)
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    QTest.keyClick(bed.pages.editors.editor, Qt.Key.Key_P, held)
    menu = await bed.menu()
    button = bed.button("polishButton")
    assert menu.parentWidget() is button
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    await bed.open("config.json")
    bed.trigger("polish")
    assert "works on what is in front" in bed.toasts


async def test_the_frontmatter_is_never_sent(bed: Bed, model: ModelServer) -> None:
    await bed.open(PATH)
    model.script(text(f"<text>{BETTER}</text>"))
    bed.trigger("polishFix")
    await bed.compared()
    sent = model.last.data.decode()
    assert "You is Marcus." in sent
    for word in ("secretly", "lore.txt", "contextFiles"):
        assert word not in sent


async def test_refusing_and_escape_change_nothing(bed: Bed, model: ModelServer) -> None:
    document = await bed.open(PATH)
    model.always = text(f"<text>{BETTER}</text>")
    bed.trigger("polishFix")
    change = await bed.compared()
    bed.press(change.refuse_button)
    bed.trigger("polishTighten")
    change = await bed.compared()
    QTest.keyClick(change, Qt.Key.Key_Escape)
    assert bed.sheets(ChangeSheet) == []
    assert document.plain == PROMPT
    assert not document.modified


async def test_only_what_is_selected_is_sent_and_replaced(bed: Bed, model: ModelServer) -> None:
    document = await bed.open(PATH)
    editor = bed.pages.editors.editor
    cursor = editor.textCursor()
    cursor.movePosition(cursor.MoveOperation.End)
    cursor.insertText("🌊 Waves is high. Stay.")
    whole = document.plain
    bed.select("Waves is high.")
    model.script(text("<text>Waves are high.</text>"))
    bed.trigger("polishFix")
    change = await bed.compared()
    assert "Marcus" not in model.last.data.decode()
    assert "You are given a part" in model.last.data.decode()
    bed.ctrl_enter(change)
    await until(lambda: document.plain != whole, 10)
    assert document.plain == whole.replace("Waves is", "Waves are")


async def test_a_selection_in_the_frontmatter_alone_is_told(bed: Bed) -> None:
    await bed.open(PATH)
    bed.select("Knows the harbour")
    bed.trigger("polishFix")
    assert "below the frontmatter" in bed.toasts
    assert bed.sheets(ChangeSheet) == []


async def test_a_lost_macro_is_refused_and_can_be_tried_again(bed: Bed, model: ModelServer) -> None:
    document = await bed.open(PATH)
    lost = BETTER.replace("%%CONTEXT%%", "")
    model.script(text(f"<text>{lost}</text>"), text(f"<text>{lost}</text>"))
    bed.trigger("polishHarden")
    change = await bed.change()
    await until(lambda: "macros are not the same" in change.trouble.text, 10)
    assert not change.accept_button.isVisible()
    assert document.plain == PROMPT
    model.script(text(f"<text>{BETTER}</text>"))
    bed.press(change.again_button)
    await bed.compared()
    assert change.trouble.text == ""


async def test_a_text_that_changed_meanwhile_is_left_alone(bed: Bed, model: ModelServer) -> None:
    document = await bed.open(PATH)
    model.script(text(f"<text>{BETTER}</text>"))
    bed.trigger("polishFix")
    change = await bed.compared()
    bed.pages.editors.editor.insertPlainText("x")
    bed.press(change.accept_button)
    await until(lambda: "changed meanwhile" in change.trouble.text, 10)
    assert document.plain == f"x{PROMPT}"
    assert change.is_open


async def test_stop_ends_it_and_the_text_is_as_it_was(bed: Bed, model: ModelServer) -> None:
    document = await bed.open(PATH)
    held = threading.Event()
    model.script(sse(chunk({"content": "<te"}), chunk({"content": "xt>\nYou"}), Wait(held), DONE))
    bed.trigger("polishFix")
    change = await bed.change()
    await until(lambda: change.writing.text.toPlainText() == "You", 10)
    bed.press(change.refuse_button)
    await until(lambda: "Stopped" in change.trouble.text, 10)
    assert await model.last.wait_dropped()
    assert document.plain == PROMPT
    held.set()


async def test_a_sheet_that_closes_while_the_texts_are_compared_is_no_fault(
    bed: Bed, model: ModelServer
) -> None:
    await bed.open(PATH)
    model.script(text(f"<text>{BETTER}</text>"))
    bed.trigger("polishFix")
    change = await bed.change()
    await until(change.accept_button.isVisible, 10)
    change.reject()
    await until(lambda: "compare" not in bed.window.tasks.names, 10)


async def test_nothing_to_change_offers_nothing_to_accept(bed: Bed, model: ModelServer) -> None:
    await bed.open(PATH)
    model.script(text(f"<text>{BODY}</text>"))
    bed.trigger("polishFix")
    change = await bed.compared()
    assert not change.accept_button.isEnabled()
    assert "nothing to change" in bed.stage.find("changeNotes").text()


async def test_rehearsal_says_that_a_model_is_needed(stage_on: OpenStage, tmp_path: Path) -> None:
    bed = Bed(await stage_on(make_character(tmp_path / "ada")))
    asked: list[str] = []
    bed.pages.helping.generating.settings_wanted.connect(lambda: asked.append("settings"))
    await bed.open(PATH)
    bed.trigger("polishFix")
    bed.stage.click("polishNeedsModelConfirm")
    assert asked == ["settings"]
    await until(lambda: bed.window.findChild(object, "settingsDialog") is not None, 10)


async def test_the_prompt_in_the_builder_is_polished_there(bed: Bed, model: ModelServer) -> None:
    await bed.open(PATH)
    builder = bed.pages.building.builder
    builder.open_edit(PATH)
    await until(lambda: builder.is_open, 10)
    await until(builder.sheet.prompt.polish.isVisible)
    bed.press(builder.sheet.prompt.polish)
    menu = await bed.menu()
    model.script(text(f"<text>{BETTER}</text>"))
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    change = await bed.compared()
    assert "secretly" not in model.last.data.decode()
    bed.press(change.accept_button)
    await until(lambda: builder.sheet.form.body.strip() == BETTER, 10)
    assert builder.is_open
    builder.sheet.leave()


@pytest.mark.parametrize(
    ("path", "expected", "generate"),
    [
        (PATH, {"fix", "tighten", "harden"}, "Generate a sub-agent…"),
        ("instructions.txt", {"fix", "tighten", "voice"}, "Generate the instructions…"),
        ("intro.txt", {"fix", "tighten", "vivid"}, "Generate the introduction…"),
        ("description.txt", {"fix", "tighten", "inviting"}, "Generate the description…"),
        ("context/lore.txt", {"fix", "tighten"}, ""),
        ("agents/test.roller.js", set(), "Generate an agent…"),
        ("config.json", set(), ""),
    ],
)
async def test_buttons_and_actions_fit_the_file_in_front(
    bed: Bed, path: str, expected: set[str], generate: str
) -> None:
    await bed.open(path)
    names = ("fix", "tighten", "harden", "voice", "vivid", "inviting")
    await until(
        lambda: {n for n in names if bed.action(f"polish{n.capitalize()}").isEnabled()} == expected
    )
    assert bed.button("polishButton").isVisible() is bool(expected)
    assert bed.button("generateButton").isVisible() is bool(generate)
    assert bed.button("generateButton").accessibleDescription() == generate


async def test_a_text_is_known_by_its_place_in_config_json(bed: Bed, tmp_path: Path) -> None:
    folder = tmp_path / "ada"
    (folder / "sheet.txt").write_text("Be shy.")
    await bed.open("sheet.txt")
    assert not bed.button("polishButton").isVisible()
    document = await bed.open("config.json")
    cursor = bed.pages.editors.editor.textCursor()
    cursor.setPosition(1)
    cursor.insertText('"fileMappings": {"Instructions": "sheet.txt"}, ')
    await bed.open("sheet.txt")
    await until(lambda: bed.button("polishButton").isVisible(), 10)
    assert document.modified


def test_long_lines_are_broken_between_sentences_and_short_ones_stay() -> None:
    line = "- One is here. Two is there, and it goes on for a while. “Three!” Four."
    assert broken_lines(line, 30).splitlines() == [
        "- One is here.",
        "  Two is there, and it goes on",
        "  for a while.",
        "  “Three!”",
        "  Four.",
    ]
    assert broken_lines("short\n\nlines", 30) == "short\n\nlines"
    assert broken_lines("x" * 100, 30) == "x" * 100
