"""`Destinations`: what the palette can go to, told from what is known already."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio_qt.ui.palette.page import Entry, Palette
from studio_qt.ui.widgets.filekinds import icon_of

if TYPE_CHECKING:
    from studio_qt.ui.chat.page import ChatPage
    from studio_qt.ui.project.page import ProjectPage
    from studio_qt.ui.recents import Recents
    from studio_qt.ui.session import StudioSession

__all__ = ["Destinations"]


class Destinations(QObject):
    """Gives a palette files, agents, tools, stores, commands, conversations, recent projects."""

    def __init__(
        self,
        palette: Palette,
        session: StudioSession,
        project: ProjectPage,
        chat: ChatPage,
        recents: Recents,
        open_file: Callable[[str], object],
        open_project: Callable[[Path], object],
        open_store: Callable[[str], object],
        try_tool: Callable[[str, str], object],
    ) -> None:
        super().__init__(palette)
        self._session, self._project, self._chat = session, project, chat
        self._recents = recents
        self._open_file, self._open_project = open_file, open_project
        self._open_store, self._try_tool = open_store, try_tool
        for kind, source in {
            "files": self._files,
            "agents": self._agents,
            "tools": self._tools,
            "stores": self._stores,
            "character": self._commands,
            "conversations": self._conversations,
            "projects": self._projects,
        }.items():
            palette.set_source(kind, source)

    def _files(self) -> list[Entry]:
        return [
            Entry(
                path.rpartition("/")[2],
                path.rpartition("/")[0],
                icon_of(path)[0],
                partial(self._open_file, path),
            )
            for path in self._project.paths
        ]

    def _agents(self) -> list[Entry]:
        player = self._session.player
        return [
            Entry(
                agent.id,
                agent.file,
                "sub-agent" if agent.is_sub_agent else "code",
                partial(self._open_file, agent.file),
            )
            for agent in (player.agents() if player is not None else ())
            if not agent.file.startswith("studio:")
        ]

    def _tools(self) -> list[Entry]:
        """Tools lead to their file; those that are built in have none, and are tried instead."""
        player = self._session.player
        return [
            Entry(
                tool,
                agent.id,
                "bolt",
                partial(self._try_tool, agent.id, tool)
                if agent.file.startswith("studio:")
                else partial(self._open_file, agent.file),
            )
            for agent in (player.agents() if player is not None else ())
            if agent.owner is None
            for tool in agent.tools
        ]

    def _stores(self) -> list[Entry]:
        player = self._session.player
        return [
            Entry(
                f"Store of {agent.id}",
                f"of {agent.owner} alone" if agent.owner else "",
                "lock" if agent.owner else "database",
                partial(self._open_store, agent.id),
            )
            for agent in (player.agents() if player is not None else ())
        ]

    def _commands(self) -> list[Entry]:
        player = self._session.player
        return [
            Entry(command, "", "at", partial(self._chat.open_command, command))
            for command in (player.commands() if player is not None else ())
        ]

    def _conversations(self) -> list[Entry]:
        return [
            Entry(
                title or conversation, conversation, "chat", partial(self._chat.load, conversation)
            )
            for conversation, title in self._chat.titles.items()
        ]

    def _projects(self) -> list[Entry]:
        return [
            Entry(
                recent.path.name,
                str(recent.path.parent),
                "folder",
                partial(self._open_project, recent.path),
            )
            for recent in self._recents.entries
        ]
