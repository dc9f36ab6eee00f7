"""A sub-agent as a form: read from its prompt file and the entry of config.json (STU-06).

The frontmatter says how all instances of a prompt file act; an entry says what one of them is
wired to, and may override any field for it alone. The form shows what counts for one instance.
`write_form` of `subagentsaving` brings it back to both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from studio_qt.authoring.subagententries import (
    FOLDER,
    Instance,
    instances_of,
    listed_in,
    own_id,
    private_of,
    shared_of,
    stem_of,
)
from studio_qt.errors import StudioError
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.subagents.fields import FIELDS, FieldError, FileValue, Given, JsonGiven
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.package.subagents.prompt import PromptFile, read_prompt
from studio_qt.package.subagents.writing import DEFAULTS

__all__ = [
    "ATTRIBUTES",
    "Opened",
    "SubAgentForm",
    "form_of_text",
    "new_form",
    "path_of",
    "plain_body",
    "read_config_text",
    "read_form",
    "read_value",
]

_LARGEST_NUMBER = 1_000_000
"""More than any field may hold; beyond it every number means the same."""

ATTRIBUTES: Mapping[str, str] = {
    "description": "description",
    "history": "history",
    "contextFiles": "context_files",
    "model": "model",
    "maxTokens": "max_tokens",
    "maxRounds": "max_rounds",
    "temperature": "temperature",
    "topP": "top_p",
    "debug": "debug",
}
"""The attribute of the form for each field of the documents that the form can author."""


@dataclass(frozen=True, slots=True)
class SubAgentForm:
    """What the form shows; values may be wrong, and `check_form` says where.

    `name` is the stem of the prompt file. `history` is "none", "recent:N" or "full". The body has
    plain newlines. `temperature` and `top_p` None are the model's own. `private` are entries as
    config.json has them: the name of an agent, or an object for a composed one.
    """

    name: str = ""
    description: str = ""
    body: str = ""
    history: str = "none"
    context_files: tuple[str, ...] = ()
    model: str = "worker"
    max_tokens: int = 1024
    max_rounds: int = 5
    temperature: float | None = None
    top_p: float | None = None
    debug: bool = False
    shared: tuple[str, ...] = ()
    private: tuple[JsonValue, ...] = ()

    @property
    def has_grants(self) -> bool:
        """Whether it is granted anything, so that there are inner rounds."""
        return bool(self.shared or self.private)

    def value(self, field: str) -> JsonValue:
        """Return a field by the documents' name, as a frontmatter or an entry holds it."""
        value = getattr(self, ATTRIBUTES[field])
        return list(value) if isinstance(value, tuple) else cast("JsonValue", value)


