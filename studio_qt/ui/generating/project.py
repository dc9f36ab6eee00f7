"""What Generate and Polish read of the open project; fit for other threads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtGui import QTextCursor

from studio_qt.authoring.generating_texts import CharacterTexts
from studio_qt.authoring.textkinds import TextKind
from studio_qt.errors import PackageError
from studio_qt.files import FolderSource, OverlaySource
from studio_qt.files.source import Source
from studio_qt.package.config import read_config
from studio_qt.package.resolver import DEFAULTS, build_resolver
from studio_qt.package.texts import read_texts
from studio_qt.ui.documents.plain import from_document

__all__ = ["read_character", "read_places", "selection_of", "source_of"]


def source_of(root: Path, buffers: Mapping[str, str]) -> Source:
    """Return the project as it plays, unsaved text included."""
    return OverlaySource(buffers, FolderSource(root))


def read_places(source: Source) -> Mapping[str, str | None]:
    """Return where the texts lie; where they usually do, while config.json cannot be read."""
    try:
        config = read_config(source)
    except PackageError:
        return DEFAULTS
    resolver, _problems = build_resolver(source, config.data.get("fileMappings"), config.places)
    return resolver.paths


def read_character(source: Source) -> CharacterTexts:
    """Return name and texts of the character; raises PackageError where there is none."""
    config = read_config(source)
    resolver, _problems = build_resolver(source, config.data.get("fileMappings"), config.places)
    texts = read_texts(resolver)
    found: dict[TextKind, str] = {
        "instructions": texts.instructions or "",
        "description": texts.description or "",
        "introduction": texts.introduction or "",
    }
    return CharacterTexts(config.text_of("name") or "", found)


def selection_of(cursor: QTextCursor) -> tuple[int, int] | None:
    """Return what is selected, in characters of the document's text; None for nothing."""
    if not cursor.hasSelection():
        return None
    units = cursor.document().toRawText().encode("utf-16-le", "surrogatepass")

    def index(position: int) -> int:
        text = units[: 2 * position].decode("utf-16-le", "surrogatepass")
        return len(from_document(text.replace("\u2029", "\n")))

    return index(cursor.selectionStart()), index(cursor.selectionEnd())
