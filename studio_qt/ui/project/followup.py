"""`FollowUp`: lets config.json, prompts, defaults and conversations follow the files of agents."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio_qt.errors import StudioError
from studio_qt.ui.documents.rewriting import Rewritten, rewrite

if TYPE_CHECKING:
    from studio_qt.authoring.following import Following
    from studio_qt.engine.storage import MovedStores
    from studio_qt.ui.documents.documents import Documents
    from studio_qt.ui.storemoving import StoreMover

__all__ = ["FollowUp", "Followed"]

_MOST_NAMED = 2


class Followed:
    """What has followed; `undo` takes it back. `words` tells of it, as a sentence or ""."""

    def __init__(
        self,
        rewritten: Rewritten | None = None,
        stores: tuple[StoreMover, MovedStores] | None = None,
        words: str = "",
    ) -> None:
        self._rewritten, self._stores = rewritten, stores
        self.words = words

    async def undo(self) -> None:
        """Put texts and stores back; raises StudioError that names files changed meanwhile."""
        if self._stores is not None:
            mover, moved = self._stores
            await mover.put_stores_back(moved)
        stayed = await self._rewritten.undo() if self._rewritten is not None else ()
        if stayed:
            names = " and ".join(stayed)
            raise StudioError(
                f"{names} changed since and stays as it is; its earlier text is in its history."
            )


class FollowUp:
    """Finds and does what follows. `stores` moves those of conversations; None without any."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self.stores: StoreMover | None = None

    async def plan(self, root: Path, changes: Mapping[str, str | None]) -> Following:
        """Return what will follow; raises StudioError where config.json cannot be read."""
        return await asyncio.to_thread(_follow, root, self._documents.buffers, dict(changes))

    async def perform(self, plan: Following) -> Followed:
        """Change texts and move stores; raises StudioError, and then nothing has changed."""
        texts = {path: await self._documents.text_now(path) for path in plan.edits}
        changed = await asyncio.to_thread(_edited, plan, texts)
        rewritten = await rewrite(self._documents, changed, keep_unsaved=True)
        try:
            stores = await self._move_stores(plan.stores)
        except StudioError:
            await rewritten.undo()
            raise
        left = (*plan.left, *(stores[1].left if stores is not None else ()))
        return Followed(rewritten, stores, _words(rewritten.paths, left))

    async def _move_stores(
        self, moves: Mapping[str, str | None]
    ) -> tuple[StoreMover, MovedStores] | None:
        mover = self.stores if moves else None
        return None if mover is None else (mover, await mover.move_stores(moves))


def _follow(root: Path, buffers: Mapping[str, str], changes: dict[str, str | None]) -> Following:
    from studio_qt.authoring.following import follow
    from studio_qt.files import FolderSource, OverlaySource

    return follow(OverlaySource(buffers, FolderSource(root)), changes)


def _edited(plan: Following, texts: Mapping[str, str]) -> dict[str, str | None]:
    """Return the texts after their edits; raises StudioError for one that cannot be changed."""
    changed: dict[str, str | None] = {}
    for path, text in texts.items():
        try:
            changed[path] = plan.edits[path](text)
        except ValueError as error:
            raise StudioError(f"{path} cannot be read ({error}). Mend it first.") from error
    return changed


def _words(paths: Sequence[str], left: Sequence[str]) -> str:
    shown = " and ".join(paths) if len(paths) <= _MOST_NAMED else f"{len(paths)} files"
    return " ".join([*([f"{shown} followed."] if paths else []), *left])
