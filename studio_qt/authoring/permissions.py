"""What the code of a character may do, in the words of people: for the permission sheet."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from studio_qt.authoring.admission import LoadedCode, used_code
from studio_qt.authoring.foreigncode import CodeFile, all_code, fingerprint
from studio_qt.package.foreign import LANGUAGE_NAMES
from studio_qt.package.manifest import parse_manifest
from studio_qt.package.model import AgentSpec, Language, Manifest

__all__ = [
    "API_WORDS",
    "HOOK_WORDS",
    "LANGUAGE_NAMES",
    "AgentPermissions",
    "Permissions",
    "describe",
    "shown_name",
]

API_WORDS = {
    "studio.history": "read this conversation",
    "studio.context": "read the context folder",
    "studio.model": "ask your models",
    "studio.grants": "read the stores it is granted",
    "studio.web": "read public web pages",
}
"""What an agent may do that declares these."""

HOOK_WORDS = {
    "conversationStart": "when a conversation starts",
    "beforeResponse": "before each response",
    "afterResponse": "after each response",
    "afterToolCall": "after each tool call",
    "afterUserEdit": "after you edit the conversation",
}
"""When an agent runs that listens to these."""

_WEB = "studio.web"
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class AgentPermissions:
    """An agent with foreign code; what its manifest declares is all that the bridge gives it.

    `libraries` are the foreign ones that run in it. `preload`: it adds to what is sent.
    `unlisted`: no entry of config.json runs it so far.
    """

    id: str
    file: str
    language: Language
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    preload: bool = False
    libraries: tuple[str, ...] = ()
    unlisted: bool = False

    @property
    def asks_web(self) -> bool:
        """Whether it may read web pages where the user allows that."""
        return _WEB in self.apis


@dataclass(frozen=True, slots=True)
class Permissions:
    """All that the sheet tells of a character.

    `files` is its whole foreign code, the libraries and what no entry names too, `digest` the hash
    over it. `built_in` counts agents whose code is the program's own, `sub_agents` those without
    code.
    """

    name: str
    agents: tuple[AgentPermissions, ...]
    files: tuple[CodeFile, ...]
    digest: str
    built_in: int = 0
    sub_agents: int = 0

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the foreign code, as people write them."""
        return tuple(sorted({LANGUAGE_NAMES[file.language] for file in self.files}))

    @property
    def web_agents(self) -> tuple[str, ...]:
        """The ids of the agents that ask for the web."""
        return tuple(agent.id for agent in self.agents if agent.asks_web)


def describe(loaded: LoadedCode) -> Permissions:
    """Return what is to be told of a loaded package. Reads every code file: not for a UI thread."""
    package = loaded.package
    code = all_code(loaded.snapshot)
    foreign = tuple(file for file in code if not file.is_shipped)
    paths = {file.path for file in foreign}
    specs = [*package.agents, *(one for spec in package.agents for one in _private(spec))]
    rows, used, built_in, sub_agents = [], set[str](), 0, 0
    for spec in specs:
        mine = [path for path in used_code(spec) if path in paths]
        used.update(mine)
        if mine:
            rows.append(_row(spec, mine))
        elif spec.sub_agent is not None:
            sub_agents += 1
        else:
            built_in += 1
    rows += [_unlisted(file) for file in foreign if file.path not in used and not file.is_library]
    return Permissions(
        name=package.name,
        agents=tuple(rows),
        files=foreign,
        digest=fingerprint(foreign),
        built_in=built_in,
        sub_agents=sub_agents,
    )


def shown_name(text: str, longest: int = _LONGEST) -> str:
    """Return a name of a package as it can be shown: one line, nothing that turns or hides letters.

    What steers the direction or takes no room is written out, such as \\u202e; a long one loses its
    middle.
    """
    plain = "".join(map(_plain, text))
    if len(plain) <= longest:
        return plain
    half = (longest - 1) // 2
    return f"{plain[:half]}…{plain[-half:]}"


def _plain(character: str) -> str:
    if character == " " or unicodedata.category(character)[0] not in "CZ":
        return character
    return f"\\u{ord(character):04x}"


def _private(spec: AgentSpec) -> tuple[AgentSpec, ...]:
    return spec.sub_agent.private if spec.sub_agent is not None else ()


def _row(spec: AgentSpec, mine: Iterable[str]) -> AgentPermissions:
    manifest = spec.manifest
    own = set(mine)
    return AgentPermissions(
        id=spec.id,
        file=spec.file,
        language=spec.language,
        tools=tuple(tool.name for tool in spec.tools),
        commands=tuple(command.name for command in manifest.commands),
        libraries=tuple(one.name for one in spec.libraries if one.file in own),
        apis=tuple(sorted(manifest.apis)),
        hooks=_hooks(manifest),
        preload=manifest.preload,
    )


def _unlisted(file: CodeFile) -> AgentPermissions:
    manifest, _ = parse_manifest(
        file.content.decode("utf-8-sig", "replace"), file.language, file.path
    )
    return AgentPermissions(
        id=file.path.rpartition("/")[2].rpartition(".")[0],
        file=file.path,
        language=file.language,
        tools=tuple(tool.name for tool in manifest.tools),
        commands=tuple(command.name for command in manifest.commands),
        libraries=manifest.libs,
        apis=tuple(sorted(manifest.apis)),
        hooks=_hooks(manifest),
        preload=manifest.preload,
        unlisted=True,
    )


def _hooks(manifest: Manifest) -> tuple[str, ...]:
    return tuple(hook for hook in HOOK_WORDS if hook in manifest.hooks)
