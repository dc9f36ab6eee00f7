"""Bringing a sub-agent's form to its prompt file and to config.json (STU-06).

Where an edit of a field goes: to the entry if that overrides the field, since it was meant for
this instance alone, and else to the frontmatter, where it is meant for all. An override that says
no more than the file is taken out. A field without a value (temperature, topP) cannot be an
override: emptied, it goes from the entry and from the file.
"""

from __future__ import annotations

from collections.abc import Callable

from studio_qt.authoring.subagententries import (
    PRIVATE,
    SHARED,
    Instance,
    entry_for,
    instances_of,
    listed_in,
    own_id,
    private_of,
    shared_of,
    stem_of,
)
from studio_qt.authoring.subagentform import (
    ATTRIBUTES,
    Opened,
    SubAgentForm,
    path_of,
    plain_body,
    read_config_text,
    read_value,
)
from studio_qt.errors import StudioError
from studio_qt.files.encoding import FileText, decode_text, encode_text
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.rewrite import rewrite_config
from studio_qt.package.subagents.fields import FieldError, FileValue, JsonGiven
from studio_qt.package.subagents.prompt import Field, PromptFile, read_prompt
from studio_qt.package.subagents.trees import TreeError
from studio_qt.package.subagents.writing import DEFAULTS, rewrite_prompt, unknown_value

__all__ = ["config_without", "write_form", "written_entry"]


def write_form(form: SubAgentForm, source: Source, opened: Opened) -> dict[str, str]:
    """Return the new texts of the prompt file and of config.json, by path, to the letter.

    `opened` is what the form was read from. The files are read once more, so that all that the
    form does not show is as it is now. Raises StudioError where one of them cannot be read, and
    where the file of a new one is there by now.
    """
    path = opened.path or path_of(form.name)
    if opened.is_new and source.exists(path):
        raise StudioError(f"{path} is there by now; choose another name.")
    text = _current(source, path, opened)
    prompt = read_prompt(text)
    config = read_config_text(source)
    try:
        listed = listed_in(decode_object(config.removeprefix("\ufeff")))
        instance = _current_instance(listed, path, prompt, opened)
        shown = opened.instance if instance is None else instance
        fields, entry = _shared_out(form, prompt, path, shown, opened.agent_id)
        body = _body(form.body, prompt, text)
        return {
            path: rewrite_prompt(text, fields, body=body),
            CONFIG_FILE: rewrite_config(config, _put(entry, instance)),
        }
    except ValueError as error:
        raise StudioError(f"{CONFIG_FILE} cannot be changed ({error}). Mend it first.") from error


def written_entry(form: SubAgentForm, opened: Opened) -> JsonValue:
    """Return the entry that a save would write, as far as is known without reading again."""
    path = opened.path or path_of(form.name)
    prompt = read_prompt(opened.text)
    return _shared_out(form, prompt, path, opened.instance, opened.agent_id)[1]


def config_without(source: Source, path: str) -> str:
    """Return the text of config.json without any entry of a prompt file, all else to the letter.

    Raises StudioError.
    """
    text = read_config_text(source)

    def change(config: JsonObject) -> None:
        listed = listed_in(config)
        gone = {one.index for one in instances_of(listed, path, PromptFile("", ""))}
        if gone:
            config["agents"] = [one for index, one in enumerate(listed) if index not in gone]

    try:
        return rewrite_config(text, change)
    except ValueError as error:
        raise StudioError(f"{CONFIG_FILE} cannot be changed ({error}). Mend it first.") from error


def _current(source: Source, path: str, opened: Opened) -> str:
    """Return the prompt file as it is now; what was opened where there is none."""
    try:
        return source.read_bytes(path).decode("utf-8")
    except FileNotFoundError:
        return opened.text
    except UnicodeDecodeError as error:
        raise StudioError(f"{path} is not UTF-8 text; save it as UTF-8 first.") from error
    except (OSError, UnsafePathError) as error:
        raise StudioError(f"{path} cannot be read: {error}") from error


def _current_instance(
    listed: list[JsonValue], path: str, prompt: PromptFile, opened: Opened
) -> Instance | None:
    """Return the entry to be written; it may have another place by now."""
    there = instances_of(listed, path, prompt)
    if opened.instance is None:
        return there[0] if there else None
    same = [one for one in there if one.agent_id == opened.agent_id]
    return next((one for one in same if one.index == opened.instance.index), (*same, None)[0])


def _shared_out(
    form: SubAgentForm, prompt: PromptFile, path: str, instance: Instance | None, agent_id: str
) -> tuple[dict[str, JsonValue], JsonValue]:
    """Return the fields of the frontmatter, and the entry."""
    old = instance.entry if instance is not None else None
    overrides = old if isinstance(old, dict) else {}
    fields = {name: _kept(found) for name, found in prompt.fields.items() if name in _KEPT}
    changes: dict[str, JsonValue] = {}
    for name in ATTRIBUTES:
        value, found = form.value(name), prompt.fields.get(name)
        if overrides.get(name) is None:
            fields[name] = value
            continue
        fields[name] = None if found is None else _kept(found)
        if not _is_said(name, overrides[name], value):
            of_file = _meant(name, found)
            changes[name] = None if value in (None, of_file) else value
            if value is None and of_file is not None:
                fields[name] = None
    if form.shared != shared_of(old):
        changes[SHARED] = list(form.shared) or None
    if form.private != private_of(old):
        changes[PRIVATE] = list(form.private) or None
    natural = own_id(path, prompt)
    if natural == stem_of(path):
        fields.pop("id", None)
    return fields, entry_for(path, natural, old, changes, agent_id=agent_id or natural)


_Change = Callable[[JsonObject], None]

_KEPT = ("id", "params")
"""The known fields that the form does not show."""


def _kept(found: Field) -> JsonValue:
    """Return what a field of the file holds, so that writing it again means the same."""
    given = FileValue(found)
    if found.name not in ATTRIBUTES:
        if found.name == "params":
            return _schema(found, given)
        return given.text() or None
    try:
        return read_value(found.name, given)
    except FieldError:
        return unknown_value(found)


def _schema(found: Field, given: FileValue) -> JsonValue:
    if given.is_absent:
        return None
    try:
        return given.schema()
    except TreeError:
        return unknown_value(found)


def _is_said(name: str, override: JsonValue, value: JsonValue) -> bool:
    """Whether an override says this value already, in whatever way."""
    try:
        return read_value(name, JsonGiven(override)) == value
    except FieldError:
        return False


def _meant(name: str, found: Field | None) -> JsonValue:
    """Return what the file says of a field without any override."""
    try:
        value = None if found is None else read_value(name, FileValue(found))
    except FieldError:
        return None
    return DEFAULTS.get(name) if value is None else value


def _body(body: str, prompt: PromptFile, text: str) -> str:
    """Return the body to be written: the one that is there, to the letter, where it is the same."""
    raw = prompt.body if prompt.head else text.removeprefix("\ufeff")
    if plain_body(raw) == body:
        return raw
    like = FileText("") if "\0" in raw else decode_text(raw.encode("utf-8"), "")
    if "\r\n" in prompt.head and not raw.strip("\r\n"):
        like = FileText("", line_end="\r\n")
    return encode_text(body, like).data.decode("utf-8")


def _put(entry: JsonValue, instance: Instance | None) -> _Change:
    def change(config: JsonObject) -> None:
        listed = listed_in(config)
        if instance is None:
            config["agents"] = [*listed, entry]
        else:
            config["agents"] = [*listed[: instance.index], entry, *listed[instance.index + 1 :]]

    return change
