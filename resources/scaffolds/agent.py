"""
@agent scaffold.agent-name
@version 1.0.0
@description Says in one sentence what this agent adds to the character.

Take the # away to switch a line on:
# @preload true
# @hook afterResponse
# @command @scaffold_tool note_command
# @api studio.history
# @api studio.context
# @debug true

@tool scaffold_tool
@tool-description Says when the model should call this tool, and for what.
@tool-params {"type":"object","properties":{"text":{"type":"string","description":"What to note down."}},"required":["text"]}
"""

# The store is kept for each conversation: {"notes": [str]}.


def on_load(store, studio, context):
    """What the model is told before each turn; called with `@preload true`."""
    notes = store.get("notes", [])
    return "Noted so far: " + "; ".join(notes) if notes else None


async def on_tool_call(tool_name, args, store, studio, context):
    """A tool call of the model; what is returned is what the model reads."""
    text = str(args.get("text", "")).strip()
    if not text:
        return "Nothing was given to note down."
    store.setdefault("notes", []).append(text)
    studio.log(f"noted: {text}")
    return f"Noted. There are {len(store['notes'])} notes now."


def on_after_response(event, store, studio, context):
    """After each response; called with `@hook afterResponse`."""
    store["responses"] = store.get("responses", 0) + 1


def note_command(args, store, studio, context):
    """The user's own command; called with `@command`. A sentence that is returned is an error."""
    if not args.strip():
        return "Write what is to be noted."
    store.setdefault("notes", []).append(args.strip())
    studio.log(f"noted: {args.strip()}")
    return None
