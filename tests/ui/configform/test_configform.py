"""The form for config.json: order, instances, words and paths, each written at once."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QPushButton

from tests.support.qt import until
from tests.ui.configform.conftest import CONFIG, FormBench

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.clause("PKG-12"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # menus without a display
]


def click(bench: FormBench, name: str) -> None:
    QTest.mouseClick(bench.find(name), Qt.MouseButton.LeftButton)


async def type_into(bench: FormBench, name: str, text: str) -> None:
    field = bench.find(name)
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    await bench.settled()


async def test_keys_move_an_agent_and_undo_takes_it_back_to_the_letter(bench: FormBench) -> None:
    assert bench.ids == ["k.maps", "studio.dice-roller", "k.tides", "k.marcus"]
    bench.sheet.rows.choose("k.tides")
    QTest.keyClick(bench.sheet.rows, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    await bench.settled()
    assert bench.ids == ["k.maps", "k.tides", "studio.dice-roller", "k.marcus"]
    assert '"studio.context-access",  "contextFile"' in bench.text
    click(bench, "configUndo")
    await bench.settled()
    assert bench.text == CONFIG


async def test_a_drag_puts_an_agent_where_it_is_dropped(bench: FormBench) -> None:
    rows = bench.sheet.rows
    rows.choose("k.maps")
    last = rows.visualItemRect(rows.topLevelItem(3))
    event = QDropEvent(
        QPointF(last.center().x(), last.bottom() + 20),
        Qt.DropAction.MoveAction,
        QMimeData(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    rows.dropEvent(event)
    await bench.settled()
    assert bench.ids == ["studio.dice-roller", "k.tides", "k.marcus", "k.maps"]


async def test_delete_takes_an_entry_out_and_the_next_one_is_chosen(bench: FormBench) -> None:
    bench.sheet.rows.choose("studio.dice-roller")
    QTest.keyClick(bench.sheet.rows, Qt.Key.Key_Delete)
    await bench.settled()
    assert bench.ids == ["k.maps", "k.tides", "k.marcus"]
    assert bench.sheet.rows.agent is not None
    assert bench.sheet.rows.agent.id == "k.tides"
    assert bench.data["mine"] == 1.5


async def test_what_is_not_listed_is_offered_and_added(bench: FormBench) -> None:
    click(bench, "configAdd")
    menu = bench.sheet.findChild(QMenu, "configAddMenu")
    assert isinstance(menu, QMenu)
    offered = {action.text(): action for action in menu.actions()}
    assert "k.maps" not in offered
    assert {"k.new", "studio.memory-store"} <= set(offered)
    offered["k.new"].trigger()
    menu.close()
    await bench.settled()
    assert bench.data["agents"][-1] == "k.new"
    assert bench.sheet.rows.agent is not None
    assert bench.sheet.rows.agent.id == "k.new"


async def test_a_lookup_is_bound_to_a_free_file_and_takes_another(bench: FormBench) -> None:
    bench.sheet.lookup_wanted.emit("studio.agent-db")
    await bench.settled()
    entry = bench.data["agents"][-1]
    assert entry == {
        "id": "k.moon",
        "implementation": "studio.agent-db",
        "contextFile": ".moon.json",
    }
    box = bench.find("configEntryFile")
    assert isinstance(box, QComboBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    await bench.settled()
    assert bench.data["agents"][-1]["contextFile"] == ".tides.json"


async def test_another_id_is_followed_by_grants_and_one_that_is_taken_is_refused(
    bench: FormBench,
) -> None:
    bench.sheet.rows.choose("k.tides")
    await type_into(bench, "configEntryId", "k.sea")
    assert bench.data["agents"][2]["id"] == "k.sea"
    assert bench.data["agents"][3]["shared-agents"] == ["k.sea"]
    before = bench.text
    await type_into(bench, "configEntryId", "k.maps")
    assert bench.text == before
    said = bench.find("configSaid")
    assert "another agent" in said.property("text")


async def test_words_and_paths_are_written_and_given_back(bench: FormBench) -> None:
    await type_into(bench, "configVersion", "1.2")
    await type_into(bench, "configPathIntroduction", "texts/hello.txt")
    assert bench.data["version"] == "1.2"
    assert bench.data["fileMappings"] == {"Introduction": "texts/hello.txt"}
    field = bench.find("configPathIntroduction")
    assert isinstance(field, QLineEdit)
    field.clear()
    QTest.keyClick(field, Qt.Key.Key_Return)
    await bench.settled()
    assert "fileMappings" not in bench.data


async def test_a_change_elsewhere_is_shown_and_what_is_being_typed_stays(bench: FormBench) -> None:
    field = bench.find("configName")
    assert isinstance(field, QLineEdit)
    field.setFocus()
    QTest.keyClicks(field, "!")
    document = await bench.documents.open("config.json")
    document.text.setPlainText(CONFIG.replace('"k.maps", ', ""))
    await until(lambda: "k.maps" not in bench.ids)
    await bench.settled()
    assert field.text() == "Kay!"


async def test_unsaved_text_of_the_config_is_changed_and_stays_unsaved(bench: FormBench) -> None:
    document = await bench.documents.open("config.json")
    document.text.setPlainText(CONFIG.replace("1.50", "2.50"))
    bench.sheet.rows.choose("k.maps")
    bench.sheet.rows.removed.emit(bench.sheet.rows.agent)
    await bench.settled()
    assert document.modified
    assert '"mine": 2.50' in document.plain
    assert "k.maps" not in document.plain
    assert bench.text == CONFIG


async def test_a_config_that_breaks_is_told_and_the_form_stays(bench: FormBench) -> None:
    document = await bench.documents.open("config.json")
    document.text.setPlainText("{ oops")
    said = bench.find("configSaid")
    await until(lambda: "line 1" in said.property("text"))
    assert bench.sheet.is_open
    assert bench.ids[0] == "k.maps"


async def test_buttons_lead_to_the_file_and_to_the_builder(bench: FormBench) -> None:
    bench.sheet.rows.choose("k.marcus")
    click(bench, "configOpenBuilder")
    assert bench.built == ["agents/marcus.subagent.md"]
    assert not bench.sheet.is_open
    bench.form.open()
    await until(lambda: bench.sheet.is_open)
    bench.sheet.rows.choose("k.maps")
    button = bench.find("configOpenFile")
    assert isinstance(button, QPushButton)
    button.click()
    await until(lambda: bool(bench.opened))
    assert bench.opened == ["agents/k.maps.js"]


async def test_escape_closes_and_nothing_is_lost(bench: FormBench) -> None:
    bench.sheet.rows.choose("k.maps")
    QTest.keyClick(bench.sheet.rows, Qt.Key.Key_Delete)
    QTest.keyClick(bench.sheet, Qt.Key.Key_Escape)
    await bench.settled()
    assert not bench.sheet.is_open
    assert "k.maps" not in bench.data["agents"]


async def test_rows_of_thousands_of_entries_are_kept_and_only_what_changed_is_filled_anew(
    bench: FormBench,
) -> None:
    rows, names = bench.sheet.rows, [f"k.a{at}" for at in range(2000)]
    (bench.root / "config.json").write_text(json.dumps({"agents": names}))
    bench.form.files_changed()
    await until(lambda: bench.ids == names)
    first, last = rows.topLevelItem(0), rows.topLevelItem(1999)
    rows.choose("k.a1999")
    bench.sheet.add_wanted.emit("studio.dice-roller")
    await bench.settled()
    assert bench.ids == [*names, "studio.dice-roller"]
    assert (rows.topLevelItem(0), rows.topLevelItem(1999)) == (first, last)
    rows.choose("k.a0")
    rows.removed.emit(rows.agent)
    await bench.settled()
    assert bench.ids == [*names[1:], "studio.dice-roller"]
    assert rows.topLevelItem(0) is first
