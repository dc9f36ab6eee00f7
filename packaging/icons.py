"""Draws the program's icon in all sizes and forms: `.venv/bin/python packaging/icons.py`.

Writes beside `resources/desktop/icons/studio-qt.svg`: PNG files for Linux, an .ico for Windows
and an .icns for macOS. The results are kept, so that no installation has to draw.
"""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "desktop" / "icons"
LINUX = (16, 24, 32, 48, 64, 128, 256)
WINDOWS = (16, 24, 32, 48, 256)
MACOS = {b"icp4": 16, b"icp5": 32, b"ic07": 128, b"ic08": 256, b"ic09": 512}


def main() -> None:
    """Draw everything anew."""
    source = QSvgRenderer(str(FOLDER / "studio-qt.svg"))
    drawn = {size: _png(source, size) for size in {*LINUX, *WINDOWS, *MACOS.values()}}
    for size in LINUX:
        (FOLDER / f"studio-qt-{size}.png").write_bytes(drawn[size])
    (FOLDER / "studio-qt.ico").write_bytes(_ico([(size, drawn[size]) for size in WINDOWS]))
    parts = b"".join(_part(kind, drawn[size]) for kind, size in MACOS.items())
    (FOLDER / "studio-qt.icns").write_bytes(_part(b"icns", parts))


def _png(source: QSvgRenderer, size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    source.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def _ico(pictures: list[tuple[int, bytes]]) -> bytes:
    head = struct.pack("<HHH", 0, 1, len(pictures))
    at = len(head) + 16 * len(pictures)
    entries = b""
    for size, data in pictures:
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), at)
        at += len(data)
    return head + entries + b"".join(data for _, data in pictures)


def _part(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack(">I", len(data) + 8) + data


if __name__ == "__main__":
    main()
