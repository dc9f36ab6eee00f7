"""`ProjectFiles`: what is done to the files of the project, one thing at a time, each undoable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from studio_qt.errors import StorageError, StudioError
from studio_qt.files import operations
from studio_qt.files.atomic import write_atomic
from studio_qt.files.names import free_name
from studio_qt.files.paths import same_name
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.following import take_text
from studio_qt.ui.project.followup import Followed, FollowUp
from studio_qt.ui.project.listing import Edit, add_entry, remove_entry
from studio_qt.ui.project.scaffolds import Scaffold
from studio_qt.ui.project.sheets import ask_conflict, ask_yes
from studio_qt.ui.project.shelf import Kept, Shelf
from studio_qt.ui.tasks import sentence

if TYPE_CHECKING:
    from studio_qt.authoring.following import Following
    from studio_qt.ui.documents.documents import Documents

__all__ = ["ProjectFiles"]

_CONFIG = "config.json"
_MOST_STEPS = 50

Back = Callable[[], Awaitable[None]]
Trash = Callable[[Path, str], None]


class _Step:
    """Something that was done, and how it is taken back, which may go on where it failed."""

    def __init__(self, words: str, back: Back) -> None:
        self.words, self.back = words, back
        self.failed = False


class ProjectFiles(QObject):
    """Makes, moves, copies and deletes below the root; all file work is done in threads.

    `created` carries a new file, `made` whatever else comes, `moved` and `removed` what moves and
    goes, as soon as the disk has changed; `changed` follows each piece of work; `notice` carries a
    sentence and its kind. `over` is what questions lie over. What names a file follows it
    (`follow_up`), as part of the same step.
    """

    made = Signal(str)
    created = Signal(str)
    moved = Signal(str, str)
    removed = Signal(str)
    changed = Signal()
    notice = Signal(str, str)

    def __init__(
        self,
        desk: Desk,
        documents: Documents,
        over: Callable[[], QWidget],
        parent: QObject,
        *,
        trash: Trash = operations.to_trash,
    ) -> None:
        super().__init__(parent)
        self._desk, self._documents, self._over = desk, documents, over
        self._trash = trash
        self.follow_up = FollowUp(documents)
        self._root: Path | None = None
        self._steps: list[_Step] = []
        self._shelf = Shelf()
        self._one = asyncio.Lock()

    @property
    def can_undo(self) -> bool:
        """Whether there is something that can be taken back."""
        return bool(self._steps)

    def set_root(self, root: Path | None) -> None:
        """Work in another folder; what was done elsewhere can no longer be taken back."""
        self._root = root
        self._steps.clear()
        if root is not None:
            self._start(lambda: self._shelf.tidy(root), "shelf")

    # What a user does

    def make(self, scaffold: Scaffold, folder: str, typed: str) -> None:
        """Make a new file or folder of a kind."""
        self._start(lambda: self._make(scaffold, folder, typed), "new")

    def rename(self, path: str, name: str) -> None:
        """Give a file or folder another name."""
        folder = path.rpartition("/")[0]
        self._start(lambda: self._move([(path, _join(folder, name))], "Rename"), "rename")

    def move(self, paths: Sequence[str], folder: str) -> None:
        """Move files and folders into a folder."""
        pairs = [(path, _join(folder, _name(path))) for path in paths]
        pairs = [(old, new) for old, new in pairs if old != new]
        self._start(lambda: self._move(pairs, "Move"), "move")

    def copy(self, sources: Sequence[Path], folder: str) -> None:
        """Copy files and folders from anywhere into a folder; asks where a name is taken."""
        self._start(lambda: self._copy(sources, folder), "copy")

    def duplicate(self, paths: Sequence[str]) -> None:
        """Copy files and folders beside themselves."""
        self._start(lambda: self._duplicate(paths), "duplicate")

    def delete(self, paths: Sequence[str]) -> None:
        """Move files and folders to the trash; asks before anything is deleted for good."""
        self._start(lambda: self._delete(paths), "delete")

    def undo(self) -> None:
        """Take back what was done last."""
        self._start(self._undo, "undo")

    # How it is done

    async def _make(self, scaffold: Scaffold, folder: str, typed: str) -> None:
        root = self._here()
        name = scaffold.file_name(typed)
        path = _join(folder, name)
        if scaffold.kind == "folder":
            await asyncio.to_thread(operations.make_folder, root, path)
            self._note(f"New folder {path}", partial(self._remove_made, path, None))
            self.made.emit(path)
            return
        content = await asyncio.to_thread(lambda: scaffold.text(name).encode())
        await asyncio.to_thread(operations.make_file, root, path, content)
        entry = scaffold.entry(name) if scaffold.is_listed and folder == "agents" else None
        self._note(f"New file {path}", partial(self._remove_made, path, content, entry))
        self.created.emit(path)
        if entry is not None:
            await self._change_config(add_entry(entry), f"{path} is made, but not listed")

    async def _remove_made(
        self, path: str, content: bytes | None, entry: str | None = None
    ) -> None:
        root = self._here()
        if entry is not None:
            await self._change_config(remove_entry(entry), f"{entry} is still listed")
        if await asyncio.to_thread(_is_untouched, root / path, content):
            await asyncio.to_thread(operations.remove_for_good, root, path)
        else:
            await asyncio.to_thread(self._trash, root, path)
        self.removed.emit(path)

    async def _move(self, pairs: Sequence[tuple[str, str]], words: str) -> None:
        root = self._here()
        done: list[tuple[str, str]] = []
        kept: Kept = []
        try:
            for old, new in pairs:
                target = await self._free_target(old, new, kept)
                if target:
                    await self._move_one(root, old, target)
                    done.append((old, target))
        finally:
            if done or kept:
                shown = _name(pairs[0][0]) if len(pairs) == 1 else f"{len(pairs)} files"
                self._note(f"{words} {shown}", partial(self._move_back, done, kept))

    async def _free_target(self, old: str, new: str, kept: Kept) -> str | None:
        """Return where something may go; asks where the name is taken, and may make room."""
        root = self._here()
        if same_name(old) == same_name(new):
            return new
        return await self._make_room(root, new, kept)

    async def _make_room(self, root: Path, path: str, kept: Kept) -> str | None:
        folder, _, name = path.rpartition("/")
        taken = await asyncio.to_thread(operations.names_in, root, folder)
        clash = next((one for one in taken if same_name(one) == same_name(name)), None)
        if clash is None:
            return path
        answer = await ask_conflict(self._desk.theme, self._over(), name, folder)
        if answer == "both":
            return _join(folder, free_name(name, taken))
        if answer == "replace":
            old = _join(folder, clash)
            shelf = await self._shelf.keep(root, old)
            await asyncio.to_thread(operations.remove_for_good, root, old)
            kept.append((shelf, old))
            return path
        return None

    async def _move_one(self, root: Path, old: str, new: str) -> None:
        """Move a file or folder, and let follow what names it; going back follows likewise."""
        plan, failed = await self._plan(root, {old: new})
        await self._move_file(root, old, new)
        if failed is not None:
            raise StudioError(f"{new} is not known under its new name: {failed}") from failed
        if plan is not None:
            try:
                await self._follow(root, plan)
            except StudioError:
                await self._move_file(root, new, old)
                raise

    async def _move_file(self, root: Path, old: str, new: str) -> None:
        await asyncio.to_thread(operations.move_inside, root, old, new)
        self._documents.moved(old, new)
        self.moved.emit(old, new)

    async def _plan(
        self, root: Path, changes: Mapping[str, str | None]
    ) -> tuple[Following | None, StudioError | None]:
        """Return what is to follow, or why that cannot be known; the file itself may go on."""
        try:
            return await self.follow_up.plan(root, changes), None
        except StudioError as error:
            return None, error

    async def _follow(self, root: Path, plan: Following) -> Followed:
        """Let texts, conversations and default stores follow, and tell of it."""
        followed = await self.follow_up.perform(plan)
        moved: list[tuple[str, str]] = []
        try:
            for old, new in plan.files.items():
                if new is not None:
                    await self._move_file(root, old, new)
                    moved.append((new, old))
        except StudioError:
            for old, new in reversed(moved):
                await self._move_file(root, old, new)
            await followed.undo()
            raise
        if followed.words:
            self.notice.emit(followed.words, "info")
        return followed

    async def _move_back(self, done: list[tuple[str, str]], kept: Kept) -> None:
        root = self._here()
        while done:
            old, new = done[-1]
            await self._move_one(root, new, old)
            done.pop()
        await self._put_back(kept)

    async def _copy(self, sources: Sequence[Path], folder: str) -> None:
        root = self._here()
        made: list[str] = []
        kept: Kept = []
        try:
            for source in sources:
                target: str | None = _join(folder, source.name)
                if source == root / str(target):
                    taken = await asyncio.to_thread(operations.names_in, root, folder)
                    target = _join(folder, free_name(source.name, taken))
                elif target is not None:
                    target = await self._make_room(root, target, kept)
                if target is not None:
                    await asyncio.to_thread(operations.copy_in, source, root, target)
                    made.append(target)
                    self.made.emit(target)
        finally:
            if made or kept:
                one = len(sources) == 1
                words = f"Copy {sources[0].name}" if one else f"Copy {len(sources)} files"
                self._note(words, partial(self._remove_copies, made, kept))

    async def _duplicate(self, paths: Sequence[str]) -> None:
        root = self._here()
        for path in paths:
            await self._copy([root / path], path.rpartition("/")[0])

    async def _remove_copies(self, made: list[str], kept: Kept) -> None:
        root = self._here()
        while made:
            await asyncio.to_thread(self._trash, root, made[-1])
            self.removed.emit(made.pop())
        await self._put_back(kept)

    async def _delete(self, paths: Sequence[str]) -> None:
        root = self._here()
        kept: Kept = []
        followed: list[Followed] = []
        gone = 0
        try:
            for path in paths:
                plan, _ = await self._plan(root, {path: None})
                if not await self._delete_one(root, path, kept):
                    continue
                gone += 1
                for default in plan.files if plan is not None else ():
                    await self._delete_one(root, default, kept)
                if plan is not None:
                    followed.append(await self._follow(root, plan))
        finally:
            if kept:
                shown = _name(paths[0]) if gone == 1 else f"{gone} files"
                self._note(f"Delete {shown}", partial(self._undelete, kept, followed))
        if gone:
            shown = f"“{_name(paths[0])}” is" if gone == 1 else f"{gone} files are"
            keys = QKeySequence("Ctrl+Z").toString(QKeySequence.SequenceFormat.NativeText)
            ending = f" {keys} in the tree brings it back." if kept else ""
            self.notice.emit(f"{shown} deleted.{ending}", "info")

    async def _delete_one(self, root: Path, path: str, kept: Kept) -> bool:
        shelf = await self._shelf.try_to_keep(root, path)
        if not await self._throw_away(root, path, kept=shelf is not None):
            return False
        if shelf is not None:
            kept.append((shelf, path))
        self.removed.emit(path)
        return True

    async def _undelete(self, kept: Kept, followed: list[Followed]) -> None:
        await self._put_back(kept)
        while followed:
            await followed.pop().undo()

    async def _throw_away(self, root: Path, path: str, *, kept: bool) -> bool:
        try:
            await asyncio.to_thread(self._trash, root, path)
        except StorageError as error:
            if not await asyncio.to_thread((root / path).exists):
                raise
            lines = [str(error), "It can be deleted without the trash instead."]
            if not kept:
                lines.append("Then nothing brings it back.")
            if not await ask_yes(
                self._desk.theme,
                self._over(),
                f"Delete “{_name(path)}” for good?",
                lines,
                name="deleteForGood",
                yes="Delete for good",
            ):
                return False
            await asyncio.to_thread(operations.remove_for_good, root, path)
        return True

    async def _put_back(self, kept: Kept) -> None:
        root = self._here()
        while kept:
            shelf, path = kept[-1]
            target = await self._free_place(root, path)
            await asyncio.to_thread(operations.put_back, shelf, root, target)
            kept.pop()
            self.made.emit(target)
            if target != path:
                self.notice.emit(f"There is another {path} by now; it is back as {target}.", "info")

    async def _free_place(self, root: Path, path: str) -> str:
        """Return where something comes back to: beside what has its name meanwhile."""
        folder, _, name = path.rpartition("/")
        taken = await asyncio.to_thread(operations.names_in, root, folder)
        return _join(folder, free_name(name, taken))

    async def _undo(self) -> None:
        """Take back the last step; one that fails is tried once more, and then forgotten."""
        if not self._steps:
            self.notice.emit("There is nothing to undo in the tree.", "info")
            return
        step = self._steps.pop()
        try:
            await step.back()
        except StudioError:
            if not step.failed:
                step.failed = True
                self._steps.append(step)
            raise
        self.notice.emit(f"Undone: {step.words}.", "info")

    async def _change_config(self, change: Edit, failed: str) -> None:
        """Change config.json: in its editor as one step where it is open, else on the disk."""
        from studio_qt.package.rewrite import rewrite_config

        root = self._here()
        document = self._documents.find(_CONFIG)
        try:
            if document is None:
                await asyncio.to_thread(_change_file, root / _CONFIG, change)
                return
            was_saved = not document.modified
            await take_text(document, rewrite_config(document.plain, change))
            if was_saved:
                await self._documents.save(document)
        except ValueError as error:
            raise StudioError(
                f"{failed}: {_CONFIG} cannot be read ({error}). Mend it first."
            ) from error

    # Helpers

    def _here(self) -> Path:
        if self._root is None:
            raise StudioError("No project is open; open one first.")
        return self._root

    def _note(self, words: str, back: Back) -> None:
        self._steps.append(_Step(words, back))
        del self._steps[:-_MOST_STEPS]

    def _start(self, work: Back, name: str) -> None:
        async def one_at_a_time() -> None:
            async with self._one:
                try:
                    await work()
                finally:
                    self.changed.emit()

        self._desk.tasks.start(one_at_a_time(), name=f"files: {name}", on_error=self._on_error)

    def _on_error(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")


def _change_file(place: Path, change: Edit) -> None:
    from studio_qt.package.rewrite import rewrite_config

    try:
        text = place.read_bytes().decode("utf-8")
    except FileNotFoundError:
        text = "{}\n"
    except OSError as error:
        raise StorageError(f"{_CONFIG} cannot be read: {error.strerror}.") from error
    write_atomic(place, rewrite_config(text, change))


def _is_untouched(place: Path, content: bytes | None) -> bool:
    """Whether a new file still has its first content, or a new folder is still empty."""
    try:
        return not any(place.iterdir()) if content is None else place.read_bytes() == content
    except OSError:
        return True


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
