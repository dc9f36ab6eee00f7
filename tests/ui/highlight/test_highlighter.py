"""Documents keep their colours while they are written in, undone, replaced, composed and closed."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter, thread_time

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, Qt
from PySide6.QtGui import QInputMethodEvent, QPaintEvent, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextDocumentLayout, QPlainTextEdit

from studio_qt.ui.highlight import Highlighter, highlighter, turns
from studio_qt.ui.highlight.grammar import Grammar, Spans, lex
from studio_qt.ui.highlight.kinds import char_formats
from studio_qt.ui.highlight.lines import Lines
from studio_qt.ui.highlight.loading import make_grammars
from studio_qt.ui.highlight.turns import Turns
from studio_qt.ui.leisure import Leisure
from studio_qt.ui.theme.fonts import interface_font
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import signal, until
from tests.ui.highlight.samples import PIECES, SAMPLES


@pytest.fixture
def editor(qapp: QApplication) -> Iterator[QPlainTextEdit]:
    """A shown editor."""
    editor = QPlainTextEdit()
    editor.resize(600, 400)
    editor.show()
    yield editor
    editor.close()
    editor.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def new_document(text: str) -> QTextDocument:
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText(text)
    document.setModified(False)
    return document


def settle(*highlighters: Highlighter) -> None:
    """Do all the work that waits, without the loop."""
    for one in highlighters:
        while one.work(perf_counter() + 1):
            pass
        assert one.settled


def draw(one: Highlighter) -> None:
    """Let what was read within a change be drawn, as Qt does before the next frame."""
    QCoreApplication.sendPostedEvents(one, QEvent.Type.MetaCall.value)


def expected(one: Highlighter, document: QTextDocument, theme: Theme) -> list[Spans]:
    texts = [block.text() for block in blocks(document)]
    return list(lex(Turns.of(theme).grammars.of(one.language), texts))


def blocks(document: QTextDocument) -> Iterator:
    block = document.firstBlock()
    while block.isValid():
        yield block
        block = block.next()


def drawn(document: QTextDocument, theme: Theme, since: int = 0) -> list[Spans]:
    """Return the spans that the formats of the blocks show, where a kind can be told by them."""
    formats = char_formats(theme.tokens)
    kinds = list(formats)
    return [
        tuple(
            (one.start, one.length, next(kind for kind in kinds if formats[kind] == one.format))
            for one in block.layout().formats()
        )
        for block in blocks(document)
        if block.blockNumber() >= since
    ]


def looks(spans: list[Spans], theme: Theme) -> list[Spans]:
    """Return spans with the first kind that looks the same, to be compared with `drawn`."""
    formats = char_formats(theme.tokens)
    first = {kind: next(k for k in formats if formats[k] == formats[kind]) for kind in formats}
    return [tuple((start, length, first[kind]) for start, length, kind in row) for row in spans]


def assert_right(one: Highlighter, document: QTextDocument, theme: Theme) -> None:
    """Check that spans and formats are those of a full reading."""
    whole = expected(one, document, theme)
    assert [one.spans(line) for line in range(document.blockCount())] == whole
    assert drawn(document, theme) == looks(whole, theme)


@pytest.mark.parametrize("language", SAMPLES)
def test_after_edits_undo_and_redo_the_blocks_are_coloured_as_a_full_reading_says(
    theme: Theme, language: str
) -> None:
    document = new_document(SAMPLES[language])
    document.setUndoRedoEnabled(True)
    one = Highlighter(document, language, theme)
    settle(one)
    dice = random.Random(language)
    for _ in range(60):
        cursor = QTextCursor(document)
        end = document.characterCount() - 1
        start = dice.randint(0, end)
        cursor.setPosition(start)
        cursor.setPosition(min(end, start + dice.choice((0, 0, 1, 4, 80))), _KEEP)
        cursor.insertText("".join(dice.choices(PIECES, k=dice.randint(0, 3))))
        if dice.random() < 0.3:
            document.undo()
        if dice.random() < 0.1:
            document.redo()
        if dice.random() < 0.5:
            one.work(0)
    settle(one)
    assert_right(one, document, theme)


_KEEP = QTextCursor.MoveMode.KeepAnchor


def test_a_key_is_coloured_within_the_change_itself(theme: Theme, editor: QPlainTextEdit) -> None:
    editor.setPlainText("let a = 1\n" * 5000)
    one = Highlighter(editor.document(), "javascript", theme, editor)
    settle(one)
    changes: list[bool] = []
    one.settled_changed.connect(lambda: changes.append(one.settled))
    QTest.keyClicks(editor, "// ")
    assert one.spans(0) == ((0, 12, "comment"),)
    assert one.settled
    assert changes == []
    draw(one)
    assert drawn(editor.document(), theme)[0] == ((0, 12, "comment"),)


def test_colours_make_no_undo_steps_and_change_nothing(theme: Theme) -> None:
    document = new_document("let a = 1")
    one = Highlighter(document, "javascript", theme)
    settle(one)
    assert not document.isUndoAvailable()
    assert not document.isModified()
    QTextCursor(document).insertText("// ")
    document.undo()
    settle(one)
    assert document.toPlainText() == "let a = 1"
    assert not document.isUndoAvailable()
    assert_right(one, document, theme)


@pytest.mark.parametrize("text", ["", "/* a\nb\nc", "x", "let a\n" * 300])
def test_a_text_that_is_replaced_is_read_anew(theme: Theme, text: str) -> None:
    document = new_document("let a = 1\n" * 100)
    one = Highlighter(document, "javascript", theme)
    settle(one)
    document.setPlainText(text)
    settle(one)
    assert_right(one, document, theme)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.insertText("/* b\n" + text)
    settle(one)
    assert_right(one, document, theme)
    document.clear()
    settle(one)
    assert_right(one, document, theme)


def test_changes_at_several_places_in_one_step_are_followed(theme: Theme) -> None:
    document = new_document("let a = 1\n" * 50)
    one = Highlighter(document, "javascript", theme)
    settle(one)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for line, text in ((3, "/*\n"), (40, "*/"), (20, "`\n\n"), (10, "\n")):
        cursor.setPosition(document.findBlockByNumber(line).position())
        cursor.insertText(text)
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    cursor.movePosition(QTextCursor.MoveOperation.Down, _KEEP, 2)
    cursor.removeSelectedText()
    cursor.endEditBlock()
    settle(one)
    assert_right(one, document, theme)
    document.undo()
    settle(one)
    assert_right(one, document, theme)


def test_a_change_that_qt_did_not_tell_of_is_made_good(theme: Theme) -> None:
    document = new_document("let a = 1\n" * 5)
    one = Highlighter(document, "javascript", theme)
    settle(one)
    document.blockSignals(True)
    QTextCursor(document).insertText("/*\n")
    document.blockSignals(False)
    settle(one)
    assert_right(one, document, theme)


def test_another_language_reads_the_document_anew(theme: Theme) -> None:
    document = new_document("# let a\n")
    one = Highlighter(document, "javascript", theme)
    settle(one)
    one.set_language("python")
    assert not one.settled
    settle(one)
    assert_right(one, document, theme)
    one.set_language("nothing known")
    settle(one)
    assert drawn(document, theme) == [(), ()]


def test_another_theme_recolours_without_reading(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = new_document(SAMPLES["typescript"])
    one = Highlighter(document, "typescript", theme)
    settle(one)
    monkeypatch.setattr(Lines, "step", None)
    theme.choose("light")
    try:
        assert not one.settled
        settle(one)
        assert theme.tokens.name == "light"
        assert drawn(document, theme) == looks(expected(one, document, theme), theme)
    finally:
        theme.choose("dark")


def test_another_theme_recolours_what_is_seen_at_once(theme: Theme, editor: QPlainTextEdit) -> None:
    editor.setPlainText("let a = 1\n" * 300)
    editor.moveCursor(QTextCursor.MoveOperation.End)
    one = Highlighter(editor.document(), "javascript", theme, editor)
    settle(one)
    theme.choose("light")
    try:
        seen = drawn(editor.document(), theme, since=290)
        assert seen == looks(expected(one, editor.document(), theme), theme)[290:]
        settle(one)
    finally:
        theme.choose("dark")


def test_lines_that_move_while_a_theme_changes_are_recoloured_too(theme: Theme) -> None:
    document = new_document(SAMPLES["lua"] * 3)
    one = Highlighter(document, "lua", theme)
    settle(one)
    try:
        theme.choose("light")
        for _ in range(20):
            one.work(0)
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock, n=10)
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock, _KEEP, 5)
        cursor.removeSelectedText()
        settle(one)
        assert_right(one, document, theme)
    finally:
        theme.choose("dark")


def test_kinds_and_languages_can_be_asked_for_by_position(theme: Theme) -> None:
    text = '---\nid: "a" # b\n---\n🌊 %%CONTEXT%% *x*\n```js\nf("\\n") // y\n```\n'
    document = new_document(text)
    one = Highlighter(document, "subagent", theme)
    assert (one.kind_at(4), one.language_at(4)) == ("", "subagent")
    settle(one)

    def asked(part: str) -> tuple[str, str]:
        place = len(text[: text.index(part)].encode("utf-16-le")) // 2
        return one.kind_at(place), one.language_at(place)

    assert asked("---") == ("mark", "yaml")
    assert asked("id") == ("key", "yaml")
    assert asked('"a') == ("string", "yaml")
    assert asked("# b") == ("comment", "yaml")
    assert asked("%%CON") == ("macro", "markdown")
    assert asked(" %%") == ("", "markdown")
    assert asked("*x") == ("emphasis", "markdown")
    assert asked("f(") == ("name", "javascript")
    assert asked("\\n") == ("string", "javascript")
    assert asked("// y") == ("comment", "javascript")
    assert asked("\n```\n") == ("comment", "javascript")
    assert (one.kind_at(-1), one.kind_at(10_000)) == ("", "")
    assert one.spans(10_000) == ()


@pytest.mark.parametrize(
    ("language", "text", "kind"),
    [
        ("javascript", "// don", "comment"),
        ("javascript", "/* a", "comment"),
        ("javascript", "/* a */", ""),
        ("javascript", 'f("a', "string"),
        ("javascript", 'f("a"', ""),
        ("javascript", "`a 🌊", "string"),
        ("python", "x  # a", "comment"),
        ("lua", "x = [[ a", "string"),
        ("yaml", "a: 1 # b", "comment"),
        ("text", "%%CONTEXT%%", ""),
        ("markdown", "", ""),
    ],
)
def test_at_the_end_of_a_line_the_kind_is_what_a_letter_there_would_be(
    theme: Theme, language: str, text: str, kind: str
) -> None:
    document = new_document(text + "\n")
    one = Highlighter(document, language, theme)
    settle(one)
    assert one.kind_at(document.firstBlock().length() - 1) == kind


# Limits ---------------------------------------------------------------------------------------


class Clock:
    """A time that goes on by a tenth of a millisecond with each line that is read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.lines = 0
        for module in (highlighter, turns):
            monkeypatch.setattr(module, "perf_counter", lambda: self.now)
        for name in ("step", "guess"):
            monkeypatch.setattr(Lines, name, self._counted(getattr(Lines, name)))

    def _counted(self, function: Callable) -> Callable:
        def counted(*arguments: object) -> object:
            self.now += 0.0001
            self.lines += 1
            return function(*arguments)

        return counted


