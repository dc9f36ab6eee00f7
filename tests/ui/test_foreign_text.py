"""Names and texts of a package are shown letter by letter, never as markup of the window."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QAction, Qt, QTextDocument
from PySide6.QtWidgets import QAbstractItemView, QLabel, QTabBar, QWidget

import studio_qt.ui
from studio_qt.ui.widgets.tips import plain_tip
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage

EVIL = '<img src="file:///etc/x.png"><b>bold</b> <a href="http://e.example">here</a> & &File'
_ROLES = (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.StatusTipRole)
_SET = {"setToolTip": 0, "setTabToolTip": 1, "showText": 1}


@pytest.mark.parametrize("text", [EVIL, "<b>x</b>", "a < b\n  <i>c", "plain & simple", ""])
def test_a_tip_shows_its_text_letter_by_letter(text: str) -> None:
    tip = plain_tip(text)
    if Qt.mightBeRichText(tip):
        shown = QTextDocument()
        shown.setHtml(tip)
        assert shown.toRawText().replace("\u2028", "\n").replace("\u2029", "\n") == text
    else:
        assert tip == text


def test_every_tip_of_a_variable_text_goes_through_plain_tip() -> None:
    """The whole kind at once: also the tips that come in future."""
    folder = Path(studio_qt.ui.__file__).parent
    found = [
        f"{place.relative_to(folder)}:{line}"
        for place in sorted(folder.rglob("*.py"))
        for line in raw_tips(ast.parse(place.read_text(encoding="utf-8")))
    ]
    assert found == []


def raw_tips(tree: ast.Module) -> Iterator[int]:
    """Yield the lines where a tip may be rich text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            at = _SET.get(node.func.attr)
            if at is not None and len(node.args) > at and not is_plain(node.args[at], tree):
                yield node.lineno
        elif isinstance(node, ast.FunctionDef):
            said = ast.unparse(node)
            if "ToolTipRole" in said and "plain_tip(" not in said:
                yield node.lineno


def is_plain(tip: ast.expr, tree: ast.Module) -> bool:
    if isinstance(tip, ast.Constant):
        return True
    if isinstance(tip, ast.Name):
        made = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == tip.id
        ]
        return bool(made) and all(is_plain(value, tree) for value in made)
    return isinstance(tip, ast.Call) and ast.unparse(tip.func) == "plain_tip"


@pytest.mark.qt_loop
async def test_a_hostile_package_draws_nothing_in_the_window(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    name = "a<b>bold<i>&x.txt"
    folder = write_package(tmp_path / "a<b>folder&x", {name: EVIL, f"agents/{name}": EVIL})
    config = json.loads((folder / "config.json").read_text())
    config |= {"name": EVIL[:60], "agents": ["test.roller", EVIL]}
    (folder / "config.json").write_text(json.dumps(config))
    for file in ("description.txt", "intro.txt"):
        (folder / file).write_text(EVIL)
    stage = await stage_on(folder)
    pages = stage.window.pages
    await pages.editors.open(name)
    stage.window.session.toast.emit(EVIL, "info")
    pages.palette.open_everything()
    await until(pages.palette.isVisible)
    assert list(drawn(stage.window)) == []
    pages.palette.hide()
    pages.show_start()
    await until(lambda: pages.start.settled)
    assert list(drawn(stage.window)) == []


def drawn(window: QWidget) -> Iterator[str]:
    """Yield what would be shown as rich text although it is foreign."""
    for one in window.findChildren(QWidget):
        tips = [one.toolTip(), one.statusTip()]
        if isinstance(one, QTabBar):
            tips += [one.tabToolTip(number) for number in range(one.count())]
        if isinstance(one, QLabel) and one.textFormat() is not Qt.TextFormat.PlainText:
            tips.append(one.text())
        if isinstance(one, QAbstractItemView) and one.model() is not None:
            tips += [str(index.data(role) or "") for index in rows(one) for role in _ROLES]
        bad = [tip for tip in tips if Qt.mightBeRichText(tip) and not tip.startswith("<span style")]
        yield from (f"{type(one).__name__} {one.objectName()}: {tip}" for tip in bad)
    for action in window.findChildren(QAction):
        if "<b>" in action.text() and "&" in action.text().replace("&&", ""):
            yield action.text()


def rows(view: QAbstractItemView, under: QModelIndex | None = None) -> Iterator[QModelIndex]:
    """Yield what a view can show, down to the folders of the project."""
    model = view.model()
    for number in range(min(100, model.rowCount(under or QModelIndex()))):
        index = model.index(number, 0, under or QModelIndex())
        yield index
        yield from rows(view, index)
