"""`Naming`: names typed in place, of new files and of those that are renamed."""

from __future__ import annotations

from PySide6.QtCore import QObject

from studio_qt.files.names import name_fault
from studio_qt.ui.project.following import TreeFollower
from studio_qt.ui.project.items import CONTEXT_GROUP, ROOT
from studio_qt.ui.project.model import DRAFT, ProjectModel
from studio_qt.ui.project.scaffolds import SCAFFOLDS, Scaffold
from studio_qt.ui.project.view import ProjectTree
from studio_qt.ui.project.work import ProjectFiles

__all__ = ["Naming"]


class Naming(QObject):
    """Begins to name a row, judges what is typed, and has it done."""

    def __init__(
        self,
        model: ProjectModel,
        follower: TreeFollower,
        files: ProjectFiles,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model, self._follower, self._files = model, follower, files
        self._new: tuple[Scaffold, str] | None = None
        model.named.connect(self._on_named)

    def begin(self, tree: ProjectTree, kind: str) -> None:
        """Add a row for a new file of a kind beside what is current, and let its name be typed."""
        scaffold = SCAFFOLDS[kind]
        parent, folder = self._place_for(scaffold, tree.folder_of(tree.current()))
        tree.expand(self._model.index_of(parent))
        self._new = (scaffold, folder)
        name = scaffold.file_name(scaffold.proposed)
        tree.name(self._model.add_draft(parent, scaffold.kind, folder, name))

    def rename(self, tree: ProjectTree) -> None:
        """Let the name of the current row be typed."""
        item = tree.current()
        if item is not None and (item.is_file or item.is_folder):
            tree.name(tree.currentIndex())

    def end(self) -> None:
        """Take the row of a new file away: it was made, or given up."""
        self._new = None
        self._model.drop_draft()

    def fault(self, key: str, name: str) -> str | None:
        """Return what is wrong with a name for a row, as a sentence, or None."""
        if key.startswith(DRAFT):
            if self._new is None:
                return None
            scaffold, folder = self._new
            return scaffold.fault(name, self._follower.names_in(folder))
        folder, _, old = key.rpartition("/")
        return name_fault(name, [one for one in self._follower.names_in(folder) if one != old])

    def _on_named(self, key: str, name: str) -> None:
        if key.startswith(DRAFT) and self._new is not None:
            self._files.make(*self._new, name)
        elif not key.startswith(DRAFT):
            self._files.rename(key, name)

    def _place_for(self, scaffold: Scaffold, here: str) -> tuple[str, str]:
        """Return the key below which a new file stands, and its folder."""
        if not scaffold.group:
            return self._key_of(here), here
        base = self._follower.layout_now.folder_of(scaffold.group)
        if scaffold.group == CONTEXT_GROUP and here.startswith(f"{base}/"):
            return here, here
        return scaffold.group, base

    def _key_of(self, folder: str) -> str:
        """Return the key of the row that holds a folder's files."""
        if folder and folder == self._follower.layout_now.context:
            return CONTEXT_GROUP
        if folder == "agents":
            return "group:agents"
        if not folder:
            other = "group:other"
            return other if self._model.index_of(other).isValid() else ROOT
        return folder
