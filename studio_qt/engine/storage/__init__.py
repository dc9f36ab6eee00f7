"""Conversations on disk: a journal that is the truth, snapshots and store files beside it."""

from studio_qt.engine.storage.conversation import Conversation
from studio_qt.engine.storage.datafolder import DataFolder
from studio_qt.engine.storage.moving import (
    MovedStore,
    MovedStores,
    move_stores,
    put_stores_back,
)
from studio_qt.engine.storage.removing import Removed, Trash
from studio_qt.engine.storage.values import AgentLogLine, ConversationSummary

__all__ = [
    "AgentLogLine",
    "Conversation",
    "ConversationSummary",
    "DataFolder",
    "MovedStore",
    "MovedStores",
    "Removed",
    "Trash",
    "move_stores",
    "put_stores_back",
]
