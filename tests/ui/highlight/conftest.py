"""A theme whose highlighters have their grammars at once, and grammars for tests without Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from studio_qt.ui.highlight.grammar import Grammar
from studio_qt.ui.highlight.loading import Grammars, make_grammars
from studio_qt.ui.highlight.turns import Turns
from studio_qt.ui.theme.theme import Theme


@pytest.fixture(scope="package")
def grammars() -> Mapping[str, Grammar]:
    return make_grammars()


@pytest.fixture
def theme(qapp: QApplication, grammars: Mapping[str, Grammar]) -> Iterator[Theme]:
    """A dark theme, not put on; its highlighters need not wait for a thread."""
    theme = Theme("dark")
    Turns(theme, grammars=Grammars(grammars))
    yield theme
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
