"""What is imported in these tests: zips and cards as other people's tools make them; drops."""

from __future__ import annotations

import json
import stat
import zipfile
from io import BytesIO
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from tests.support.window import ROLLER, Stage

__all__ = ["FILES", "REFUSED", "below", "drop", "packed", "reason", "said", "sheet_of"]

FILES = {
    "config.json": json.dumps(
        {"name": "Kay", "version": "2.1", "author": "Ines", "agents": ["test.roller"]}
    ),
    "description.txt": "Counts the tides.",
    "intro.txt": "“Hm.”",
    "agents/test.roller.js": ROLLER,
}


def packed(
    place: Path, files: dict[str, str], *, root: str = "", extra: dict[str, bytes] | None = None
) -> Path:
    """Write a zip; `root` is put before every name."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(f"{root}{path}", text)
        for path, data in (extra or {}).items():
            archive.writestr(path, data)
    return place


def _link() -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("config.json", "{}")
        entry = zipfile.ZipInfo("passwords")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return data.getvalue()


def _encrypted() -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("config.json", "{}")
    whole = bytearray(data.getvalue())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + at] |= 1
    return bytes(whole)


def _bomb() -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", "{}")
        for number in range(10_001):
            archive.writestr(f"a{number}", "")
    return data.getvalue()


def _outside() -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("config.json", "{}")
        archive.writestr("../out.txt", "x")
    return data.getvalue()


def _twice() -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("config.json", "{}")
        archive.writestr("A.txt", "x")
        archive.writestr("a.txt", "y")
    return data.getvalue()


REFUSED = {
    "link": (_link(), "is a link"),
    "encrypted": (_encrypted(), "without a password"),
    "entries": (_bomb(), "more than 10,000 entries"),
    "outside": (_outside(), "is refused"),
    "twice": (_twice(), "differ only in case"),
    "cut off": (b"PK\x03\x04 cut off", "download or export it again"),
    "no character": (b"Hm.", "is not a zip"),
}


def drop(target: QWidget, *places: Path, link: str = "") -> bool:
    """Drop files, or a link, on a widget; returns whether the drag was taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(place)) for place in places] or [QUrl(link)])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), *how, none)
    enter.ignore()
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(9, 9), *how, none))
    return enter.isAccepted()


def sheet_of(stage: Stage) -> QWidget:
    """Return the import sheet."""
    importing = stage.window.pages.receiving.importing
    assert importing is not None
    return importing.sheet


def said(stage: Stage) -> str:
    """Return everything that the import sheet says."""
    labels = sheet_of(stage).findChildren(QLabel)
    return "\n".join(one.text() for one in labels if one.isVisible())


def reason(stage: Stage) -> str:
    """Return why something was refused, "" while nothing was."""
    label = stage.window.findChild(QLabel, "importReason")
    return label.text() if label is not None and label.isVisible() else ""


def below(folder: Path) -> set[str]:
    """Return the paths of all files in a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in found}
