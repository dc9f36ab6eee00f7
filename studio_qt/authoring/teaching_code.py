"""What a generator is taught of agents in code, in each of the four languages (STU-09)."""

from __future__ import annotations

from collections.abc import Mapping

from studio_qt.package.model import Language
from studio_qt.resources import resource_text

__all__ = ["SUFFIXES", "agent_format", "agent_request"]

SUFFIXES: Mapping[Language, str] = {
    "javascript": ".js",
    "typescript": ".ts",
    "python": ".py",
    "lua": ".lua",
}
_NAMES: Mapping[Language, str] = {
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "python": "Python",
    "lua": "Lua",
}
_OWN: Mapping[Language, str] = {
    "javascript": """\
- The manifest is the first comment /** … */, each tag on a line that begins with " * ".
- Handlers are exported functions: export function onLoad, export async function onToolCall(
  toolName, args, store, studio, context). They may be async.
- No import, no require, no DOM, no fetch, no timers. Plain ECMAScript.""",
    "typescript": """\
- The manifest is the first comment /** … */, each tag on a line that begins with " * ".
- Handlers are exported functions with types: export async function onToolCall(toolName: string,
  args: Args, store: Store, studio: Studio, context: Context). Declare these interfaces yourself.
- No import, no require, no DOM, no fetch, no timers, no enums or namespaces that emit imports.""",
    "python": """\
- The manifest is the module's docstring; tags begin their lines, without a star.
- Handlers are functions of the module: on_load, on_tool_call(tool_name, args, store, studio,
  context), on_after_response … They may be async def. store and args are dicts.
- Bridge calls are awaited in async functions: await studio.history.search(query).
- Only what is pure in the standard library (json, re, math, random, datetime). No files, no
  network, no threads.""",
    "lua": """\
- The manifest is the first comment --[[ … ]] of the file; tags begin their lines.
- Handlers are global functions: function on_load(store, studio, context), function
  on_tool_call(tool_name, args, store, studio, context). Lua 5.4; no io, os.execute, require, load.
- Bridge calls end in :await(), such as studio.history.search(query):await().
- A list that is empty is stored as {}; tolerate both.""",
}

_FORMAT = """\
You write agents for Character Studio, a tool for making AI characters. An agent is one file of
{language} that gives the model that plays the character tools, and keeps a state of its own in
each conversation. It runs in a sandbox.

THE MANIFEST
The file begins with a block of tags. They are read without running the code.
- @agent NAME: required, exactly the name that you are given.
- @version 1.0.0
- @description One sentence for people.
- @tool NAME, then @tool-description (when the model should call it, and for what), then
  @tool-params (a JSON Schema of an object, on one line). One such group for each tool. Tool names
  are lower case with _, and none that exists already.
- @preload true: onLoad is called before each turn.
- @command @NAME FUNCTION: the user's own command, handled by that function.
- @hook EVENT: conversationStart, beforeResponse, afterResponse, afterToolCall or afterUserEdit.
- @api studio.history, @api studio.context or @api studio.model: only what is called; toast and log
  need none.
There are no other tags.

WHAT THE FILE DEFINES
- onLoad(store, studio, context): returns a short text that the model is told, or nothing.
- onToolCall(toolName, args, store, studio, context): returns the text that the model reads. Tell
  it in words what happened; for wrong arguments say what was expected, and do not throw.
- A command's function(args, store, studio, context): args is the text after the command; returning
  a text means an error that is shown, returning nothing means success.
- A hook's function(event, store, studio, context): onAfterResponse for afterResponse, and so on.
- store: a plain object of the conversation, {{}} at first. Change it in place; it must stay JSON.
- studio.log(text) writes a line that the user sees, studio.toast(text) shows a notice,
  studio.history.search(query) and studio.history.range(start, end) find turns,
  studio.context.readFile(name) reads a context file or gives null,
  studio.callModel(system, messages, maxTokens) asks a model.
- context: invokedBy, conversationLength, characterName, agentId, toolCallId.

{own}

AN EXAMPLE (tags with a # are switched off)
```{fence}
{example}
```

THE ANSWER
First the whole file in one code fence. Then, in a fence of json, two to four example calls that
show every tool at work, in the order in which they are to be made:
```json
[{{"tool": "tool_name", "args": {{"text": "…"}}}}]
```
Nothing else. Keep the file short: the fewest tools that fulfil the wish, no dead code."""

_REQUEST = """\
{inventory}

The new agent must do something that none of these does already, and its tools need names that
none of these has.

Its name: {name}
What its author wishes:
<wish>
{wish}
</wish>"""


def agent_format(language: Language) -> str:
    """Return what is taught of agents in a language."""
    suffix = SUFFIXES[language]
    example = resource_text(f"scaffolds/agent{suffix}")
    for placeholder, value in (("scaffold.agent-name", "my.notes"), ("scaffold_tool", "note")):
        example = example.replace(placeholder, value)
    return _FORMAT.format(
        language=_NAMES[language], own=_OWN[language], fence=language, example=example.strip()
    )


def agent_request(inventory: str, name: str, wish: str) -> str:
    """Return what is asked for an agent; `inventory` is names alone."""
    return _REQUEST.format(inventory=inventory, name=name, wish=wish)
