"""Find in a conversation, avatars, meters, and what a screen reader hears."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from studio_qt.ui.chat.hits import count_hits, tool_texts
from studio_qt.ui.chat.meters import short
from studio_qt.ui.widgets.portrait import read_picture
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.chat.test_deeds import go_to, player_of
from tests.ui.conftest import OpenStage


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


async def found(stage: Stage, words: str) -> str:
    """Search, and return what the count says."""
    finder = stage.window.chat.finder
    if finder.isHidden():
        QTest.keyClick(stage.input, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    finder.field.selectAll()
    QTest.keyClicks(finder.field, words)
    await until(lambda: finder.settled)
    return stage.find("findCount").text()


@pytest.mark.qt_loop
@pytest.mark.clause("STU-03")
async def test_find_counts_goes_round_and_shows_where_it_is(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    for number in range(12):
        padding = "\n\n".join(f"line {line}" for line in range(12))
        await stage.send(f"[[say Reply {number} on the *har*bour.\n\n{padding}]]")
    finder, view = stage.window.chat.finder, stage.window.chat.transcript
    assert (await found(stage, "REPLY 3")).endswith("of 2")
    assert await found(stage, "harbour") != "Nothing found"  # across the signs of Markdown
    assert finder.hits == 24  # asked for, and said
    assert await found(stage, "no such words") == "Nothing found"
    await found(stage, "reply 0")
    QTest.keyClick(finder.field, Qt.Key.Key_Return)
    at = finder.current
    assert at is not None
    cell = view.cell(view.model.at_entry(at.entry) or 0)
    assert cell is not None
    assert view.viewport().rect().intersects(cell.geometry())
    assert any(one.extraSelections() for one in cell.views)
    before = stage.find("findCount").text()
    QTest.keyClick(finder.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert stage.find("findCount").text() != before
    QTest.keyClick(finder.field, Qt.Key.Key_Escape)
    assert stage.input.hasFocus()
    assert not any(view.extraSelections() for one in view.cells for view in one.views)


@pytest.mark.qt_loop
async def test_a_hit_deep_in_a_long_message_is_scrolled_to(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    words = "\n\n".join(f"paragraph {number} of many" for number in range(900))
    await stage.send(f"[[say {words}]]")
    await found(stage, "paragraph 700 of")
    marked = [
        one
        for cell in stage.window.chat.transcript.cells
        for one in cell.views
        if one.extraSelections()
    ]
    port = stage.window.chat.transcript.viewport()
    places = [one.mapTo(port, one.rect().topLeft()).y() + one.marked_place(0) for one in marked]
    assert any(0 <= place < port.height() for place in places)


@pytest.mark.parametrize(
    ("content", "words", "count"),
    [
        ("So it is **dry**.", "is dry", 1),
        ("snake_case_name", "snake_case", 1),
        ("_so_ it *goes*", "so it goes", 1),
        ("Straße STRASSE", "strasse", 2),
        ("a a a", "a", 3),
        ("x", "", 0),
        (None, "x", 0),
    ],
)
def test_hits_are_those_a_reader_sees(content: object, words: str, count: int) -> None:
    entry = {"role": "assistant", "content": content}
    assert count_hits(entry, words) == count  # type: ignore[arg-type]
    assert count_hits({**entry, "role": "tool"}, words) == 0  # type: ignore[dict-item]


def picture(path: Path, colour: str = "#ff0000", width: int = 300, height: int = 400) -> Path:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    assert image.save(str(path))
    return path


def test_the_picture_of_a_folder_and_of_a_zip_is_square_and_small(
    qapp: object, tmp_path: Path
) -> None:
    image = picture(tmp_path / "Avatar.PNG")
    found = read_picture(tmp_path)
    assert found is not None
    assert (found.width(), found.height()) == (192, 192)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(image, "ada/portrait.png")
        archive.writestr("ada/config.json", "{}")
    again = read_picture(tmp_path / "a.zip")
    assert again is not None
    assert again.pixelColor(90, 90) == QColor("#ff0000")


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"x" * 50])
def test_what_is_no_picture_leaves_the_initials(qapp: object, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "avatar.png").write_bytes(data)
    assert read_picture(tmp_path) is None
    assert read_picture(tmp_path / "avatar.png") is None
    assert read_picture(tmp_path / "nowhere") is None


@pytest.mark.qt_loop
async def test_the_character_has_its_picture_in_header_and_replies(
    stage_on: OpenStage, project: Path
) -> None:
    picture(project / "avatar.png")
    stage = await stage_on(project)
    chat = stage.window.chat
    chat.set_place(project)
    await until(lambda: "picture" not in stage.window.tasks.names)
    await stage.send("[[say one]]")
    seen = chat.grab().toImage()
    reds = [
        at
        for at in range(0, seen.height(), 4)
        for across in (30, 60, 180, 184, 190, 200, 220)
        if across < seen.width() and seen.pixelColor(across, at) == QColor("#ff0000")
    ]
    assert min(reds) < 60
    assert max(reds) > 60


@pytest.mark.qt_loop
async def test_meters_tell_the_context_and_what_agents_spent(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    meter = stage.find("contextMeter")
    await until(lambda: "of" in meter.accessibleName())
    before = meter.accessibleName()
    await stage.send("[[say " + "words " * 4_000 + "]]")
    await until(lambda: meter.accessibleName() != before)
    assert "of 32k" in stage.find("agentMeter").accessibleName()
    (waiting,) = stage.window.chat.parts.gauge.findChildren(QTimer)
    await until(lambda: not waiting.isActive() and "context meter" not in stage.window.tasks.names)
    stage.type("typing costs nothing")
    assert not waiting.isActive()
    assert "context meter" not in stage.window.tasks.names


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0"), (999, "999"), (8_610, "8.6k"), (32_000, "32k"), (1_200_000, "1.2M")],
)
def test_counts_are_short(count: int, words: str) -> None:
    assert short(count) == words


@pytest.mark.qt_loop
async def test_a_screen_reader_hears_the_finished_reply(
    stage_on: OpenStage, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def hear(event: object) -> None:
        if hasattr(event, "message"):
            said.append(event.message())

    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    stage = await stage_on(project)
    await stage.send("[[say It is *done*.]]")
    assert any("It is done." in one for one in said)


@pytest.mark.qt_loop
@pytest.mark.clause("STU-03")
async def test_a_call_shows_what_it_changed_in_the_store(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[call roll {}]][[say one]]")
    await stage.send("[[call roll {}]][[say more]]")
    stage.all("toolActivity")[-1].click()
    await until(lambda: bool(stage.all("copyCall")))
    inside = [prose.toPlainText() for prose in stage.all("prose")]
    assert "± rolls: 1 → 2" in inside
    assert player_of(stage).store("test.roller") == {"rolls": 2}


@pytest.mark.qt_loop
async def test_the_draft_is_told_and_can_be_given_back(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    chat, told = stage.window.chat, list[str]()
    chat.draft_changed.connect(lambda: told.append(chat.draft))
    stage.type("half")
    assert told[-1] == "half"
    chat.draft = "kept over a kill"
    assert stage.input.toPlainText() == "kept over a kill"
    go_to(stage, "You are late.")
    assert chat.draft == "kept over a kill"


@pytest.mark.qt_loop
@pytest.mark.clause("STU-02")
async def test_a_reload_changes_the_card_and_leaves_focus_place_and_edits_alone(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    lines = "\n\n".join(f"line {line}" for line in range(60))
    await stage.send(f"[[say {lines}]]")
    stage.click("editMessage")
    chat = stage.window.chat
    bar = chat.transcript.verticalScrollBar()
    await until(lambda: chat.transcript.cells[-1].height() < 800)  # the field alone
    bar.setValue(bar.value() - 150)
    places = {cell.name: cell.y() for cell in chat.transcript.cells}
    focus = stage.window.focusWidget()
    (project / "description.txt").write_text("A countess who sings.")
    await player_of(stage).reload()
    await stage.idle()
    assert "A countess who sings." in stage.text
    assert {cell.name: cell.y() for cell in chat.transcript.cells} == places
    assert stage.window.focusWidget() is focus
    assert stage.all("editField") != []


@pytest.mark.qt_loop
async def test_a_character_with_another_name_has_it_in_every_message(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    config = project / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("Ada Byron", "Ada Lovelace"))
    await until(lambda: "Ada Lovelace" in stage.window.windowTitle())
    await stage.send("[[say two]]")
    names = [one.text() for one in stage.window.chat.transcript.findChildren(QLabel)]
    assert "Ada Lovelace" in names
    assert "Ada Byron" not in names


@pytest.mark.qt_loop
async def test_a_long_conversation_is_copied_whole_without_holding_up_the_window(
    stage_on: OpenStage, project: Path
) -> None:
    talk = [
        {"role": ("user", "assistant")[at % 2], "content": f"*number* {at}."} for at in range(1_500)
    ]
    (project / "conversations").mkdir()
    stored = {"id": "conversation_01", "title": "Long", "messages": talk}
    (project / "conversations" / "conversation_01.json").write_text(json.dumps(stored))
    stage = await stage_on(project)
    QGuiApplication.clipboard().setText("")
    stage.window.chat.copy_all()
    await until(lambda: QGuiApplication.clipboard().text() != "", 20)
    copied = QGuiApplication.clipboard().text()
    assert all(f"number* {at}." in copied for at in range(0, 1_500, 2))  # the user's, as written
    assert all(f"number {at}." in copied for at in range(1, 1_500, 2))
    assert copied.startswith("Ada Byron\nShe looks up.")


@pytest.mark.qt_loop
@pytest.mark.clause("STU-03")
async def test_find_looks_into_tool_calls_and_unfolds_them(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send('[[call roll {"sides": 4711}]]')
    for number in range(6):
        padding = "\n\n".join(f"line {line}" for line in range(12))
        await stage.send(f"[[say Reply {number}.\n\n{padding}]]")
    finder, view = stage.window.chat.finder, stage.window.chat.transcript
    assert (await found(stage, "4711")).endswith("of 3")  # asked for, given, and answered
    seen = set()
    for _ in range(3):
        marked = [one for cell in view.cells for one in cell.tool_views if one.extraSelections()]
        seen |= {one.text for one in marked if one.isVisible()}
        QTest.keyClick(finder.field, Qt.Key.Key_Return)
    assert {'{"sides":4711}', "You rolled 4711"} <= seen
    while finder.current is None or finder.current.tool < 0:
        QTest.keyClick(finder.field, Qt.Key.Key_Return)
    (cell,) = [one for one in view.cells if one.tool_views]
    spots = [
        one.mapTo(view.viewport(), QPoint(0, 0)).y() for one in cell.tool_views if one.isVisible()
    ]
    assert any(0 <= spot < view.viewport().height() for spot in spots)


@pytest.mark.parametrize(
    ("entry", "texts"),
    [
        ({"role": "user", "content": "x"}, []),
        ({"role": "tool", "content": "done"}, ["done"]),
        ({"role": "assistant", "content": "", "tool_calls": [{"function": {}}, 3]}, [""]),
        (
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{"function": {"name": "a", "arguments": '{"b": 1}'}}],
            },
            ['{"b":1}'],
        ),
        (
            {
                "role": "tool",
                "content": "done",
                "inner": [{"toolName": "a", "args": {"b": 1}, "result": "c"}, 3],
            },
            ["done", '{"b":1}', "c"],
        ),
    ],
)
def test_the_texts_of_tools_are_arguments_results_and_inner_calls(
    entry: dict[str, object], texts: list[str]
) -> None:
    found = tool_texts(entry)  # type: ignore[arg-type]
    assert [text for text in found if text != "{}"] == [text for text in texts if text]