@pytest.mark.parametrize("count", [5_000, 50_000])
def test_neither_a_change_nor_a_slice_reads_more_than_its_time_allows(
    theme: Theme, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    document = new_document("a;\n" * count)
    one = Highlighter(document, "javascript", theme)
    settle(one)
    clock = Clock(monkeypatch)
    QTextCursor(document).insertText("/*")  # turns the whole text into a comment
    assert 25 < clock.lines <= 31
    assert not one.settled
    for _ in range(5):
        clock.lines = 0
        Turns.of(theme)._on_turn()
        assert 30 < clock.lines <= 36
    clock.lines = 0
    document.undo()
    assert 25 < clock.lines <= 31


def test_a_change_below_what_has_been_read_is_guessed_and_not_waited_for(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = new_document("let a = 1\n" * 5000)
    one = Highlighter(document, "javascript", theme)
    one.work(0)
    clock = Clock(monkeypatch)
    cursor = QTextCursor(document.findBlockByNumber(4000))
    cursor.insertText("// ")
    assert clock.lines == 1
    assert one.spans(4000) == ((0, 12, "comment"),)
    assert not one.settled


def test_what_is_seen_is_coloured_before_its_turn(
    theme: Theme, editor: QPlainTextEdit, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor.setPlainText("let a = 1\n" * 5000)
    editor.verticalScrollBar().setValue(4000)
    one = Highlighter(editor.document(), "javascript", theme, editor)
    clock = Clock(monkeypatch)
    one.work(clock.now + 0.004)
    assert one.spans(4001) == ((0, 3, "keyword"), (8, 1, "number"))
    assert one.spans(3000) == ()


def test_two_highlighters_share_the_time_of_one(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [new_document("let a = 1\n" * 500) for _ in range(3)]
    all_of_them = [Highlighter(document, "javascript", theme) for document in documents]
    clock = Clock(monkeypatch)
    counts = []
    for _ in range(3):
        clock.lines = 0
        Turns.of(theme)._on_turn()
        counts.append(clock.lines)
    assert all(30 < count <= 36 for count in counts)
    assert [len(one.spans(10)) for one in all_of_them] == [2, 2, 2]


def test_a_line_of_a_megabyte_does_not_hold_anything_up(theme: Theme) -> None:
    document = new_document("[1, " * 250_000 + "\nlet a")
    one = Highlighter(document, "json", theme)
    started = thread_time()
    settle(one)
    assert thread_time() - started < 0.1
    started = thread_time()
    one._on_contents_change(0, 0, 1)  # as for a key; Qt itself takes 0.3 s for one
    assert thread_time() - started < 0.05
    assert one.settled
    assert one.spans(0) == ()


class Painted(QObject):
    """Notes what of a view is painted."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view)
        self.areas: list[QRect] = []
        self._viewport = view.viewport()
        self._viewport.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.areas.append(event.rect())
        return False

    async def next(self) -> QRect:
        """Wait for the next frame."""
        self.areas.clear()
        await until(lambda: bool(self.areas))
        return self.areas[0]


@pytest.mark.qt_loop
async def test_only_what_is_seen_is_drawn_again(theme: Theme, editor: QPlainTextEdit) -> None:
    editor.setPlainText("let a = 1\n" * 5000)
    one = Highlighter(editor.document(), "javascript", theme, editor)
    layout = editor.document().documentLayout()
    asked: list[object] = []
    layout.update.connect(lambda: asked.append("all"))
    layout.updateBlock.connect(lambda block: asked.append(block.blockNumber()))
    one.work(perf_counter() + 0.2)
    assert asked == ["all"]
    while not one.spans(500):
        one.work(0)
    asked.clear()
    settle(one)
    assert asked == []
    assert_right(one, editor.document(), theme)


@pytest.mark.qt_loop
async def test_a_key_draws_its_line_again_and_no_more(theme: Theme, editor: QPlainTextEdit) -> None:
    editor.setPlainText("let a = 1\n" * 500)
    one = Highlighter(editor.document(), "javascript", theme, editor)
    settle(one)
    painted = Painted(editor)
    await painted.next()
    line = editor.cursorRect()
    QTest.keyClick(editor, Qt.Key.Key_Slash)
    area = await painted.next()
    assert area.width() > 500
    assert area.top() <= line.top()
    assert area.bottom() >= line.bottom()
    assert area.height() < 2 * line.height()
    QTest.keyClick(editor, Qt.Key.Key_Asterisk)
    assert (await painted.next()).height() > 10 * line.height()
    settle(one)


@pytest.mark.qt_loop
async def test_a_line_that_is_wrapped_otherwise_in_its_colours_moves_the_lines_below(
    theme: Theme, editor: QPlainTextEdit
) -> None:
    """Bold letters of most faces are wider."""
    editor.document().setDefaultFont(interface_font(14))
    editor.setPlainText("mmm mm " * 300 + "\nb\n")
    one = Highlighter(editor.document(), "markdown", theme, editor)
    settle(one)
    rows = editor.document().firstBlock().layout().lineCount()
    painted = Painted(editor)
    await painted.next()
    editor.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClicks(editor, "# ")
    area = await painted.next()
    assert editor.document().firstBlock().layout().lineCount() > rows
    assert area.height() > 300


# Ends -----------------------------------------------------------------------------------------


def test_a_document_may_be_deleted_under_its_highlighter(theme: Theme, qapp: QApplication) -> None:
    document = new_document("let a = 1\n" * 100)
    one = Highlighter(document, "javascript", theme)
    one.work(0)
    document.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not one.work(perf_counter() + 1)
    Turns.of(theme)._on_turn()
    assert one.kind_at(0) == ""
    one.set_language("lua")
    theme.changed.emit()
    one.close()


def test_an_editor_may_be_deleted_with_document_and_highlighter(theme: Theme) -> None:
    editor = QPlainTextEdit("let a = 1\n" * 100)
    one = Highlighter(editor.document(), "javascript", theme, editor)
    one.work(0)
    editor.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not one.work(perf_counter() + 1)
    theme.changed.emit()


def test_a_closed_highlighter_follows_no_longer(theme: Theme) -> None:
    document = new_document("let a = 1")
    one = Highlighter(document, "javascript", theme)
    settle(one)
    one.close()
    one.close()
    QTextCursor(document).insertText("// ")
    assert not one.work(perf_counter() + 1)
    assert one.kind_at(0) == ""


def test_a_lexer_that_fails_is_logged_once_and_leaves_the_text_plain(
    theme: Theme, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    document = new_document("let a = 1\n" * 10)
    one = Highlighter(document, "javascript", theme)
    settle(one)

    def fail(*_arguments: object) -> None:
        raise RuntimeError("a broken table")

    monkeypatch.setattr(type(Turns.of(theme).grammars.of("javascript")), "line", fail)
    for _ in range(3):
        QTextCursor(document).insertText("x")
    settle(one)
    assert [record.message for record in caplog.records] == [
        "The lexer for javascript failed; this text stays plain"
    ]
    assert drawn(document, theme) == [()] * 11


def test_what_an_input_method_composes_keeps_its_own_look(
    theme: Theme, editor: QPlainTextEdit
) -> None:
    editor.setPlainText('let a = "xy" + 1')
    one = Highlighter(editor.document(), "javascript", theme, editor)
    settle(one)
    cursor = editor.textCursor()
    cursor.setPosition(10)
    editor.setTextCursor(cursor)
    QApplication.sendEvent(editor, QInputMethodEvent("にほ", []))
    block = editor.document().firstBlock()
    assert block.layout().preeditAreaText() == "にほ"
    draw(one)
    places = [(one.start, one.length) for one in block.layout().formats()]
    assert sorted(places) == [(0, 3), (8, 2), (10, 2), (12, 2), (17, 1)]
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    QApplication.sendEvent(editor, commit)
    settle(one)
    assert editor.toPlainText() == 'let a = "x日本y" + 1'
    assert_right(one, editor.document(), theme)


# Loading --------------------------------------------------------------------------------------


@pytest.mark.qt_loop
async def test_a_highlighter_settles_when_pygments_has_been_loaded(qapp: QApplication) -> None:
    theme = Theme("dark")
    document = new_document(SAMPLES["lua"])
    one = Highlighter(document, "lua", theme)
    assert not one.settled
    QTextCursor(document).insertText("local x\n")
    await until(lambda: one.settled)
    assert_right(one, document, theme)
    QTextCursor(document).insertText("--[[ " + "a\n" * 1000)
    assert not one.settled
    await signal(one.settled_changed)
    assert one.settled
    assert_right(one, document, theme)
    theme.deleteLater()


@pytest.mark.qt_loop
async def test_pygments_is_loaded_once_on_a_thread_and_not_before_the_loop_has_come_round(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def make() -> Mapping[str, Grammar]:
        threads.append(threading.current_thread())
        return make_grammars()

    monkeypatch.setattr("studio_qt.ui.highlight.loading.make_grammars", make)
    theme = Theme("dark")
    all_of_them = [Highlighter(new_document("let a"), "javascript", theme) for _ in range(3)]
    Turns.of(theme)._on_turn()
    assert threads == []
    await until(lambda: all(one.settled for one in all_of_them))
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    theme.deleteLater()


def test_the_frame_that_shows_a_key_comes_before_the_next_slice(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[int] = []
    document = new_document("let a = 1\n" * 2000)
    one = Highlighter(document, "javascript", theme)
    Turns.of(theme)._on_turn()
    one.work(0)
    monkeypatch.setattr(Leisure, "start", lambda _, pause: pauses.append(pause))
    Turns.of(theme)._on_turn()
    QTextCursor(document).insertText("x")
    assert pauses[1] > pauses[0]
    QTextCursor(document).insertText("x")  # postpones it once only
    assert len(pauses) == 2
    one.close()


@pytest.mark.qt_loop
async def test_without_pygments_texts_stay_plain(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ImportError("no such module")

    monkeypatch.setattr("studio_qt.ui.highlight.loading.make_grammars", fail)
    theme = Theme("dark")
    document = new_document("let a")
    one = Highlighter(document, "javascript", theme)
    await until(lambda: one.settled)
    assert drawn(document, theme) == [()]
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    theme.deleteLater()
