"""The effective frontmatter of an instance: the file's fields under the entry's overrides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from studio_qt.errors import Fault, Problem, Severity
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.alike import closest
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.model import SubAgentMeta
from studio_qt.package.subagents.fields import (
    DEFAULT_PARAMS,
    FIELDS,
    FieldError,
    FileValue,
    Given,
    JsonGiven,
)
from studio_qt.package.subagents.prompt import GRANTS, KNOWN, PromptFile

__all__ = ["Overrides", "effective_meta", "no_overrides"]


def _nowhere(_name: str) -> int | None:
    return None


@dataclass(frozen=True, slots=True)
class Overrides:
    """What an entry of config.json says of the fields; `line` tells where it says it.

    `place` is the path of the entry, () for none.
    """

    entry: Mapping[str, JsonValue] = field(default_factory=dict)
    line: Callable[[str], int | None] = _nowhere
    place: tuple[str | int, ...] = ()

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the entry gives; null gives nothing."""
        return frozenset(name for name in FIELDS if self.entry.get(name) is not None)


no_overrides = Overrides()


def effective_meta(
    agent_id: str, prompt: PromptFile, path: str, overrides: Overrides = no_overrides
) -> tuple[SubAgentMeta | None, tuple[Problem, ...]]:
    """Return what counts for the instance, None when it cannot be offered; problems name lines.

    `path` is the prompt file's. A value that the entry shadows is only warned of.
    """
    reader = _Reader(agent_id, prompt, path, overrides)
    meta = reader.meta()
    return meta, tuple(reader.problems)


class _Reader:
    def __init__(self, agent_id: str, prompt: PromptFile, path: str, overrides: Overrides) -> None:
        self.problems: list[Problem] = []
        self._id = agent_id
        self._prompt = prompt
        self._path = path
        self._overrides = overrides

    def meta(self) -> SubAgentMeta | None:
        for note in self._prompt.notes:
            severity: Severity = "error" if note.fatal else "warning"
            fault = Fault(note.kind) if note.kind else None
            self._report(severity, self._path, note.line, note.message, fault)
        if any(note.fatal for note in self._prompt.notes):
            return None
        self._look_at_names()
        values = self._values()
        if any(problem.severity == "error" for problem in self.problems):
            return None
        if not values.get("description"):
            message = (
                f'the sub-agent "{self._id}" is not offered: description is missing; write for '
                f"what, and when, the model shall call it."
            )
            place: tuple[str, int | None] = (self._path, self._prompt.line("description"))
            if "description" in self._overrides.fields:
                place = (CONFIG_FILE, self._overrides.line("description"))
            fault = None if place[0] == CONFIG_FILE else Fault("description-missing")
            self._report("error", *place, message, fault)
            return None
        return _meta(self._id, values)

    def _values(self) -> JsonObject:
        values: JsonObject = {}
        place: tuple[str, int | None]
        shadowed = self._overrides.fields
        for name, found in self._prompt.fields.items():
            if name in FIELDS:
                place = (self._path, found.line)
                value = self._read(name, FileValue(found), place, is_shadowed=name in shadowed)
                values[name] = value
        for name in FIELDS:
            if name in shadowed:
                place = (CONFIG_FILE, self._overrides.line(name))
                values[name] = self._read(name, JsonGiven(self._overrides.entry[name]), place)
        return {name: value for name, value in values.items() if value is not None}

    def _read(
        self, name: str, given: Given, place: tuple[str, int | None], *, is_shadowed: bool = False
    ) -> JsonValue:
        entry = self._overrides.place if place[0] == CONFIG_FILE else ()

        def fault(instead: Sequence[str]) -> Fault:
            return Fault("field-value", (name, *instead), entry)

        def warn(message: str, instead: Sequence[str]) -> None:
            self._report("warning", *place, f'"{self._id}": {name} {message}.', fault(instead))

        if given.is_absent:
            return None
        try:
            return FIELDS[name](given, warn)
        except FieldError as error:
            if is_shadowed:
                warn(f"{error}; config.json gives another value, which counts", error.instead)
            else:
                message = f'the sub-agent "{self._id}" is not offered: {name} {error}.'
                self._report("error", *place, message, fault(error.instead))
            return None

    def _look_at_names(self) -> None:
        for name, found in self._prompt.fields.items():
            if name in KNOWN:
                continue
            if name in GRANTS:
                message = f"{name} gives nothing here: grants belong in config.json; move it there."
                fault = Fault("field-grants", (name,), self._overrides.place)
                self._report("warning", self._path, found.line, message, fault)
            elif alike := closest(name, KNOWN):
                message = f'"{name}" is no field and does nothing; did you mean {alike}?'
                fault = Fault("field-unknown", (name, alike))
                self._report("warning", self._path, found.line, message, fault)

    def _report(
        self,
        severity: Severity,
        path: str,
        line: int | None,
        message: str,
        fault: Fault | None = None,
    ) -> None:
        self.problems.append(Problem(severity, path, line, message, fault))


def _meta(agent_id: str, values: JsonObject) -> SubAgentMeta:
    params = cast("JsonObject", values.get("params", DEFAULT_PARAMS))
    meta = SubAgentMeta(
        id=agent_id,
        description=str(values["description"]),
        params=params,
        custom_params=params != DEFAULT_PARAMS,
    )
    names = {"model": "model", "maxTokens": "max_tokens", "maxRounds": "max_rounds"}
    names |= {"temperature": "temperature", "topP": "top_p", "debug": "debug"}
    changes: dict[str, object] = {
        own: values[name] for name, own in names.items() if name in values
    }
    if isinstance(files := values.get("contextFiles"), list):
        changes["context_files"] = tuple(str(name) for name in files)
    if isinstance(history := values.get("history"), str):
        tier, _, count = history.partition(":")
        changes["history"] = cast('Literal["none", "recent", "full"]', tier)
        changes["history_count"] = int(count) if count else None
    return replace(meta, **changes)  # type: ignore[arg-type]
