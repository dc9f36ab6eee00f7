"""`ProjectPage`: the files of the project in groups, and everything that is done to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.errors import Problem
from studio_qt.files import operations
from studio_qt.ui.desk import Desk
from studio_qt.ui.project.arranging import GROUPS, SUB_AGENTS
from studio_qt.ui.project.commands import FOR_FILES, FOR_NONE, NEW, add_actions, offer
from studio_qt.ui.project.following import TreeFollower
from studio_qt.ui.project.model import ProjectModel
from studio_qt.ui.project.naming import Naming
from studio_qt.ui.project.plusbutton import PlusButton
from studio_qt.ui.project.remembered import Folds, keep_folds, read_folds
from studio_qt.ui.project.stack import TreeStack
from studio_qt.ui.project.view import ProjectTree
from studio_qt.ui.project.work import ProjectFiles, Trash
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton
from studio_qt.ui.widgets.filekinds import kind_of
from studio_qt.ui.widgets.inputs import SearchField

if TYPE_CHECKING:
    from studio_qt.ui.documents.documents import Documents

__all__ = ["ProjectPage"]

_FILTER_MS = 80
_KEEP_MS = 500
_RETURN_MS = 1_000
_MOST_UNFOLDED = 1_000
"""Files that a filter may leave for all folders to be opened."""


class ProjectPage(QWidget):
    """The project tree under its name and a filter.

    `open_wanted` carries a path; `moved` and `removed` follow the disk; `notice` carries a
    sentence and its kind; `another_wanted` asks for another project, `sub_agent_wanted` for the
    form of a new sub-agent, `generate_wanted` for one that a model writes.
    """

    open_wanted = Signal(str)
    moved = Signal(str, str)
    removed = Signal(str)
    notice = Signal(str, str)
    another_wanted = Signal()
    sub_agent_wanted = Signal()
    edit_wanted = Signal(str)
    generate_wanted = Signal()

    def __init__(
        self,
        desk: Desk,
        documents: Documents,
        *,
        trash: Trash = operations.to_trash,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._desk, self._documents = desk, documents
        self._root: Path | None = None
        self._folds = Folds()
        self._unfolded: set[str] = set()
        self._wanted = ""
        self._then: Callable[[], None] | None = None
        self._model = ProjectModel(self)
        self._follower = TreeFollower(desk.tasks, self._model, documents.buffers, self)
        self.files = ProjectFiles(desk, documents, self.window, self, trash=trash)
        self._naming = Naming(self._model, self._follower, self.files, self)
        self.tree = ProjectTree(desk.theme, self._model, self._naming.fault)
        self._wand_of_sub_agents = PlusButton(
            desk.theme,
            self.tree,
            self._model,
            SUB_AGENTS,
            "sparkle",
            "Generate a sub-agent",
            "generateButton",
            before=True,
        )
        self._plus_of_sub_agents = PlusButton(desk.theme, self.tree, self._model, SUB_AGENTS)
        self._filter_timer = self._timer(_FILTER_MS, self._take_filter)
        self._keep_timer = self._timer(_KEEP_MS, self._keep)
        self._return_timer = self._timer(_RETURN_MS, self._follower.refresh)
        self._build()
        self._actions = add_actions(desk.actions, self._slots(), self.tree)
        self._edit = QAction("Edit in the Builder…", self)
        self._connect()

    @property
    def settled(self) -> bool:
        """Whether the rows are as the folder is and nothing is under way."""
        return self._follower.idle and not self._filter_timer.isActive()

    @property
    def paths(self) -> list[str]:
        """The files of the project, as far as they are known."""
        return self._follower.paths

    # What the window says

    def show_project(self, root: Path | None, name: str) -> None:
        """Show another project's folder; None for none."""
        self._keep()
        self._root = root
        self._name.set_whole(name)
        self._wanted, self._then = "", None
        self._return_timer.stop()
        self._filter.clear()
        self._model.set_problems({})
        self.files.set_root(root)
        self._follower.follow(None)
        if root is None:
            self._pages.say("projectNone")
        else:
            self._pages.show_tree()
        if root is not None:
            self._desk.tasks.start(self._begin(root), name="project folds")

    def count_after(self, before: Callable[[], Awaitable[None]]) -> None:
        """Wait for something that users need sooner, each time before tokens are counted."""
        self._follower.before_counts = before

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Mark the files that have problems."""
        worst: dict[str, str] = {}
        for problem in problems:
            if worst.get(problem.file) != "error":
                worst[problem.file] = problem.severity
        self._model.set_problems(worst)

    def files_changed(self, paths: frozenset[str]) -> None:
        """Look at the folder again where these paths changed; an empty set is anything."""
        if not paths or any(self._follower.concerns(path) for path in paths):
            self._follower.refresh()

    def select(self, path: str) -> None:
        """Show a file as the current one, as soon as it is there; the focus stays where it is."""
        self._wanted = path
        self._take_wanted()

    def focus_filter(self) -> None:
        """Put the focus into the filter field."""
        self._filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._filter.selectAll()

    # What the user asks for

    def begin_new(self, kind: str) -> None:
        """Add a row for a new file of a kind, whose name is typed in place."""
        if self._root is None or self._pages.said in ("projectNone", "projectGone"):
            self.notice.emit("Open a project first; new files belong to one.", "info")
            return
        if self._filter.text():
            self._then = partial(self.begin_new, kind)
            self._filter.clear()
            return
        self._naming.begin(self.tree, kind)

    def _delete(self) -> None:
        if paths := self._chosen():
            self.files.delete(paths)

    def _duplicate(self) -> None:
        if paths := self._chosen():
            self.files.duplicate(paths)

    def _copy(self) -> None:
        if paths := self._chosen():
            QGuiApplication.clipboard().setMimeData(self._model.mime_of(paths))

    def _copy_path(self) -> None:
        if paths := self._chosen():
            QGuiApplication.clipboard().setText("\n".join(paths))

    def _paste(self) -> None:
        data = QGuiApplication.clipboard().mimeData()
        urls = data.urls() if data is not None else []  # some systems give nothing at all
        local = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
        if local:
            self.files.copy(local, self.tree.folder_of(self.tree.current()))
        else:
            self.notice.emit("There are no files on the clipboard; copy some first.", "info")

    def _open(self) -> None:
        for item in self.tree.items():
            if item.is_file:
                self.open_wanted.emit(item.path)

    def _reveal(self) -> None:
        if self._root is not None:
            folder = self._root / self.tree.folder_of(self.tree.current())
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _fold_all(self) -> None:
        for key in list(self._folds.opened):
            self.tree.collapse(self._model.index_of(key))

    def _toggle_hidden(self) -> None:
        self._follower.show_hidden(hidden=self._actions["showHidden"].isChecked())

    # Building

    def _build(self) -> None:
        self.setObjectName("projectPage")
        self.setAccessibleName("Project")
        theme = self._desk.theme
        self._name = ElidedLabel("", "name")
        self._name.setObjectName("projectName")
        self._plus = IconButton(theme, "plus", "New file or agent", name="projectNew")
        self._refresh = IconButton(theme, "refresh", "Read the folder again", name="projectRefresh")
        self._more = IconButton(theme, "more", "More for the project tree", name="projectMore")
        self._filter = SearchField(theme, "Filter files", "projectFilter")
        self._pages = TreeStack(theme, self.tree)
        self._pages.wanted.connect(self.another_wanted)
        self._lay_out()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 6, 6, 6)
        head.setSpacing(0)
        head.addWidget(self._name, 1)
        for button in (self._plus, self._refresh, self._more):
            head.addWidget(button)
        field = QHBoxLayout()
        field.setContentsMargins(12, 0, 12, 8)
        field.addWidget(self._filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(field)
        column.addWidget(self._pages, 1)

    def _slots(self) -> dict[str, Callable[[], object]]:
        return {
            **{name: partial(self.begin_new, name) for name in NEW},
            "filterFiles": self.focus_filter,
            "openFile": self._open,
            "renameFile": lambda: self._naming.rename(self.tree),
            "duplicateFile": self._duplicate,
            "deleteFile": self._delete,
            "revealFile": self._reveal,
            "copyPath": self._copy_path,
            "copyFiles": self._copy,
            "pasteFiles": self._paste,
            "undoFiles": self.files.undo,
            "showHidden": self._toggle_hidden,
            "collapseTree": self._fold_all,
            "refreshTree": self._follower.refresh,
        }

    def _connect(self) -> None:
        self._edit.triggered.connect(lambda: self.edit_wanted.emit(self._edit.data()))
        self._plus_of_sub_agents.clicked.connect(self.sub_agent_wanted)
        self._wand_of_sub_agents.clicked.connect(self.generate_wanted)
        self._plus.clicked.connect(lambda: self._offer(NEW, self._below(self._plus)))
        self._refresh.clicked.connect(self._follower.refresh)
        self._more.clicked.connect(lambda: self._offer(FOR_NONE, self._below(self._more)))
        self._filter.textChanged.connect(lambda _text: self._filter_timer.start())
        self._filter.returnPressed.connect(self._take_filter)
        self._filter.down_wanted.connect(self._enter_tree)
        self._follower.updated.connect(self._on_updated)
        self._follower.many.connect(lambda on: self.tree.hold(on=on))
        self._follower.gone.connect(self._on_gone)
        self._follower.found.connect(self._on_found)
        self._model.filled.connect(self._on_filled)
        tree = self.tree
        tree.selectionModel().currentChanged.connect(self._on_current)
        tree.rows.naming_ended.connect(self._naming.end)
        tree.expanded.connect(partial(self._on_folded, is_open=True))
        tree.collapsed.connect(partial(self._on_folded, is_open=False))
        tree.opened.connect(lambda item: self.open_wanted.emit(item.path))
        tree.more_wanted.connect(lambda item: self._follower.show_more(item.key[len("more:") :]))
        tree.plus_pressed.connect(self._on_plus)
        tree.menu_wanted.connect(self._on_menu)
        tree.dropped.connect(self._on_dropped)
        tree.dropped_files.connect(self._on_dropped_files)
        self.files.changed.connect(self._follower.refresh)
        self.files.made.connect(self.select)
        self.files.created.connect(self._on_created)
        self.files.moved.connect(self._on_moved)
        self.files.removed.connect(self.removed)
        self.files.notice.connect(self.notice)
        self._documents.unsaved_changed.connect(self._on_unsaved)
        self._documents.buffers_changed.connect(self._on_buffers)

    def _timer(self, milliseconds: int, slot: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    # Slots

    def _on_updated(self) -> None:
        if self._pages.said != "projectGone":
            if self._follower.words.strip() and not self._follower.count:
                self._pages.say("projectNoMatch")
            else:
                self._pages.show_tree()
        self._refold()
        self._take_wanted()
        then, self._then = self._then, None
        if then is not None and not self._follower.words:
            then()
        else:
            self._then = then

    def _on_gone(self) -> None:
        self._pages.say("projectGone").show_text(
            "The folder is gone",
            f"{self._root} was moved or removed. It is shown again as soon as it is back.",
        )
        self._return_timer.start()

    def _on_found(self) -> None:
        self._return_timer.stop()
        if self._pages.said == "projectGone":
            self._pages.show_tree()

    def _on_filled(self, parent: QModelIndex, first: int, last: int) -> None:
        """Open the rows that are to be open."""
        for row in range(first, last + 1):
            index = self._model.index(row, 0, parent)
            item = self._model.item(index)
            if item is None or item.is_file or item.kind == "more":
                continue
            if self._folds.is_open(item.key, group=item.kind == "group"):
                self.tree.expand(index)

    def _on_current(self, index: QModelIndex) -> None:
        item = self._model.item(index)
        if item is not None and (item.is_file or item.is_folder):
            self._follower.pin(item.path)

    def _on_folded(self, index: QModelIndex, *, is_open: bool) -> None:
        item = self._model.item(index)
        if item is None or (item.key in self._unfolded and is_open):
            return
        self._folds.note(item.key, group=item.kind == "group", is_open=is_open)
        self._keep_timer.start()

    def _on_plus(self, key: str, place: QPoint) -> None:
        if key == SUB_AGENTS:
            self.sub_agent_wanted.emit()
            return
        adds = next(group.adds for group in GROUPS if group.key == key)
        if len(adds) == 1:
            self.begin_new(adds[0])
        else:
            self._offer(adds, place)

    def _on_menu(self, place: QPoint) -> None:
        chosen = self._chosen()
        names = FOR_FILES if chosen else FOR_NONE
        if len(chosen) == 1 and kind_of(chosen[0]) == "subagent":
            self._edit.setData(chosen[0])
            names = ("editSubAgent", *names)
        self._offer(names, place)

    def _on_created(self, path: str) -> None:
        self.select(path)
        self.open_wanted.emit(path)

    def _on_moved(self, old: str, new: str) -> None:
        self._folds.moved(old, new)
        self.moved.emit(old, new)
        self.select(new)

    def _on_dropped(self, paths: Sequence[str], folder: str, copy: bool) -> None:  # noqa: FBT001 - a signal's
        if copy and self._root is not None:
            self.files.copy([self._root / path for path in paths], folder)
        else:
            self.files.move(paths, folder)

    def _on_dropped_files(self, places: Sequence[Path], folder: str) -> None:
        if self._root is None or not places:
            self.notice.emit("Only files and folders of this computer can be dropped.", "info")
            return
        self.files.copy(places, folder)

    def _on_unsaved(self) -> None:
        self._model.set_unsaved(frozenset(self._documents.unsaved))

    def _on_buffers(self, paths: frozenset[str]) -> None:
        context = self._follower.layout_now.context
        if "config.json" in paths or any(path.startswith(f"{context}/") for path in paths):
            self._follower.refresh(walk=False)

    def _take_filter(self) -> None:
        self._filter_timer.stop()
        self._follower.filter(self._filter.text())

    # Helpers

    async def _begin(self, root: Path) -> None:
        folds = await asyncio.to_thread(read_folds, root)
        if root == self._root:
            self._folds, self._unfolded = folds, set()
            self._follower.follow(root)

    def _keep(self) -> None:
        if self._keep_timer.isActive() and self._root is not None:
            self._desk.tasks.start(
                asyncio.to_thread(keep_folds, self._root, self._folds), name="keep folds"
            )
        self._keep_timer.stop()

    def _refold(self) -> None:
        """Open all folders for a filter, and close them again after it."""
        model = self._model
        if self._follower.words:
            few = self._follower.count <= _MOST_UNFOLDED
            for key in list(model.keys()) if few else ():
                item = model.item(model.index_of(key))
                if (
                    item is not None
                    and item.is_folder
                    and not self.tree.isExpanded(model.index_of(key))
                ):
                    self._unfolded.add(key)
                    self.tree.expand(model.index_of(key))
            return
        keys, self._unfolded = self._unfolded, set()
        for key in keys:
            self.tree.collapse(model.index_of(key))

    def _take_wanted(self) -> None:
        if not self._wanted:
            return
        index = self._model.index_of(self._wanted)
        if index.isValid():
            self._wanted = ""
            above = index.parent()
            while above.isValid():
                self.tree.expand(above)
                above = above.parent()
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)
        elif self._follower.has(self._wanted) and self._follower.pin(self._wanted):
            self._follower.refresh(walk=False)

    def _enter_tree(self) -> None:
        self.tree.setFocus(Qt.FocusReason.TabFocusReason)
        if not self.tree.currentIndex().isValid():
            self.tree.setCurrentIndex(self._model.index(0, 0))

    def _chosen(self) -> list[str]:
        return [item.path for item in self.tree.items()]

    def _below(self, button: QWidget) -> QPoint:
        return button.mapToGlobal(button.rect().bottomLeft())

    def _offer(self, names: Sequence[str], place: QPoint) -> None:
        offer(self, {**self._actions, "editSubAgent": self._edit}, names, place)