@dataclass(frozen=True, slots=True)
class Opened:
    """What a form was read from, and what of it the form does not show.

    `text` is the prompt file to the letter, "" for a new one. `instances` are all entries that
    make an instance of it, `instance` the one that is shown, None where config.json lists none.
    `mended` names the fields whose value could not be read, with the reason: saving gives them
    what the form shows.
    """

    form: SubAgentForm
    path: str = ""
    agent_id: str = ""
    text: str = ""
    instances: tuple[Instance, ...] = ()
    instance: Instance | None = None
    mended: tuple[tuple[str, str], ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether there is no file yet."""
        return not self.path

    @property
    def overridden(self) -> frozenset[str]:
        """The fields that the entry overrides for this instance alone."""
        return self.instance.fields if self.instance is not None else frozenset()


def path_of(name: str) -> str:
    """Return the path of the prompt file for a name."""
    return f"{FOLDER}{name}{SUFFIX}"


def new_form(name: str = "") -> Opened:
    """Return an empty form."""
    return Opened(SubAgentForm(name=name))


def form_of_text(text: str, name: str = "") -> Opened:
    """Return the form for a new sub-agent from the text of a whole prompt file.

    Fields that the form does not show are kept. Without `name` it is the file's `id`.
    """
    prompt = read_prompt(text)
    opened = _open(text, prompt, "", None, ())
    given = own_id("", prompt) if "id" in prompt.fields else ""
    return replace(opened, form=replace(opened.form, name=name or given))


def read_form(source: Source, path: str, entry_index: int | None = None) -> Opened:
    """Read a sub-agent; `entry_index` chooses the instance, by its place in `agents`.

    Without it the first instance is taken. Raises StudioError where the file or config.json
    cannot be read, or has a frontmatter of which a form could not keep all.
    """
    text = _read(source, path)
    if text is None:
        raise StudioError(f"{path} is not there. It may have been renamed or removed.")
    prompt = read_prompt(text)
    fatal = next((note for note in prompt.notes if note.fatal), None)
    if fatal is not None and (prompt.head or text.lstrip("\ufeff \t\r\n").startswith("---")):
        raise StudioError(f"{path}, line {fatal.line}: {fatal.message} Mend it in the editor.")
    try:
        listed = listed_in(decode_object(read_config_text(source).removeprefix("\ufeff")))
    except ValueError as error:
        raise StudioError(f"{CONFIG_FILE} cannot be read ({error}). Mend it first.") from error
    instances = tuple(instances_of(listed, path, prompt))
    chosen = [one for one in instances if entry_index in (None, one.index)]
    return _open(text, prompt, path, chosen[0] if chosen else None, instances)


def read_config_text(source: Source) -> str:
    """Return the text of config.json to the letter, an empty object where there is none.

    Raises StudioError.
    """
    return _read(source, CONFIG_FILE) or "{}\n"


def read_value(field: str, given: Given) -> JsonValue:
    """Return what is given for a field, before any bound is looked at; None for nothing.

    Raises FieldError for what a form cannot show.
    """
    return None if given.is_absent else _READERS[field](given)


def plain_body(body: str) -> str:
    """Return a body as the form has it: without a byte order mark, line breaks as newlines."""
    return PromptFile("", body).prompt


def _open(
    text: str,
    prompt: PromptFile,
    path: str,
    instance: Instance | None,
    instances: tuple[Instance, ...],
) -> Opened:
    entry = instance.entry if instance is not None else None
    values, mended = _values(prompt, entry if isinstance(entry, dict) else {})
    form = SubAgentForm(
        name=stem_of(path),
        body=prompt.prompt,
        shared=shared_of(entry),
        private=private_of(entry),
    )
    changes: dict[str, object] = {
        ATTRIBUTES[name]: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
    }
    form = replace(form, **changes)  # type: ignore[arg-type]
    agent_id = instance.agent_id if instance is not None else own_id(path, prompt)
    return Opened(form, path, agent_id, text, instances, instance, tuple(mended))


def _values(
    prompt: PromptFile, entry: JsonObject
) -> tuple[dict[str, JsonValue], list[tuple[str, str]]]:
    """Return the fields that are said, the entry's over the file's, and what cannot be read."""
    values: dict[str, JsonValue] = {}
    mended: list[tuple[str, str]] = []
    for name in ATTRIBUTES:
        found = prompt.fields.get(name)
        given: Given | None = None if found is None else FileValue(found)
        if entry.get(name) is not None:
            given = JsonGiven(entry[name])
        try:
            value = None if given is None else read_value(name, given)
        except FieldError as error:
            mended.append((name, str(error)))
            continue
        if value is not None:
            values[name] = value
        if name == "model" and given is not None and (other := _other_model(given)):
            mended.append((name, f"names “{other}”, which is neither worker nor main"))
    return values, mended


def _other_model(given: Given) -> str:
    """Return what is given as a model and is none of the two lanes, "" where it is one."""
    try:
        text = "" if given.is_absent else given.text()
    except FieldError:
        return "something else"
    return "" if text.lower() in ("", "worker", "main") else text


def _whole(given: Given) -> JsonValue:
    return max(-_LARGEST_NUMBER, min(_LARGEST_NUMBER, given.whole()))


def _checked(field: str) -> Callable[[Given], JsonValue]:
    return lambda given: FIELDS[field](given, lambda *_said: None)


_READERS: Mapping[str, Callable[[Given], JsonValue]] = {
    "description": lambda given: given.text(),
    "history": _checked("history"),
    "contextFiles": lambda given: list(given.texts()),
    "model": _checked("model"),
    "maxTokens": _whole,
    "maxRounds": _whole,
    "temperature": lambda given: given.number(),
    "topP": lambda given: given.number(),
    "debug": lambda given: given.flag(),
}

assert set(_READERS) == set(ATTRIBUTES) == set(FIELDS) - {"params"}
assert all(
    getattr(SubAgentForm(), attribute) in (DEFAULTS.get(name), (), "")
    for name, attribute in ATTRIBUTES.items()
)


def _read(source: Source, path: str) -> str | None:
    """Return a file's text with its mark and line breaks, None where there is none."""
    try:
        content = source.read_bytes(path)
    except FileNotFoundError:
        return None
    except (OSError, UnsafePathError) as error:
        raise StudioError(f"{path} cannot be read: {error}") from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StudioError(f"{path} is not UTF-8 text; save it as UTF-8 first.") from error
