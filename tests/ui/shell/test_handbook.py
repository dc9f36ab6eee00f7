"""The handbook inside the application."""

from __future__ import annotations

import re
import threading

import pytest
from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from studio_qt.resources import resource_names
from studio_qt.ui.handbook import pictures
from studio_qt.ui.handbook.book import page_html, read_book, slug
from studio_qt.ui.handbook.page import Handbook, HandbookPage
from tests.support.qt import until
from tests.ui.shell.conftest import Bench

qt_loop = pytest.mark.qt_loop
BOOK = read_book()


def test_every_page_is_listed_once_in_the_order_of_the_first() -> None:
    names = [page.name for page in BOOK.pages]
    files = {name.removesuffix(".md") for name in resource_names("handbook") if ".md" in name}
    assert len(names) == len(set(names))
    assert set(names) == files
    assert names[:2] == ["index", "first-character"]
    assert "For people who make characters" in BOOK.groups


@pytest.mark.parametrize("page", BOOK.pages, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.text):
        url = QUrl(target)
        if url.scheme() or target.startswith("images/"):
            continue
        name = url.path().removesuffix(".md") or page.name
        other = BOOK.page(name)
        assert other is not None, target
        if url.fragment():
            assert f'name="{url.fragment()}"' in page_html(other.text), target


def test_headings_are_named_as_links_name_them() -> None:
    assert slug("The words") == "the-words"
    assert slug("`studio.memory-store`: it's here!") == "studiomemory-store-its-here"


def test_a_page_has_tables_code_and_headings_and_no_html_of_its_own() -> None:
    html = page_html("# A\n\n|a|b|\n|-|-|\n|1|2|\n\n```js\nif (a < b) {}\n```\n\n<b>x</b>\n")
    assert '<a name="a"></a>' in html
    assert '<table class="grid"' in html
    assert "if (a &lt; b) {}" in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html


def test_a_search_finds_all_words_and_titles_first() -> None:
    names = [hit.page.name for hit in BOOK.search("Sub-Agents")]
    assert names[0] == "sub-agents"
    assert BOOK.search("nosuchword") == []
    assert BOOK.search("  ") == []
    assert all("store" in hit.page.text.lower() for hit in BOOK.search("store memory"))
    assert "memory" in BOOK.search("memory")[0].around.lower()


async def opened(bench: Bench, name: str = "index") -> HandbookPage:
    page = HandbookPage(bench.desk)
    bench.put(page)
    page.open_page(name)
    await until(lambda: page.settled)
    return page


def titles(page: HandbookPage) -> list[str]:
    listed = [page.list.item(at) for at in range(page.list.count())]
    return [item.text() for item in listed if item.text()]


def shown(page: HandbookPage) -> str:
    assert page.reader.page is not None
    return page.reader.page.name


@qt_loop
async def test_a_page_is_chosen_from_the_list_with_the_keyboard(bench: Bench) -> None:
    page = await opened(bench)
    assert page.list.currentItem().text() == "Handbook"
    page.list.setFocus()
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    assert shown(page) == "first-character"
    assert page.reader.accessibleName() == page.reader.page.title


@qt_loop
async def test_back_and_forward_go_the_way_that_was_read(bench: Bench) -> None:
    page = await opened(bench)
    for name in ("sub-agents", "wire"):
        page.open_page(name)
    alt = Qt.KeyboardModifier.AltModifier
    QTest.keyClick(page, Qt.Key.Key_Left, alt)
    QTest.keyClick(page, Qt.Key.Key_Left, alt)
    assert shown(page) == "index"
    assert not page.findChild(QAbstractButton, "handbookBack").isEnabled()
    QTest.mouseClick(page.findChild(QAbstractButton, "handbookForward"), Qt.MouseButton.LeftButton)
    assert shown(page) == "sub-agents"
    page.open_page("index")
    assert not page.findChild(QAbstractButton, "handbookForward").isEnabled()


@qt_loop
async def test_going_back_returns_to_the_place_on_the_page(bench: Bench) -> None:
    page = await opened(bench, "wire")
    bar = page.reader.verticalScrollBar()
    bar.setValue(400)
    page.open_page("index")
    page.go_back()
    assert bar.value() == 400


@qt_loop
async def test_a_link_to_a_heading_scrolls_there(bench: Bench) -> None:
    page = await opened(bench)
    page.reader.link_wanted.emit(QUrl("built-in-agents.md#studiodice-roller"))
    assert shown(page) == "built-in-agents"


@qt_loop
async def test_a_link_to_the_web_opens_the_browser(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await opened(bench)
    asked: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url.toString()))
    page.reader.link_wanted.emit(QUrl("https://example.org/x"))
    assert asked == ["https://example.org/x"]
    assert shown(page) == "index"


