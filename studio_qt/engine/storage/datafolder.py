"""A folder of conversations with one writer."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from studio_qt.engine.storage.conversation import Conversation
from studio_qt.engine.storage.values import ConversationSummary

__all__ = ["DataFolder"]


class DataFolder:
    """A folder of conversations: one process writes, others read.

    `writable` is False when another process has the folder or it cannot be written; `refusal`
    says which, as a sentence. Then nothing in the folder is touched.
    """

    path: Path
    writable: bool
    refusal: str | None

    @classmethod
    async def open(
        cls, path: Path, *, package_hash: str, package_version: str | None = None
    ) -> DataFolder:
        """Open a folder, made when it is absent, for the package that is going to be played.

        Raises nothing where the folder cannot be written or made: then it is empty or read only.
        """
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def last_played(self) -> str | None:
        """The id that `mark_played` kept, else the conversation that changed last, else None."""
        raise NotImplementedError

    async def mark_played(self, conversation_id: str) -> None:
        """Remember which conversation to resume; without effect where nothing can be written."""
        raise NotImplementedError

    async def summaries(self) -> list[ConversationSummary]:
        """Return the conversations of the folder by their numbers."""
        raise NotImplementedError

    async def create(self, *, title: str = "") -> Conversation:
        """Start `conversation_NN` with the next free number; its file is there on return.

        Raises StorageError where the folder cannot be written; `blank` serves there.
        """
        raise NotImplementedError

    def blank(self) -> Conversation:
        """Return an empty conversation that is on no disk and cannot be changed."""
        raise NotImplementedError

    async def load(self, conversation_id: str) -> Conversation:
        """Open a conversation; the same object while it is open.

        Raises StudioError when there is none of this id, or when its file cannot be read and no
        journal has the rest; the file is set aside under a new name then, never overwritten.
        """
        raise NotImplementedError

    def set_package(self, package_hash: str, version: str | None) -> None:
        """Name the package that conversations are played with from now on, open ones too."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close what is open and release the folder; twice is harmless."""
        raise NotImplementedError
