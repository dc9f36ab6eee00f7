"""The / commands of the terminal player."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, JsonValue

__all__ = ["COMMANDS", "Answer", "Slash", "run_slash"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found: lines for people, a value for programs."""

    lines: Sequence[str]
    data: JsonValue = None


@dataclass(frozen=True, slots=True)
class Slash:
    """A command: how it is called, what it does, and the function that does it."""

    usage: str
    purpose: str
    act: Callable[[CharacterPlayer, str], Awaitable[Answer]]


async def run_slash(player: CharacterPlayer, line: str) -> Answer:
    """Run `/name rest`; raises StudioError for an unknown name and for what goes wrong."""
    name, _, rest = line.strip().partition(" ")
    if name not in COMMANDS:
        raise StudioError(f"There is no {name} here. /help lists what there is.")
    return await COMMANDS[name].act(player, rest.strip())


async def _help(player: CharacterPlayer, _rest: str) -> Answer:
    width = max(len(slash.usage) for slash in COMMANDS.values())
    lines = [f"{slash.usage:<{width}}  {slash.purpose}" for slash in COMMANDS.values()]
    if commands := player.commands():
        lines.append(f"{'@…':<{width}}  a command of the character: {', '.join(commands)}")
    lines.append(f"{'/quit':<{width}}  leave; so do Ctrl-C at the prompt and the end of the input")
    lines.append(f"{'//…':<{width}}  a message that begins with /")
    return Answer(lines, {name: slash.purpose for name, slash in COMMANDS.items()})


async def _new(player: CharacterPlayer, _rest: str) -> Answer:
    started = await player.new_conversation()
    return Answer([f"Started {started}.", *_introduction(player)], {"id": started})


def _introduction(player: CharacterPlayer) -> list[str]:
    introduction = player.character.introduction.strip()
    return [introduction] if introduction else []


async def _list(player: CharacterPlayer, _rest: str) -> Answer:
    conversations = await player.list_conversations()
    lines = [
        f"{'*' if found['id'] == player.conversation_id else ' '} {found['id']}  "
        f"{found['messages']} messages  {found['title'] or ''}".rstrip()
        for found in conversations
    ]
    return Answer(lines or ["No conversation yet."], list(conversations))


async def _load(player: CharacterPlayer, rest: str) -> Answer:
    if not rest:
        raise StudioError("Say which one: /load ID, with an id that /list shows.")
    await player.load_conversation(rest)
    return Answer([f"Playing {rest}, {len(player)} entries."], {"id": rest})


async def _clear(player: CharacterPlayer, _rest: str) -> Answer:
    await player.clear()
    return Answer(["Cleared; what the agents stored is kept."])


async def _retry(player: CharacterPlayer, _rest: str) -> Answer:
    await player.regenerate()
    return Answer([])


async def _commands(player: CharacterPlayer, _rest: str) -> Answer:
    commands = player.commands()
    return Answer(commands or ["This character has no commands."], list(commands))


async def _log(player: CharacterPlayer, _rest: str) -> Answer:
    entries = [entry for entry in player.get_conversation() if entry["role"] == "log"]
    lines = [f"{entry.get('agentId', '')}: {entry['content']}" for entry in entries]
    return Answer(lines or ["The log of this conversation is empty."], list(entries))


async def _usage(player: CharacterPlayer, _rest: str) -> Answer:
    usage: JsonObject = dict(player.usage())
    return Answer(
        [
            f"Agents used {usage['agentTokensThisResponse']} tokens in the last response, "
            f"{usage['agentTokensThisConversation']} in this conversation."
        ],
        usage,
    )


async def _problems(player: CharacterPlayer, _rest: str) -> Answer:
    problems = [str(problem) for problem in player.problems()]
    return Answer(problems or ["No problems."], list(problems))


async def _walls(player: CharacterPlayer, _rest: str) -> Answer:
    walls = player.walls()
    return Answer(walls or ["No agent code runs, so there are no walls."], list(walls))


COMMANDS = {
    "/help": Slash("/help", "show this list", _help),
    "/new": Slash("/new", "start a new conversation", _new),
    "/list": Slash("/list", "list the conversations", _list),
    "/load": Slash("/load ID", "take up another conversation", _load),
    "/clear": Slash("/clear", "remove all messages of this conversation", _clear),
    "/retry": Slash("/retry", "ask again for an answer to the last message", _retry),
    "/commands": Slash("/commands", "list the character's @ commands", _commands),
    "/log": Slash("/log", "show what agents logged in this conversation", _log),
    "/usage": Slash("/usage", "show the tokens that agents used", _usage),
    "/walls": Slash("/walls", "show what keeps agent code in", _walls),
    "/problems": Slash("/problems", "list what is wrong with the package", _problems),
}
