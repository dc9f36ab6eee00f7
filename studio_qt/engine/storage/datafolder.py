"""A folder of conversations with one writer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from studio_qt.engine.storage import names, opening
from studio_qt.engine.storage.conversation import Conversation
from studio_qt.engine.storage.listing import Listed, list_conversations
from studio_qt.engine.storage.reading import read_entries
from studio_qt.engine.storage.removing import Removed, Trash, put_files_back, remove_files
from studio_qt.engine.storage.snapshot import PackageName
from studio_qt.engine.storage.threads import unbroken
from studio_qt.engine.storage.values import ConversationSummary
from studio_qt.errors import ClosedError, StorageError, StudioError
from studio_qt.files import FolderLock, remove_leftovers, storage_errors, write_atomic
from studio_qt.jsontext import JsonObject, decode_object, encode

__all__ = ["DataFolder"]

_MOST = 10**9
"""Numbers of conversations are below it."""


class DataFolder:
    """A folder of conversations: one process writes, others read.

    `writable` is False when another process has the folder or it cannot be written; `refusal`
    says which, as a sentence. Then nothing in the folder is touched.
    """

    def __init__(
        self, path: Path, package: PackageName, lock: FolderLock | None, refusal: str | None
    ) -> None:
        """Use `open`."""
        self._path = path
        self._package = package
        self._lock = lock
        self._refusal = refusal
        self._open: dict[str, Conversation] = {}
        self._last_played: str | None = None
        self._opening = asyncio.Lock()
        self._listing = asyncio.Lock()
        self._listed: Listed = {}
        self._highest = 0
        self._closed = False

    @classmethod
    async def open(
        cls, path: Path, *, package_hash: str, package_version: str | None = None
    ) -> DataFolder:
        """Open a folder, made when it is absent, for the package that is going to be played.

        Without a hash, conversations that change go on saying what they were played with last.
        Raises nothing where the folder cannot be written or made: then it is empty or read only.
        """
        lock = FolderLock(path)
        refusal = await asyncio.to_thread(_take, path, lock)
        package = PackageName(package_hash, package_version)
        folder = cls(path, package, lock if refusal is None else None, refusal)
        folder._last_played, folder._highest = await asyncio.to_thread(_last_played, path)
        return folder

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def writable(self) -> bool:
        """Whether this process writes here."""
        return self._lock is not None

    @property
    def refusal(self) -> str | None:
        """Why nothing can be written, naming the process that has the folder; None if it can."""
        return self._refusal

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def is_open(self, conversation_id: str) -> bool:
        """Whether a conversation is open here."""
        known = self._open.get(conversation_id)
        return known is not None and not known.closed

    @property
    def last_played(self) -> str | None:
        """The id that `mark_played` kept, else the conversation that changed last, else None."""
        return self._last_played

    async def mark_played(self, conversation_id: str) -> None:
        """Remember which conversation to resume; without effect where nothing can be written."""
        names.check_conversation_id(conversation_id)
        path = self._path / names.LAST_PLAYED
        if not self.writable or (conversation_id == self._last_played and path.exists()):
            return
        self._last_played = conversation_id
        self._write_last_played()

    async def summaries(self) -> list[ConversationSummary]:
        """Return the conversations of the folder by their numbers; raises StorageError."""
        opened = [known for known in self._open.values() if not known.closed]
        without = frozenset(conversation.id for conversation in opened)
        async with self._listing:
            found = await unbroken(lambda: list_conversations(self._path, without, self._listed))
        for conversation in opened:
            found[conversation.id] = conversation.summary()
        return [found[key] for key in sorted(found, key=names.order)]

    async def create(
        self, *, title: str = "", fork_of: Conversation | None = None, fork_entry: str = ""
    ) -> Conversation:
        """Start `conversation_NN` with the next free number; its file is there on return.

        A fork remembers where it came from, so that `stores_after` knows the turns before it, and
        its main model; `fork_entry` is the id of the last entry that it takes along. Entries,
        stores and the counter are the caller's to copy. Raises StorageError where the
        folder cannot be written; `blank` serves there.
        """
        self._check()
        if self._refusal is not None:
            raise StorageError(self._refusal)
        async with self._opening:
            conversation_id = self._free_id()
            parent = None if fork_of is None else (fork_of.id, fork_of.journal_line)
            made = await opening.begin(
                self._path,
                conversation_id,
                self._package,
                title=title,
                parent=parent,
                parent_entry=fork_entry,
                main_model="" if fork_of is None else fork_of.main_model,
            )
            self._open[conversation_id] = made
        return made

    def blank(self) -> Conversation:
        """Return an empty conversation that is on no disk and cannot be changed."""
        refusal = self._refusal or f"{self._path} holds no conversation yet; start one."
        return opening.blank(self._path, names.free_conversation_id(()), self._package, refusal)

    async def load(self, conversation_id: str) -> Conversation:
        """Open a conversation; the same object while it is open.

        Raises StudioError when there is none of this id, or when its file cannot be read and no
        journal has the rest; the file is set aside under a new name then, never overwritten.
        """
        self._check()
        names.check_conversation_id(conversation_id)
        async with self._opening:
            known = self._open.get(conversation_id)
            if known is not None and not known.closed:
                return known
            if self._refusal is None:
                loaded = await opening.load(self._path, conversation_id, self._package)
            else:
                loaded = await opening.look_at(
                    self._path, conversation_id, self._package, self._refusal
                )
            self._open[conversation_id] = loaded
        return loaded

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation a title, whether it is open or not; raises as `load` does.

        "" takes the first words of the first user entry.
        """

        async def rename(conversation: Conversation) -> None:
            conversation.rename(title or conversation.first_words())

        await self.change(conversation_id, rename)

    async def change(
        self, conversation_id: str, act: Callable[[Conversation], Awaitable[None]]
    ) -> None:
        """Change a conversation, whether it is open or not; raises as `load` and `act` do."""
        self._check()
        names.check_conversation_id(conversation_id)
        async with self._opening:
            known = self._open.get(conversation_id)
            if known is not None and not known.closed:
                await act(known)
                await known.checkpoint()
                return
            loaded = await opening.load(self._path, conversation_id, self._package)
            try:
                await act(loaded)
            finally:
                await loaded.close()

    async def read_entries(self, conversation_id: str) -> list[JsonObject]:
        """Return the entries of a conversation without opening it; raises as `load` does.

        They may be the kept ones: do not change them.
        """
        self._check()
        names.check_conversation_id(conversation_id)
        known = self._open.get(conversation_id)
        if known is not None and not known.closed:
            return known.entries()
        return await asyncio.to_thread(read_entries, self._path, conversation_id)

    async def remove(self, conversation_id: str, keep_in: Path | None, trash: Trash) -> Removed:
        """Move all files of a conversation that is not open away with `trash`; see `remove_files`.

        Its number is not given out again. Raises StudioError while it is open or where there is
        none, StorageError.
        """
        self._check()
        names.check_conversation_id(conversation_id)
        async with self._opening:
            known = self._open.pop(conversation_id, None)
            if known is not None and not known.closed:
                self._open[conversation_id] = known
                raise StudioError(f"{conversation_id} is open; open another one first.")
            if self._refusal is not None:
                raise StorageError(self._refusal)
            self._highest = max(self._highest, names.number_of(conversation_id))
            self._write_last_played()
            return await unbroken(lambda: remove_files(self._path, conversation_id, keep_in, trash))

    async def put_back(self, removed: Removed) -> None:
        """Bring a removed conversation back; raises StorageError, and then nothing has come."""
        self._check()
        async with self._opening:
            if self._refusal is not None:
                raise StorageError(self._refusal)
            await unbroken(lambda: put_files_back(self._path, removed))

    def set_package(self, package_hash: str, version: str | None) -> None:
        """Name the package that conversations are played with from now on, open ones too."""
        self._package = PackageName(package_hash, version)
        for conversation in self._open.values():
            conversation.set_package(package_hash, version)

    async def close(self) -> None:
        """Close what is open and release the folder; twice is harmless.

        Raises the StorageError of a conversation that could not be written, after all is closed.
        """
        if self._closed:
            return
        self._closed = True
        try:
            ends = [conversation.close() for conversation in self._open.values()]
            results = await asyncio.gather(*ends, return_exceptions=True)
        finally:
            if self._lock is not None:
                self._lock.release()
        for result in results:
            if isinstance(result, BaseException):
                raise result

    def _check(self) -> None:
        if self._closed:
            raise ClosedError(f"The data folder {self._path} has been closed; open it again.")

    def _free_id(self) -> str:
        with storage_errors(self._path):
            found = (entry.name for entry in self._path.iterdir())
            return names.free_conversation_id(found, self._highest)

    def _write_last_played(self) -> None:
        kept: JsonObject = {"conversation": self._last_played}
        if self._highest:
            kept["highest"] = self._highest
        write_atomic(self._path / names.LAST_PLAYED, encode(kept), durable=False)


def _take(path: Path, lock: FolderLock) -> str | None:
    """Take the lock; returns why this process may not write, or None."""
    try:
        holder = lock.try_acquire()
        if holder is None:
            remove_leftovers(path)
    except StorageError as error:
        lock.release()
        return str(error)
    if holder is None:
        return None
    return (
        f"The folder {path} is being used by {holder}; close the character there, then "
        "open it here again, to go on writing."
    )


def _last_played(path: Path) -> tuple[str | None, int]:
    """Return the conversation to resume, and the highest number of one that was removed."""
    highest = 0
    try:
        kept = decode_object((path / names.LAST_PLAYED).read_bytes())
        found, number = kept.get("conversation"), kept.get("highest")
        highest = number if isinstance(number, int) and 0 < number < _MOST else 0
        if isinstance(found, str) and names.snapshot_path(path, found).is_file():
            return names.check_conversation_id(found), highest
    except (OSError, ValueError, StudioError):
        kept = {}  # then the newest is the one
    newest = max(
        list_conversations(path).values(),
        key=lambda found: (found.readable, found.updated, names.order(found.id)),
        default=None,
    )
    return (None if newest is None else newest.id), highest
