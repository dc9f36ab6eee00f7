"""Manifests: the tags that an agent's file begins with, read without running it (MAN-01 to 04)."""

from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Callable, Mapping

from studio_qt.errors import Fault, Problem, Severity
from studio_qt.jsontext import JsonObject
from studio_qt.package.alike import closest
from studio_qt.package.blocks import Block, find_block, form_of
from studio_qt.package.model import Command, Language, Manifest, Tool
from studio_qt.package.parameters import NO_PARAMETERS, ParameterError, read_parameters
from studio_qt.package.tags import Tag, tags_of

__all__ = ["APIS", "HOOKS", "parse_manifest", "tool_name_fault"]

APIS = frozenset(
    {"studio.history", "studio.context", "studio.model", "studio.grants", "studio.web"}
)
"""The bridge namespaces that an agent has to declare (BR-09)."""

HOOKS = frozenset(
    {"conversationStart", "beforeResponse", "afterResponse", "afterToolCall", "afterUserEdit"}
)
"""The events of HOOK-00."""

_FREE_APIS = frozenset({"studio.toast", "studio.log"})
_EVERYWHERE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SOMEWHERE = re.compile(r"[\w-]{1,64}")
_PARAMETERS = "tool-params"


def parse_manifest(
    text: str, language: Language, file: str
) -> tuple[Manifest, tuple[Problem, ...]]:
    """Return the manifest of a source text; `file` is what problems name.

    Without a block or without `@agent` the manifest's `agent` is None and an error says so.
    """
    reader = _Reader(file)
    block = find_block(text, language)
    if block is None:
        form = form_of(language)
        message = f"has no manifest; begin the file with {form} that has @agent."
        reader.report("error", 1, message, Fault("manifest-missing"))
        return Manifest(None), tuple(reader.problems)
    manifest = reader.read(block)
    if manifest.agent is None:
        message = (
            f"has no @agent line in its first block, {form_of(language)}; add @agent and an id."
        )
        reader.report("error", block.lines[0][0], message, Fault("agent-tag-missing"))
    return manifest, tuple(reader.problems)


def tool_name_fault(name: str) -> tuple[Severity, str] | None:
    """Return what is wrong with a tool's name for the servers that will be given it, or None.

    With an error the tool cannot be offered: one bad name makes a server refuse every request.
    """
    if _EVERYWHERE.fullmatch(name):
        return None
    if _SOMEWHERE.fullmatch(name):
        return (
            "warning",
            "some model servers take only A-Z, a-z, 0-9, _ and - in a tool's name",
        )
    return "error", "the name of a tool has only letters, digits, _ and -, at most 64"


