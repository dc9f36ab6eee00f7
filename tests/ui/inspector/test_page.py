"""The prompt inspector in the real window: clicked, typed into and read (Step 5, item 4)."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from studio_qt.ui.documents.plain import fill_slowly
from studio_qt.ui.inspector import detail
from studio_qt.ui.inspector import page as inspector
from studio_qt.ui.inspector.page import PromptInspectorPage
from studio_qt.ui.inspector.shaping import Row
from studio_qt.ui.widgets import textpane
from tests.benchmarks.inspector_bench import large_prompt
from tests.support.model_server import ModelServer, failure, text, tool_call
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


async def opened(stage: Stage) -> PromptInspectorPage:
    """Open the inspector by its keys and wait until it shows something."""
    QTest.keyClick(stage.input, Qt.Key.Key_I, CONTROL | SHIFT)
    page = stage.find("promptInspector", PromptInspectorPage)
    assert isinstance(page, PromptInspectorPage)
    assert page.isVisible()
    await until(lambda: page.shown is not None and page.settled)
    return page


async def choose(page: PromptInspectorPage, number: int) -> None:
    """Choose a request."""
    page.requests.choose(number)
    await until(lambda: page.shown.about.number == number and page.settled)


def row(page: PromptInspectorPage, title: str) -> Row:
    return next(one for one in page.blocks.rows if one.title.startswith(title))


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


async def test_the_next_request_follows_what_is_typed_after_a_pause(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    page = await opened(stage)
    assert page.requests.titles == ["Next"]
    QTest.keyClicks(stage.input, "Where were you?")
    first = page.shown
    await until(lambda: page.shown is not first and page.settled)
    assert row(page, "Your message").text == "Where were you?"
    assert [one.title for one in page.blocks.rows] == [
        "1 tool", "System prompt", "Intro", "Your message",
    ]  # fmt: skip
    player = stage.window.session.player
    assert player is not None
    assert player.get_conversation() == []


async def test_typing_does_not_look_at_the_request_for_each_key(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    page = await opened(stage)
    player, asked = stage.window.session.player, []
    assert player is not None
    look = player.inspect

    async def counted(words: str) -> object:
        asked.append(words)
        return await look(words)

    player.inspect = counted  # type: ignore[method-assign,assignment]
    QTest.keyClicks(stage.input, "A long message")
    await until(lambda: bool(asked) and page.settled)
    assert asked == ["A long message"]


async def test_the_body_is_copied_byte_for_byte_as_the_server_received_it(
    stage_on: OpenStage, model: ModelServer, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"), model.base_url)
    model.script(tool_call("roll", {"sides": 20}), text("Done."))
    await stage.send("Roll “it” 🌊")
    page = await opened(stage)
    assert page.requests.titles == ["Next", "Turn 1", "Narrator, 2nd", "Narrator, 1st"]
    for number, received in zip((1, 2), model.requests, strict=True):
        await choose(page, number)
        stage.click("inspectorViewBody")
        await until(lambda: page.settled)
        stage.click("inspectorCopyAll")
        assert clipboard().encode() == received.data
        page.text.selectAll()
        QTest.keyClick(page.text, Qt.Key.Key_C, CONTROL)
        assert clipboard().encode() == received.data


async def test_messages_are_shown_as_json_with_the_file_mark(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada", {"context/a.md": "Known."}))
    page = await opened(stage)
    stage.click("inspectorViewJson")
    await until(lambda: "Known." in page.text.toPlainText())
    shown = json.loads(page.text.toPlainText())
    assert [message.get("isFile") for message in shown["messages"]][:2] == [None, True]
    page.text.setFocus()
    QTest.keyClick(page.text, Qt.Key.Key_C, CONTROL | SHIFT)
    assert json.loads(clipboard()) == shown


async def test_changes_against_the_turn_before_are_marked_and_shown(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder)
    await stage.send("[[say one]]")
    (folder / "instructions.txt").write_text("Be Ada Byron.", encoding="utf-8")
    await stage.send("[[say two]]")
    page = await opened(stage)
    await choose(page, 2)
    system = row(page, "System prompt")
    assert system.mark == "changed"
    page.blocks.choose(system.key)
    await until(lambda: page.settled)
    assert page.detail.pane.laid.kinds == ("del", "add")
    assert page.detail.pane.toPlainText() == "Be Ada.\nBe Ada Byron."
    stage.click("inspectorAgainstAlone")
    await until(lambda: page.detail.settled)
    assert page.detail.pane.toPlainText() == "Be Ada Byron."


async def test_an_origin_opens_in_the_editor(stage_on: OpenStage, tmp_path: Path) -> None:
    files = {"context/a.md": "A.", "context/b.md": "B."}
    stage = await stage_on(write_package(tmp_path / "ada", files))
    page = await opened(stage)
    page.blocks.choose("context")
    page.blocks.setFocus()
    QTest.keyClick(page.blocks, Qt.Key.Key_Right)
    QTest.keyClick(page.blocks, Qt.Key.Key_Down)
    QTest.keyClick(page.blocks, Qt.Key.Key_Down)
    QTest.keyClick(page.blocks, Qt.Key.Key_Down)
    assert page.blocks.current.title == "context/b.md"
    QTest.keyClick(page.blocks, Qt.Key.Key_Return)
    editors = stage.window.pages.editors
    await until(lambda: editors.current_path == "context/b.md")
    assert not page.isVisible()


async def test_a_block_is_folded_by_keys_and_copied(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(
        write_package(tmp_path / "ada", {"context/a.md": "A.", "context/b.md": "B."})
    )
    page = await opened(stage)
    page.blocks.choose("context")
    page.blocks.setFocus()
    count = len(page.blocks.rows)
    QTest.keyClick(page.blocks, Qt.Key.Key_Right)
    assert len(page.blocks.rows) == count + 3
    QTest.keyClick(page.blocks, Qt.Key.Key_Down)
    QTest.keyClick(page.blocks, Qt.Key.Key_Left)
    QTest.keyClick(page.blocks, Qt.Key.Key_Left)
    assert len(page.blocks.rows) == count
    QTest.keyClick(page.blocks, Qt.Key.Key_C, CONTROL)
    assert clipboard().endswith("A.\n\nB.")


async def test_the_search_goes_from_block_to_block(stage_on: OpenStage, tmp_path: Path) -> None:
    files = {"context/a.md": "The sea is rough.", "intro.txt": "She looks at the sea."}
    stage = await stage_on(write_package(tmp_path / "ada", files))
    page = await opened(stage)
    page.requests.setFocus()
    QTest.keyClick(page.requests, Qt.Key.Key_F, CONTROL)
    field = stage.find("inspectorSearch")
    assert field.hasFocus()
    QTest.keyClicks(field, "the sea")
    found = stage.find("inspectorFound", QLabel)
    titles = []
    for _ in range(3):
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: page.settled)
        titles.append((page.blocks.current.title, found.text()))
    assert [title for title, _ in titles] in (
        ["Intro", "Context", "Intro"],
        ["Context", "Intro", "Context"],
    )
    assert {words for _, words in titles} == {"1 of 2", "2 of 2"}
    await until(lambda: page.detail.pane.textCursor().selectedText().lower() == "the sea")
    field.setText("nowhere")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: found.text() == "not found")


async def test_requests_come_while_the_page_is_open_and_the_chosen_one_stays(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[say one]]")
    page = await opened(stage)
    await choose(page, 1)
    await stage.send("[[call roll {}]][[say two]]")
    await until(lambda: len(page.requests.titles) == 6 and page.settled)
    assert page.requests.number == 1
    assert page.shown.about.number == 1


async def test_a_failed_request_says_so_and_can_be_read(
    stage_on: OpenStage, model: ModelServer, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"), model.base_url)
    model.script(failure(401, "bad key"))
    await stage.send("Hello")
    page = await opened(stage)
    await choose(page, 1)
    assert page.shown.about.state == "failed"
    assert row(page, "Turn 1").text == "Hello"


async def test_a_request_that_cannot_be_made_says_why(
    stage_on: OpenStage, model: ModelServer, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    player = stage.window.session.player
    assert player is not None
    await player.configure(base_url=model.base_url, model=None)
    model.models = ["one", "two"]
    QTest.keyClick(stage.input, Qt.Key.Key_I, CONTROL | SHIFT)
    await until(lambda: bool(stage.all("inspectorEmpty")))
    assert "model" in stage.find("inspectorEmpty").accessibleDescription().lower()


async def test_two_megabytes_open_without_a_stall(stage_on: OpenStage, tmp_path: Path) -> None:
    files = {f"context/{n}.md": f"Line of file {n}, ü.\n" * 8_000 for n in range(10)}
    stage = await stage_on(write_package(tmp_path / "ada", files))
    page = await opened(stage)
    page.blocks.choose("context")
    assert len(page.shown.bodies[0]) > 1_500_000
    for view in ("Body", "Json", "Blocks"):
        stage.click(f"inspectorView{view}")
        await until(lambda: page.settled, 20)
    assert page.text.document().blockCount() > 100


async def test_two_megabytes_are_shown_in_slices_and_made_on_other_threads(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slices: list[int] = []
    threads: set[int] = set()

    async def watched(document: QTextDocument, words: str) -> bool:
        document.contentsChange.connect(lambda _at, _removed, added: slices.append(added))
        return await fill_slowly(document, words)

    def elsewhere(work):
        def run(*arguments):
            threads.add(threading.get_ident())
            return work(*arguments)

        return run

    monkeypatch.setattr(textpane, "fill_slowly", watched)
    for module, name in ((inspector, "shape"), (inspector, "lay"), (detail, "lay")):
        monkeypatch.setattr(module, name, elsewhere(getattr(module, name)))
    stage = await stage_on(write_package(tmp_path / "ada", {"instructions.txt": large_prompt()}))
    page = await opened(stage)
    page.blocks.choose("system")
    await until(lambda: page.settled, 20)
    assert sum(slices) > 2_000_000
    assert max(slices) < 100_000
    slices.clear()
    stage.click("inspectorViewBody")
    await until(lambda: page.settled, 20)
    assert sum(slices) > 2_000_000
    assert max(slices) < 100_000
    assert threads
    assert threading.get_ident() not in threads


async def test_a_message_leads_to_its_request_and_the_request_to_its_message(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    player = stage.window.session.player
    assert player is not None
    for said in ("[[say Aye.]] First.", "[[say No.]] Second."):
        await player.send(said)
    reply = next(one for one in player.get_conversation() if one["content"] == "Aye.")
    chat = stage.window.pages.chat
    rows = chat.parts.model
    await until(lambda: any(rows.row(at).text == "No." for at in range(len(rows))))
    await until(lambda: stage.window.settled)
    stage.window.activateWindow()
    chat.parts.transcript.setFocus()
    at = next(at for at in range(len(rows)) if rows.row(at).text == "Aye.")
    chat.parts.deeds.picker.go(at)
    QTest.keyClick(chat.parts.transcript, Qt.Key.Key_I, CONTROL)
    page = stage.window.pages.inspector
    await until(lambda: page.isVisible() and page.shown is not None and page.settled, 20)
    await until(lambda: page.shown.about.turn == 1 and page.shown.about.number > 0)
    wanted: list[str] = []
    page.entry_wanted.connect(wanted.append)
    stage.click("inspectorShowMessage")
    assert wanted == [reply["id"]]
    page.show_turn(9)
    assert page.requests.number, "a turn that nothing is kept of leaves what is shown"


async def test_a_preload_leads_to_the_store_that_it_tells_of(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada", agents=["studio.memory-store"]))
    player = stage.window.session.player
    assert player is not None
    await player.call_tool("store_memory", {"key": "rope", "text": "Forty fathoms."})
    page = await opened(stage)
    page.blocks.choose("preload")
    await until(lambda: page.settled)
    stage.click("inspectorOrigin")
    stores = stage.window.pages.stores
    await until(lambda: stores.isVisible() and stores.detail.agent_id == "studio.memory-store")
    await until(lambda: stores.settled)
