"""The command palette and the list of keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView, QWidget

from studio_qt.settings import home_folder
from studio_qt.ui.actions import Place
from studio_qt.ui.menus import StudioMenus
from studio_qt.ui.palette.entries import Entry, Lately, best, find, pools, taken
from studio_qt.ui.palette.matching import match
from studio_qt.ui.palette.page import Palette, PaletteField
from studio_qt.ui.palette.shortcuts import ShortcutSheet
from tests.support.qt import until
from tests.ui.shell.conftest import Bench

qt_loop = pytest.mark.qt_loop
FILES = ("agents/keeper.maps.ts", "agents/marcus.subagent.md", "config.json", "instructions.txt")


def fitting(query: str, *texts: str) -> list[str]:
    """The texts that fit, the best first."""
    entries = [("files", Entry(text, "", "file", print)) for text in texts]
    return [found.entry.text for found in best(find(query, entries), 9, ())]


def marked(query: str, text: str) -> str:
    found = match(query, text)
    assert found is not None
    return "".join(text[at] for at in sorted(found.text))


@pytest.mark.parametrize(
    ("query", "text", "letters"),
    [
        ("km", "keeper.maps.ts", "km"),
        ("maps", "keeper.maps.ts", "maps"),
        ("CJ", "config.json", "cj"),
        ("ts keeper", "keeper.maps.ts", "keeperts"),
        ("sam", "findSubAgentMarcus", "SAM"),
        ("cafe", "Café noir", "Café"),
        ("", "anything", ""),
    ],
)
def test_the_letters_that_were_typed_are_marked(query: str, text: str, letters: str) -> None:
    assert marked(query, text) == letters


@pytest.mark.parametrize("query", ["xyz", "spam", "maps xyz", "tss"])
def test_what_lacks_a_letter_does_not_fit(query: str) -> None:
    assert match(query, "keeper.maps.ts") is None


def test_starts_of_words_come_before_letters_inside() -> None:
    assert fitting("ma", "tomato.txt", "keeper.maps.ts", "maps.ts") == [
        "maps.ts",
        "keeper.maps.ts",
        "tomato.txt",
    ]
    assert fitting("op", "copy", "Open folder", "group") == ["Open folder", "copy", "group"]


def test_the_detail_is_found_as_well_and_counts_less() -> None:
    entries = [("files", Entry("maps.ts", "agents", "file", print))]
    assert list(find("agents/maps", entries))
    by_text, by_detail = match("agents", "agents", "x"), match("agents", "x", "agents")
    assert by_text is not None
    assert by_detail is not None
    assert by_text.score > by_detail.score


def test_letters_here_and_there_in_the_detail_are_no_hit() -> None:
    assert match("ma", "x", "/tmp/shell/confidant") is None
    assert match("conf", "x", "/tmp/shell/confidant") is not None


def test_letters_of_any_script_keep_their_places() -> None:
    assert marked("ß", "Straße İstanbul") == "ß"
    assert marked("istanbul", "Straße İstanbul") == "İstanbul"


def test_a_sign_at_the_start_asks_for_one_kind() -> None:
    assert pools("> theme") == (("commands",), "theme")
    assert pools("@log") == (("character",), "log")
    assert "files" in pools("log")[0]


def test_what_was_chosen_lately_comes_first_and_is_kept() -> None:
    lately = Lately(home_folder())
    for name in ("files/a/", "files/b/", "files/a/"):
        lately.note(name)
    lately.flush()
    again = Lately(home_folder())
    assert again.names == ["files/a/", "files/b/"]
    entries = [("files", Entry(text, "", "file", print)) for text in ("c", "b", "a")]
    assert [found.entry.text for found in taken(entries, again.names, 9)] == ["a", "b"]
    equals = best(find("", entries), 9, again.names)
    assert [found.entry.text for found in equals] == ["a", "b", "c"]


def test_what_has_slashes_is_remembered_too() -> None:
    entry = ("conversations", Entry("You/I", "3/4", "chat", print))
    (found,) = find("", [entry])
    assert [one.entry.text for one in taken([entry], [found.name, "odd"], 9)] == ["You/I"]


@pytest.mark.parametrize("text", ["{", "[]", '{"lately": 3}'])
def test_a_broken_list_of_what_was_chosen_counts_as_empty(text: str) -> None:
    (home_folder() / "palette.json").write_text(text, encoding="utf-8")
    assert Lately(home_folder()).names == []


class Scene:
    """A palette over a field, with files and an action."""

    def __init__(self, bench: Bench, files: tuple[str, ...] = FILES) -> None:
        self.ran: list[str] = []
        self.window = bench.window
        self.field = QLineEdit()
        bench.put(self.field)
        bench.desk.actions.add(
            "theme", "&Dark theme…", lambda: self.ran.append("theme"), place=Place("View")
        )
        self.palette = Palette(bench.desk, bench.window)
        self.palette.set_source("files", lambda: [self.entry(path) for path in files])
        self.list = bench.window.findChild(QListView, "paletteList")
        self.field.setFocus()

    def entry(self, path: str) -> Entry:
        folder, _, name = path.rpartition("/")
        return Entry(name, folder, "file", lambda: self.ran.append(path))

    def rows(self) -> list[str]:
        model = self.list.model()
        return [model.index(at, 0).data() for at in range(model.rowCount())]

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.palette.input, key)


@qt_loop
async def test_keys_open_the_palette_and_escape_gives_the_focus_back(bench: Bench) -> None:
    scene = Scene(bench)
    held = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(scene.field, Qt.Key.Key_P, held)
    assert scene.palette.is_open
    assert scene.palette.input.hasFocus()
    assert "FILES" in [row.upper() for row in scene.rows()]
    scene.press(Qt.Key.Key_Escape)
    assert not scene.palette.is_open
    assert scene.field.hasFocus()
    QTest.keyClick(scene.field, Qt.Key.Key_P, held | Qt.KeyboardModifier.ShiftModifier)
    assert scene.palette.input.text() == ">"
    assert scene.rows() == ["Commands", "Dark theme"]
    scene.press(Qt.Key.Key_Escape)


@qt_loop
async def test_enter_goes_to_the_best_and_it_comes_first_next_time(bench: Bench) -> None:
    scene = Scene(bench)
    scene.palette.open_everything()
    QTest.keyClicks(scene.palette.input, "marc")
    assert scene.rows() == ["marcus.subagent.md"]
    scene.press(Qt.Key.Key_Return)
    assert scene.ran == ["agents/marcus.subagent.md"]
    assert not scene.palette.is_open
    scene.palette.open_everything()
    assert scene.rows()[:2] == ["Lately", "marcus.subagent.md"]
    assert scene.rows().count("marcus.subagent.md") == 1
    scene.palette.reject()


@qt_loop
async def test_arrows_pass_over_titles_and_go_around(bench: Bench) -> None:
    scene = Scene(bench)
    scene.palette.open_everything()
    seen = []
    for _ in range(6):
        seen.append(scene.list.currentIndex().data())
        scene.press(Qt.Key.Key_Down)
    assert seen == [
        "keeper.maps.ts",
        "marcus.subagent.md",
        "config.json",
        "instructions.txt",
        "Dark theme",
        "keeper.maps.ts",
    ]
    scene.press(Qt.Key.Key_Up)
    assert scene.list.currentIndex().data() == "keeper.maps.ts"
    scene.palette.reject()


@qt_loop
async def test_a_click_runs_a_command(bench: Bench) -> None:
    scene = Scene(bench)
    scene.palette.open_commands()
    place = scene.list.visualRect(scene.list.model().index(1, 0)).center()
    QTest.mouseClick(scene.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert scene.ran == ["theme"]


@pytest.mark.parametrize(
    ("text", "place"), [(":12", (12, 1)), (":12:5", (12, 5)), (": 7 , 2", (7, 2))]
)
@qt_loop
async def test_a_colon_goes_to_a_line(bench: Bench, text: str, place: tuple[int, int]) -> None:
    scene = Scene(bench)
    wanted: list[tuple[int, int]] = []
    scene.palette.line_wanted.connect(lambda line, column: wanted.append((line, column)))
    scene.palette.open_everything()
    QTest.keyClicks(scene.palette.input, text)
    scene.press(Qt.Key.Key_Return)
    assert wanted == [place]


@pytest.mark.parametrize("text", [":", ":0", ":x", ":99999999999"])
@qt_loop
async def test_a_line_that_is_none_goes_nowhere(bench: Bench, text: str) -> None:
    scene = Scene(bench)
    scene.palette.open_with(text)
    scene.press(Qt.Key.Key_Return)
    assert scene.palette.is_open
    scene.palette.reject()


@qt_loop
async def test_actions_that_cannot_run_now_are_not_offered(bench: Bench) -> None:
    scene = Scene(bench)
    bench.desk.actions.find("theme").setEnabled(False)
    scene.palette.open_commands()
    assert scene.rows() == ["There is nothing to choose here"]
    scene.palette.reject()


@qt_loop
async def test_thousands_of_files_are_looked_through_in_slices(bench: Bench) -> None:
    many = tuple(f"context/chapter-{at:05}.txt" for at in range(20_000))
    scene = Scene(bench, (*many, "agents/marcus.subagent.md"))
    scene.palette.open_everything()
    scene.palette.input.setText("chap1")
    scene.palette.input.setText("marcus")
    scene.press(Qt.Key.Key_Return)  # before the list is there
    await until(lambda: scene.ran == ["agents/marcus.subagent.md"])
    await until(lambda: "palette" not in bench.desk.tasks.names)


@qt_loop
async def test_what_does_not_fit_is_said(bench: Bench) -> None:
    scene = Scene(bench)
    scene.palette.open_with("qqq")
    assert scene.rows() == ["Nothing fits “qqq”"]
    scene.palette.reject()


@qt_loop
async def test_an_unknown_source_is_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="'file'"):
        Scene(bench).palette.set_source("file", list)


@qt_loop
async def test_rows_are_read_out_with_what_is_beside_them(bench: Bench) -> None:
    scene = Scene(bench)
    scene.palette.open_with("maps")
    spoken = scene.list.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "keeper.maps.ts, agents, File"
    assert scene.palette.input.accessibleDescription() == "keeper.maps.ts"
    assert scene.palette.grab().width() == bench.window.width()
    scene.palette.reject()


@qt_loop
async def test_the_field_in_the_bar_opens_the_palette(bench: Bench) -> None:
    scene = Scene(bench)
    field = PaletteField(bench.desk.theme, scene.palette)
    bench.put(field)
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert scene.palette.is_open
    scene.palette.reject()


@qt_loop
async def test_the_keys_are_listed_and_can_be_searched(bench: Bench) -> None:
    Palette(bench.desk, bench.window)
    menus = StudioMenus(bench.window, bench.desk.theme, None, tuple, bench.desk.actions)
    menus.show_keys()
    sheet = bench.window.findChild(ShortcutSheet)
    assert "Ctrl+O  Open folder" in sheet.texts
    assert "Enter  Send the message" in sheet.texts
    QTest.keyClicks(sheet.field, "palette")
    assert sheet.texts == ["Ctrl+Shift+P  Command palette"]
    QTest.keyClick(sheet.field, Qt.Key.Key_Escape)
    assert bench.window.findChild(QWidget, "shortcuts") is None or not sheet.is_open


@qt_loop
async def test_a_field_that_has_gone_gets_no_focus_back(bench: Bench) -> None:
    scene = Scene(bench)
    scene.palette.open_everything()
    scene.field.deleteLater()
    QCoreApplication.sendPostedEvents(scene.field, QEvent.Type.DeferredDelete.value)
    scene.press(Qt.Key.Key_Escape)
    assert not scene.palette.is_open
