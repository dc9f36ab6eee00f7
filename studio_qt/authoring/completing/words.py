"""What the names of a character's files mean, in our words: fields, macros, tags, keys."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "API_HELP",
    "CONFIG_HELP",
    "ENTRY_HELP",
    "FIELD_HELP",
    "HOOK_HELP",
    "MACRO_HELP",
    "MAPPING_HELP",
    "TAG_HELP",
    "VALUE_HELP",
]

FIELD_HELP: Mapping[str, tuple[str, str]] = {
    "id": (
        "the file's name",
        "The id of the instance where config.json lists the file by its name alone. It makes the "
        "tool's name and the command's. It cannot begin with studio.",
    ),
    "description": (
        "needed",
        "What the model reads to decide whether to call the sub-agent. Say what it knows or does, "
        "and when it is to be called; be a little pushy.",
    ),
    "params": (
        "one text",
        "What the tool takes, as a JSON Schema. Without it the model passes one free text, "
        "`request`, which nearly every sub-agent can do with.",
    ),
    "history": (
        "none",
        "How much of the conversation the sub-agent sees: `none`, `recent:10` for the last ten "
        "messages, or `full`. The less it sees, the cheaper and the more predictable it is.",
    ),
    "contextFiles": (
        "no files",
        "Files of the context folder that go whole into the prompt, in this order, with every "
        "call. They stand above the prompt, or where `%%CONTEXT%%` is. Files that begin with a dot "
        "are kept out of the character's own context.",
    ),
    "model": (
        "worker",
        "Which of the user's two models answers: `worker` or `main`. No other model can be named, "
        "since it is the user who pays for it.",
    ),
    "maxTokens": (
        "1024",
        "How long an answer may be, 1 to 8192 tokens. A model reads the answer, so keep it short.",
    ),
    "maxRounds": (
        "5",
        "How often the sub-agent may call the tools that it is granted before it has to answer, "
        "1 to 10. Each round is a model call.",
    ),
    "temperature": (
        "the model's own",
        "How freely words are chosen, 0 to 2. Low for facts, such as 0.2; high for voices.",
    ),
    "topP": ("the model's own", "How much of the likely words is considered, 0 to 1."),
    "debug": (
        "false",
        "With `true`, the agent log gets what each call and each round cost, and every use of a "
        "granted tool.",
    ),
}
"""Each field of a frontmatter: what counts without it, and what it is for (SUB-02)."""

VALUE_HELP: Mapping[str, Mapping[str, str]] = {
    "history": {
        "none": "Sees only the request, its context files and what it is granted. Cheapest.",
        "recent:10": "Sees the last ten messages too. Any number does: `recent:4`.",
        "recent:4": "Sees the last four messages too.",
        "recent:20": "Sees the last twenty messages too.",
        "full": "Sees the whole conversation, with every call. Dear in a long one.",
    },
    "model": {
        "worker": "The user's worker model: lookups, checks, conversions.",
        "main": "The model of the conversation: voices, where prose is what matters.",
    },
    "debug": {
        "true": "The agent log gets what each call costs.",
        "false": "Only failures are logged.",
    },
    "maxTokens": {
        "256": "A sentence or two.",
        "512": "A paragraph.",
        "1024": "Half a page; what counts without the field.",
        "2048": "A page.",
        "4096": "Some pages.",
    },
    "maxRounds": {
        "3": "Two looks, then the answer.",
        "5": "What counts without the field.",
        "10": "The most there is.",
    },
    "temperature": {
        "0.2": "For facts and lists.",
        "0.7": "For prose.",
        "1.0": "For voices that surprise.",
    },
    "topP": {"0.9": "Leaves the least likely words out.", "1.0": "Leaves nothing out."},
}
"""Values that a field is often given, with what each means."""

MACRO_HELP: Mapping[str, str] = {
    "CONTEXT": "The files of contextFiles, one after the other. Without it they stand above the "
    "prompt.",
    "CHARACTER_INSTRUCTIONS": "The character's instructions.",
    "HISTORY": "What of the conversation the sub-agent sees. Without it the messages come after "
    "the prompt, as a conversation.",
    "STORE": "What a granted agent has stored, as JSON, at each call. The name is that of a grant; "
    "private ones come first.",
}
"""What stands in the place of each macro."""

TAG_HELP: Mapping[str, tuple[str, str]] = {
    "agent": ("id", "The agent's id, with a prefix of your own: `mysite.weather`. Needed."),
    "version": ("number", "Which version of the agent this is. Only people read it."),
    "description": ("sentence", "What the agent adds to a character, for people."),
    "tool": (
        "name",
        "A tool that the model can call. Its description and parameters follow on lines of their "
        "own; onToolCall answers it.",
    ),
    "tool-description": ("sentence", "When the model is to call the tool above, and for what."),
    "tool-params": (
        "JSON Schema",
        "What the tool above takes: an object with properties. It may go on over several lines. "
        "Without it the tool takes nothing.",
    ),
    "command": (
        "@name handler",
        "A command that the user can type, and the exported function that answers it. A text that "
        "the function returns is shown as an error.",
    ),
    "preload": (
        "true",
        "Calls onLoad before each turn; the text that it returns is told to the model.",
    ),
    "api": (
        "namespace",
        "A part of the bridge that the agent uses. Without the line its methods refuse.",
    ),
    "lib": (
        "name",
        "A library in agents/lib that is there as a global when the agent runs. Only for "
        "JavaScript and TypeScript.",
    ),
    "hook": ("event", "An event that the agent hears of by an exported handler."),
    "debug": ("true", "Writes every call, with its time, into the agent log."),
}
"""Each tag of a manifest: what follows it, and what it is for (MAN-02)."""

API_HELP: Mapping[str, str] = {
    "studio.history": "Searching and reading what was said.",
    "studio.context": "Reading files of the context folder.",
    "studio.model": "Asking the user's models. It spends tokens, and a call may take 120 seconds.",
    "studio.grants": "Reading the stores of granted agents; for sub-agents.",
    "studio.web": "Reading public pages, where the user allows it.",
}
"""The namespaces that have to be declared (BR-09)."""

HOOK_HELP: Mapping[str, str] = {
    "conversationStart": "Once, before anything else happens in a conversation.",
    "beforeResponse": "After the user has sent a message, before the request is made.",
    "afterResponse": "After the character has answered, tool calls and all.",
    "afterToolCall": "After another agent has answered a tool call of the model.",
    "afterUserEdit": "After the user has taken back turns with tool calls in them.",
}
"""The events that a manifest can ask for."""

CONFIG_HELP: Mapping[str, str] = {
    "name": "The character's name, as models and people read it.",
    "version": "Which version of the character this is.",
    "model": "The model that the character was written for; the user can choose another.",
    "agents": "What the character can do: names of built-ins and of files in agents/, or objects "
    "with an id and an implementation. The first one to claim a tool's name has it.",
    "fileMappings": "Where the character's texts lie, if not under their usual names.",
}
"""The keys of config.json."""

MAPPING_HELP: Mapping[str, str] = {
    "Instructions": "Who the character is; instructions.txt without it.",
    "System Prompt": "What the system message is made of; system-prompt.txt without it.",
    "Description": "A short description for people; description.txt without it.",
    "Introduction": "The first message; intro.txt without it.",
    "ContextDirectory": "The folder of the context files; context without it.",
}
"""The keys of `fileMappings`."""

ENTRY_HELP: Mapping[str, str] = {
    "id": "What the instance is called. The part after the last dot makes the tool's name.",
    "implementation": "What it is an instance of: a built-in, or a file in agents/ without its "
    "ending. `studio.sub-agent` for a sub-agent.",
    "promptFile": "The sub-agent's file, relative to agents/.",
    "contextFile": "The file of the context folder that the instance looks things up in.",
    "shared-agents": "Agents of the list that the sub-agent may use. It sees and changes the same "
    "stores as the character.",
    "private-agents": "Agents of its own, which nobody else sees: the character cannot read what "
    "they store.",
}
"""The keys of an entry of `agents` that no frontmatter has."""