@qt_loop
async def test_a_link_to_nowhere_is_told(bench: Bench) -> None:
    page = await opened(bench)
    told: list[str] = []
    page.notice.connect(lambda text, _kind: told.append(text))
    page.reader.link_wanted.emit(QUrl("nosuch.md"))
    assert told == ["The handbook has no page nosuch.md."]


@qt_loop
async def test_a_search_narrows_the_list_and_marks_the_words(bench: Bench) -> None:
    page = await opened(bench)
    page.search.setFocus()
    QTest.keyClicks(page.search, "landlock")
    assert 0 < len(titles(page)) < len(BOOK.pages)
    QTest.keyClick(page.search, Qt.Key.Key_Return)
    assert page.reader.extraSelections()
    assert page.list.currentRow() == 0
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert len(titles(page)) == len(BOOK.pages)
    assert page.reader.extraSelections() == []


@qt_loop
async def test_pictures_fit_and_nothing_is_fetched(bench: Bench) -> None:
    page = await opened(bench, "the-window")
    picture = page.reader.loadResource(2, QUrl("images/main-dark.webp"))
    assert isinstance(picture, QImage)
    assert 0 < picture.width() <= page.reader.viewport().width()
    foreign = ("https://example.org/x.png", "file:///etc/passwd", "../../x.png", "images/no.png")
    for other in foreign:
        assert page.reader.loadResource(2, QUrl(other)) is None
    bench.window.resize(700, 600)
    await until(lambda: page.width() == 700)
    await until(lambda: not page.reader._resized.isActive())
    await until(lambda: page.settled)
    drawn = page.reader.document().resource(2, QUrl("images/main-dark.webp"))
    assert 0 < drawn.width() <= page.reader.viewport().width() < picture.width() + 300
    assert drawn.width() != picture.width()


@qt_loop
async def test_pictures_are_decoded_on_a_thread_and_have_their_room_before(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await opened(bench)
    threads, heights, read = set(), [], pictures._read

    def note(path: str, size: QSize) -> QImage:
        threads.add(threading.current_thread())
        return read(path, size)

    monkeypatch.setattr(pictures, "_read", note)
    page.reader._pictures.came.connect(lambda _: heights.append(page.reader.document().size()))
    page.open_page("the-window")
    before = page.reader.document().size()
    assert (shown(page), page.settled, threads) == ("the-window", False, set())
    await until(lambda: page.settled)
    assert threading.main_thread() not in threads
    assert len(heights) == page.reader.page.text.count("![")
    assert {size.height() for size in heights} == {before.height()}
    drawn = page.reader.document().resource(2, QUrl("images/main-dark.webp"))
    assert drawn.pixelColor(20, 20).alpha() == 255


@qt_loop
async def test_a_page_that_nobody_sees_is_drawn_anew_when_it_is_shown(bench: Bench) -> None:
    page = await opened(bench)
    drawn: list[str] = []
    page.reader.document().contentsChanged.connect(lambda: drawn.append("again"))
    page.hide()
    for name in ("light", "dark", "light"):
        bench.desk.theme.choose(name)
    assert drawn == []
    page.show()
    assert drawn
    assert bench.desk.theme.tokens["fg"] in page.reader.document().defaultStyleSheet()


@qt_loop
async def test_another_theme_keeps_the_place(bench: Bench) -> None:
    page = await opened(bench, "wire")
    page.reader.verticalScrollBar().setValue(300)
    bench.desk.theme.choose("light")
    assert page.reader.verticalScrollBar().value() == 300


@qt_loop
async def test_f1_opens_a_window_and_escape_closes_it(bench: Bench) -> None:
    handbook = Handbook(bench.desk, bench.window)
    QTest.keyClick(bench.window, Qt.Key.Key_F1)
    page = handbook.page
    assert page is not None
    await until(lambda: page.settled)
    handbook.open("sub-agents")
    assert shown(page) == "sub-agents"
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert page.isHidden()
    handbook.open()
    assert page.isVisible()
    assert shown(page) == "sub-agents"


@qt_loop
async def test_the_window_goes_with_the_main_one(bench: Bench) -> None:
    handbook = Handbook(bench.desk, bench.window)
    handbook.open()
    await until(lambda: handbook.page.settled)
    bench.window.close()
    assert handbook.page is None


@qt_loop
async def test_closing_while_the_handbook_is_read_is_harmless(bench: Bench) -> None:
    handbook = Handbook(bench.desk, bench.window)
    handbook.open()
    handbook.close()
    await until(lambda: bench.desk.tasks.names == [])
