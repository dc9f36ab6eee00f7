"""What a form comes to: what the narrator sees, what each call sends, what Save writes (STU-06)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio_qt.authoring.subagentchecks import granted_names, short_name, sizes_of
from studio_qt.authoring.subagententries import PRIVATE, SHARED
from studio_qt.authoring.subagentfacts import SubAgentFacts
from studio_qt.authoring.subagentform import ATTRIBUTES, Opened, SubAgentForm
from studio_qt.authoring.subagentsaving import written_entry
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.package.ids import tool_name_of
from studio_qt.package.subagents.fields import DEFAULT_PARAMS, FIELDS, FieldError, FileValue
from studio_qt.package.subagents.prompt import read_prompt
from studio_qt.package.subagents.writing import DEFAULTS
from studio_qt.providers.tokens import estimate

__all__ = ["Part", "Preview", "preview_of"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of each call: what it is, and its estimate in tokens."""

    words: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The three previews of a form.

    `tool` is what the narrator's model is offered, `tool_tokens` its estimate. `parts` are sent
    with each call. `entry` goes to config.json, for the reason `form_reason`; `fields` is how many
    fields besides the description the prompt file gets. `history` is the part of the conversation.
    """

    tool: JsonObject
    tool_tokens: int
    parts: tuple[Part, ...]
    entry: JsonValue
    form_reason: str
    fields: int
    history: int = 0

    @property
    def tokens(self) -> int:
        """The estimate for a whole call, but for the request."""
        return sum(part.tokens for part in self.parts)


def preview_of(
    form: SubAgentForm,
    opened: Opened,
    facts: SubAgentFacts,
    *,
    messages: Sequence[int] = (),
    stores: Mapping[str, int] | None = None,
) -> Preview:
    """Return the previews.

    `messages` are the estimates for the messages of the conversation so far, the last one last;
    `stores` those for the stores of granted agents, by their full id.
    """
    agent_id = opened.agent_id or form.name
    tool: JsonObject = {
        "name": tool_name_of(agent_id) if agent_id else "",
        "description": form.description.strip(),
        "parameters": _params(opened),
    }
    entry = written_entry(form, opened)
    return Preview(
        tool,
        estimate(encode(tool)),
        tuple(_parts(form, agent_id, facts, messages, stores or {})),
        entry,
        _reason(entry),
        _written(form, opened),
        _conversation(form.history, messages).tokens,
    )


def _params(opened: Opened) -> JsonValue:
    entry = opened.instance.entry if opened.instance is not None else None
    given = entry.get("params") if isinstance(entry, dict) else None
    found = read_prompt(opened.text).fields.get("params")
    if given is None and found is not None:
        try:
            given = FIELDS["params"](FileValue(found), lambda *_said: None)
        except FieldError:
            given = None
    return DEFAULT_PARAMS if given is None else given


def _parts(
    form: SubAgentForm,
    agent_id: str,
    facts: SubAgentFacts,
    messages: Sequence[int],
    stores: Mapping[str, int],
) -> list[Part]:
    files = sizes_of(form, facts)
    named = ", ".join(form.context_files[:2])
    more = len(form.context_files) - 2
    words = f"prompt and {named}" if named else "prompt"
    parts = [Part(words + (f" and {more} more" if more > 0 else ""), estimate(form.body) + files)]
    if "%%CHARACTER_INSTRUCTIONS%%" in form.body:
        parts.append(Part("the character's instructions", facts.instructions))
    for name, _ in granted_names(form):
        if f"%%STORE:{short_name(name)}%%" in form.body or f"%%STORE:{name}%%" in form.body:
            size = stores.get(f"{agent_id}.{name}", stores.get(name, 0))
            parts.append(Part(f"the store of {short_name(name)}", size))
    if form.history != "none":
        parts.append(_conversation(form.history, messages))
    if form.has_grants:
        parts.append(_tools(form, facts))
    return parts


def _conversation(history: str, messages: Sequence[int]) -> Part:
    tier, _, count = history.partition(":")
    if tier == "none":
        return Part("", 0)
    number = int(count) if count.isdecimal() else 0
    taken = messages if tier == "full" else messages[-number:] if number else ()
    words = "the whole conversation" if tier == "full" else f"the last {number} messages"
    return Part(words, sum(taken))


def _tools(form: SubAgentForm, facts: SubAgentFacts) -> Part:
    shared = [facts.shared_choice(agent_id) for agent_id in form.shared]
    private = [facts.private_choice(entry) for entry in form.private]
    choices = [one for one in (*private, *shared) if one is not None]
    count = sum(len(one.tools) for one in choices)
    words = "1 granted tool" if count == 1 else f"{count} granted tools"
    return Part(words, sum(one.tokens for one in choices))


def _reason(entry: JsonValue) -> str:
    """Return why an entry is as long as it is."""
    if not isinstance(entry, dict):
        return "short form: the file says it all"
    if entry.get(SHARED) or entry.get(PRIVATE):
        return "object form: it has grants"
    if any(entry.get(name) is not None for name in FIELDS):
        return "object form: it overrides fields"
    return "object form: it has an id of its own"


def _written(form: SubAgentForm, opened: Opened) -> int:
    """Return how many fields besides the description differ from their defaults in the file."""
    kept = set(read_prompt(opened.text).fields) - set(ATTRIBUTES)
    own = [
        name
        for name in ATTRIBUTES
        if name not in opened.overridden
        and name != "description"
        and form.value(name) != DEFAULTS.get(name)
    ]
    return len(own) + len(kept)
