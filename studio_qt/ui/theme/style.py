"""The one stylesheet, made from a token table."""

from __future__ import annotations

from studio_qt.ui.theme.fonts import mono_families
from studio_qt.ui.theme.tokens import Tokens

__all__ = ["stylesheet"]

_SHEET = """
* { outline: none; }
QWidget { color: {{fg}}; }
QMainWindow, QDialog, #pages, #chatPage, #openingPage { background: {{bg1}}; }
QToolTip {
    background: {{bg3}}; color: {{fg}}; border: 1px solid {{line2}}; padding: 4px 6px;
}

/* words */
QLabel { background: transparent; }
QLabel[role="second"] { color: {{fg2}}; font-size: 12px; }
QLabel[role="quiet"] { color: {{fg3}}; font-size: 12px; }
QLabel[role="name"] { font-weight: 600; }
QLabel[role="title"] { font-size: 15px; font-weight: 600; }
QLabel[role="display"] { font-size: 22px; font-weight: 600; }
QLabel[role="caps"] { color: {{fg3}}; font-size: 11px; font-weight: 600; letter-spacing: 0.8px; }
QLabel[role="ok"] { color: {{ok}}; font-size: 12px; }
QLabel[role="warn"] { color: {{warn}}; }
QLabel[role="err"] { color: {{err}}; }
QLabel[role="mono"] { font-family: {{mono}}; font-size: 12px; color: {{fg2}}; }
QLabel[role="toolName"] { font-family: {{mono}}; font-size: 12px; color: {{fn}}; }
QLabel[role="pill"] {
    background: {{violetbg}}; color: {{accent2}}; border-radius: 10px;
    padding: 3px 10px; font-size: 11px; font-weight: 600;
}
QLabel[role="pillQuiet"] {
    background: {{bg3}}; color: {{fg2}}; border-radius: 10px;
    padding: 3px 10px; font-size: 11px; font-weight: 600;
}
QLabel[role="pillWarn"] {
    background: {{amberbg}}; color: {{warn}}; border-radius: 10px;
    padding: 3px 10px; font-size: 11px; font-weight: 600;
}
QLabel[role="key"] {
    font-family: {{mono}}; font-size: 11px; color: {{fg2}};
    background: {{bg3}}; border-radius: 4px; padding: 1px 5px;
}
QWidget[role="separator"] { background: {{line}}; }

/* buttons */
QPushButton {
    min-height: 26px; padding: 0 12px; border-radius: 6px; font-weight: 500;
    background: {{bg3}}; border: 1px solid {{ctl}};
}
QPushButton:hover { background: {{hover}}; border-color: {{fg3}}; }
QPushButton:pressed { background: {{sel}}; }
QPushButton:focus { border: 2px solid {{ring}}; padding: 0 11px; min-height: 24px; }
QPushButton:disabled { background: {{bg1}}; color: {{fg3}}; border: 1px dashed {{ctl}}; }
QPushButton[kind="primary"] { background: {{btn}}; color: {{onaccent}}; border-color: {{btn}}; }
QPushButton[kind="primary"]:hover { border-color: {{fg3}}; }
QPushButton[kind="primary"]:focus { border-color: {{fg}}; }
QPushButton[kind="warn"] { background: transparent; color: {{warn}}; border-color: {{warn}}; }
QPushButton[kind="warn"]:hover { background: {{hover}}; }
QPushButton[kind="warn"]:focus { border-color: {{ring}}; }
QPushButton[kind="link"] {
    background: transparent; color: {{accent2}}; border: 1px solid transparent; padding: 0 6px;
}
QPushButton[kind="link"]:hover { background: {{hover}}; }
QPushButton[kind="link"]:focus { border: 2px solid {{ring}}; padding: 0 5px; }
QPushButton[kind="float"] {
    background: {{bg3}}; border: 1px solid {{line2}}; border-radius: 15px; min-height: 28px;
    padding: 0 14px 0 10px; font-size: 12px;
}
QPushButton[kind="float"]:hover { border-color: {{fg3}}; }
QPushButton[kind="float"]:focus { border: 2px solid {{ring}}; padding: 0 13px 0 9px; }
QPushButton[kind="fold"] {
    background: transparent; border: 1px solid transparent; border-radius: 4px; text-align: left;
    padding: 0 6px; min-height: 24px; color: {{fg2}}; font-size: 12px; font-weight: 400;
}
QPushButton[kind="fold"]:hover { background: {{hover}}; color: {{fg}}; }
QPushButton[kind="fold"]:focus { border: 2px solid {{ring}}; padding: 0 5px; min-height: 22px; }
QPushButton[kind="field"] {
    background: {{bg2}}; border: 1px solid {{line}}; text-align: left; min-height: 26px;
}
QPushButton[kind="field"]:hover { background: {{hover}}; border-color: {{ctl}}; }
QPushButton[kind="field"]:focus { border: 2px solid {{ring}}; min-height: 24px; }
QPushButton[kind="card"] {
    background: {{bg2}}; border: 1px solid {{line}}; border-radius: 8px; padding: 0; min-height: 0;
    text-align: left; font-weight: 400;
}
QPushButton[kind="card"]:hover { background: {{hover}}; border-color: {{fg3}}; }
QPushButton[kind="card"]:pressed { background: {{sel}}; }
QPushButton[kind="card"]:focus { border: 2px solid {{ring}}; padding: 0; min-height: 0; }
QPushButton[kind="card"]:disabled { background: {{bg1}}; border: 1px dashed {{ctl}}; }

QToolButton { border: 1px solid transparent; background: transparent; border-radius: 6px; }
QToolButton[kind="icon"] { min-width: 26px; min-height: 26px; }
QToolButton[kind="tiny"] { min-width: 18px; min-height: 18px; border-radius: 4px; }
QToolButton:hover { background: {{hover}}; }
QToolButton:pressed, QToolButton:checked { background: {{sel}}; }
QToolButton:focus { border: 2px solid {{ring}}; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton[kind="send"] {
    background: {{btn}}; min-width: 30px; min-height: 30px; border-radius: 7px;
}
QToolButton[kind="send"]:hover { background: {{btn}}; border: 1px solid {{fg3}}; }
QToolButton[kind="send"]:focus { border: 2px solid {{fg}}; }
QToolButton[kind="send"]:disabled { background: {{bg1}}; border: 1px dashed {{ctl}}; }

/* menus and bars */
QMenuBar { background: {{bg0}}; padding: 4px 8px; border-bottom: 1px solid {{line}}; }
QMenuBar::item { background: transparent; padding: 5px 9px; border-radius: 6px; }
QMenuBar::item:selected { background: {{hover}}; }
QMenuBar::item:pressed { background: {{sel}}; }
QMenu { background: {{bg3}}; border: 1px solid {{line2}}; padding: 5px; }
QMenu::item { padding: 6px 26px 6px 12px; border-radius: 4px; min-width: 150px; }
QMenu::item:selected { background: {{sel}}; }
QMenu::item:disabled { color: {{fg3}}; }
QMenu::separator { height: 1px; background: {{line2}}; margin: 5px 8px; }
QMenu::icon { padding-left: 8px; }
QStatusBar { background: {{bg0}}; border-top: 1px solid {{line}}; }
QStatusBar::item { border: none; }
#statusLine { background: {{bg0}}; border-top: 1px solid {{line}}; }
#chatHeader { background: {{bg1}}; border-bottom: 1px solid {{line}}; }

/* scrolling */
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical {
    background: {{ctl}}; border-radius: 3px; min-height: 32px; margin: 2px 3px;
}
QScrollBar::handle:vertical:hover { background: {{fg3}}; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle:horizontal {
    background: {{ctl}}; border-radius: 3px; min-width: 32px; margin: 3px 2px;
}
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea { background: transparent; border: none; }
QAbstractScrollArea#chatView:focus { border: none; }

/* the transcript */
#transcript { background: {{bg1}}; }
#prose { background: transparent; selection-background-color: {{btn}};
    selection-color: {{onaccent}}; }
#userBubble { background: {{user}}; border-radius: 10px; }
#aboutCard, #callCard { background: {{bg2}}; border: 1px solid {{line}}; border-radius: 8px; }
#logCard { background: {{code}}; border: 1px solid {{line}}; border-radius: 8px; }
#errorCard { background: {{redbg}}; border: 1px solid {{err}}; border-radius: 8px; }
#plate { background: {{code}}; border-radius: 6px; }

/* the field to write in */
#composer { background: {{bg2}}; border: 1px solid {{ctl}}; border-radius: 10px; }
#composer[ring="true"] { border: 2px solid {{ring}}; }
#chatInput { background: transparent; border: none; font-size: 14px; padding: 0; }

/* fields, lists */
QLineEdit {
    background: {{bg2}}; border: 1px solid {{ctl}}; border-radius: 6px; padding: 0 10px;
    min-height: 26px; selection-background-color: {{btn}}; selection-color: {{onaccent}};
}
QLineEdit:focus { border: 2px solid {{ring}}; padding: 0 9px; min-height: 24px; }
#paletteInput { font-size: 14px; min-height: 34px; border-radius: 8px; }
#paletteInput:focus { min-height: 32px; }
#commandInput { font-family: {{mono}}; font-size: 14px; min-height: 36px; border-radius: 8px; }
#commandInput:focus { min-height: 34px; }
QListView { background: transparent; border: none; }
QListView::item { min-height: 28px; border-radius: 6px; padding: 2px 8px; }
QListView::item:hover { background: {{hover}}; }
QListView::item:selected { background: {{sel}}; color: {{fg}}; }

/* dialogs over the window, bars, toasts */
QDialog[veil="true"] { background: transparent; }
#sheet { background: {{bg1}}; border: 1px solid {{line2}}; border-radius: 10px; }
#commandError {
    background: {{redbg}}; color: {{err}}; border: 1px solid {{err}}; border-radius: 6px;
    padding: 8px 12px 8px 36px;
}
QFrame#noticeBar, QFrame#problemsBar { background: {{amberbg}}; border-bottom: 1px solid {{line}}; }
QFrame#noticeBar[tone="err"], QFrame#problemsBar[tone="err"] { background: {{redbg}}; }
#problemsView { background: {{bg2}}; border-bottom: 1px solid {{line}}; padding: 4px 12px; }
#toast { background: {{bg3}}; border: 1px solid {{line2}}; border-radius: 8px; }
#toast[kind="error"] { border-color: {{err}}; }
#aboutText { background: transparent; }
"""


def stylesheet(tokens: Tokens) -> str:
    """Return the stylesheet of the application in the colours of `tokens`."""
    faces = ", ".join(f'"{family}"' for family in mono_families())
    return tokens.fill(_SHEET.replace("{{mono}}", faces))