class _Reader:
    """Takes the tags of one file one by one; what is wrong goes to `problems`."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._agent: str | None = None
        self._version: str | None = None
        self._description = ""
        self._flags = {"preload": False, "debug": False}
        self._tools: list[_Draft] = []
        self._tool_names: set[str] = set()
        self._commands: dict[str, Command] = {}
        self._apis: set[str] = set()
        self._libs: dict[str, None] = {}
        self._hooks: set[str] = set()
        self._raw_parameters: deque[Tag] = deque()
        self._actions: Mapping[str, Callable[[Tag], None]] = {
            "agent": self._take_agent,
            "version": self._take_version,
            "description": self._take_description,
            "tool": self._take_tool,
            "tool-description": self._take_tool_description,
            _PARAMETERS: self._take_parameters,
            "command": self._take_command,
            "preload": self._take_flag,
            "debug": self._take_flag,
            "api": self._take_api,
            "lib": self._take_lib,
            "hook": self._take_hook,
        }

    def report(
        self, severity: Severity, line: int, message: str, fault: Fault | None = None
    ) -> None:
        """Add a problem of this file."""
        self.problems.append(Problem(severity, self._file, line, message, fault))

    def read(self, block: Block) -> Manifest:
        """Read every tag; unknown ones are ignored (MAN-04), slips of the pen are told."""
        self._raw_parameters.extend(tag for tag in tags_of(block.raw) if tag.name == _PARAMETERS)
        for tag in tags_of(block.lines):
            if action := self._actions.get(tag.name):
                action(tag)
            elif alike := closest(tag.name, self._actions):
                message = f"@{tag.name} is no tag and does nothing; did you mean @{alike}?"
                self.report("warning", tag.line, message, Fault("tag-unknown", (tag.name, alike)))
        return Manifest(
            agent=self._agent,
            version=self._version,
            description=self._description,
            tools=tuple(draft.tool() for draft in self._tools if draft.offered),
            commands=tuple(self._commands.values()),
            apis=frozenset(self._apis),
            libs=tuple(self._libs),
            hooks=frozenset(self._hooks),
            declared=tuple(dict.fromkeys(draft.name for draft in self._tools)),
            **self._flags,
        )

    def _take_agent(self, tag: Tag) -> None:
        if self._agent is None and tag.word:
            self._agent = tag.word

    def _take_version(self, tag: Tag) -> None:
        self._version = tag.rest or None

    def _take_description(self, tag: Tag) -> None:
        self._description = tag.paragraph

    def _take_tool(self, tag: Tag) -> None:
        name = tag.word
        draft = _Draft(name, tag.line)
        if not name:
            self._refuse(draft, "@tool has no name; write it on the same line.")
        elif name in self._tool_names:
            message = f'the tool "{name}" is declared twice; the first one counts.'
            self._refuse(draft, message)
        elif fault := tool_name_fault(name):
            severity, reason = fault
            draft.offered = severity != "error"
            end = "" if draft.offered else " and is not offered"
            message = f'the tool "{name}"{end}: {reason}; rename it.'
            self.report(severity, tag.line, message, Fault("tool-name", (name,)))
        self._tool_names.add(name)
        self._tools.append(draft)

    def _refuse(self, draft: _Draft, message: str) -> None:
        draft.offered = False
        self.report("error", draft.line, message)

    def _take_tool_description(self, tag: Tag) -> None:
        if draft := self._tool_of(tag):
            draft.description = tag.paragraph

    def _take_parameters(self, tag: Tag) -> None:
        raw = self._raw_parameters.popleft() if self._raw_parameters else tag
        draft = self._tool_of(tag)
        if draft is None:
            return
        try:
            draft.parameters = _parameters(tag, raw)
        except ParameterError as error:
            draft.offered = False
            self.report(
                "error",
                tag.line_of(error.line),
                f'the tool "{draft.name}" is not offered: its @tool-params {error}.',
            )

    def _tool_of(self, tag: Tag) -> _Draft | None:
        if not self._tools:
            self.report("warning", tag.line, f"@{tag.name} stands before any @tool; move it below.")
            return None
        return self._tools[-1]

    def _take_command(self, tag: Tag) -> None:
        words = tag.rest.split()
        if len(words) < 2 or words[0] == "@":
            message = (
                "@command needs a name and the function that handles it: @command @name handler."
            )
            self.report("error", tag.line, message)
            return
        name = "@" + words[0].removeprefix("@")
        if name in self._commands:
            message = f'the command "{name}" is declared twice; the first one counts.'
            self.report("error", tag.line, message)
            return
        self._commands[name] = Command(name, words[1], tag.line)

    def _take_flag(self, tag: Tag) -> None:
        value = tag.word.lower()
        if value not in ("", "true", "false"):
            message = f"@{tag.name} {tag.word} is taken as false; write true or false."
            self.report("warning", tag.line, message)
        self._flags[tag.name] = value in ("", "true")

    def _take_api(self, tag: Tag) -> None:
        name = tag.word.rstrip(",;")
        if name in APIS:
            self._apis.add(name)
        elif name not in _FREE_APIS:
            known = ", ".join(sorted(APIS))
            message = f'@api "{name}" is unknown and gives nothing; there are {known}, one a line.'
            self.report("warning", tag.line, message, Fault("api-unknown", (name,)))

    def _take_lib(self, tag: Tag) -> None:
        if tag.word:
            self._libs[tag.word] = None
        else:
            message = "@lib names no library; write its name after it."
            self.report("warning", tag.line, message)

    def _take_hook(self, tag: Tag) -> None:
        if tag.word in HOOKS:
            self._hooks.add(tag.word)
            return
        known = ", ".join(sorted(HOOKS))
        message = f'@hook "{tag.word}" is no event and is ignored; there are {known}.'
        self.report("warning", tag.line, message, Fault("hook-unknown", (tag.word,)))


class _Draft:
    """A tool while its tags are read."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.description = ""
        self.parameters: JsonObject = NO_PARAMETERS
        self.offered = True

    def tool(self) -> Tool:
        return Tool(self.name, self.name, self.description, self.parameters, self.line)


def _parameters(tag: Tag, raw: Tag) -> JsonObject:
    """Read the schema as Python makes it of the docstring, else as it is written there.

    Authors write `\\d` both as one would in JSON and as one must in a Python string.
    """
    try:
        return read_parameters(tag.whole)
    except ParameterError:
        if raw.whole != tag.whole:
            with contextlib.suppress(ParameterError):  # the first reason is the one to tell
                return read_parameters(raw.whole)
        raise
