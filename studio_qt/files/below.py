"""Every file below a folder of a source, however deep."""

from __future__ import annotations

from collections.abc import Iterator

from studio_qt.files.archive import ZipSource
from studio_qt.files.overlay import folder_of
from studio_qt.files.source import Source
from studio_qt.files.tree import walk_tree

__all__ = ["files_below"]


def files_below(source: Source, folder: str) -> Iterator[str]:
    """Yield the paths of the files in and below a folder; nothing where it is absent.

    Links to folders are not followed. A source that is neither folder nor zip tells the files
    directly in the folder.
    """
    root = folder_of(source)
    if root is not None:
        if (root / folder).is_dir():
            found = walk_tree(root, inside=folder.rstrip("/"))
            yield from (one.path for one in found if not one.is_folder)
    elif isinstance(source, ZipSource):
        prefix = f"{folder.rstrip('/')}/" if folder else ""
        yield from (path for path in source.paths if path.startswith(prefix))
    else:
        yield from (f"{folder}/{name}" for name in source.list_folder(folder))
