"""`studio-qt play`: a character in the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.package import CharacterPackage
from studio_qt.terminal.loop import LoopThread
from studio_qt.terminal.opening import (
    Choices,
    announce_code,
    announce_connection,
    configured,
    load,
    make_player,
)
from studio_qt.terminal.output import JsonOutput, Output, TextOutput
from studio_qt.terminal.prompt import interruptible
from studio_qt.terminal.slash import run_slash

__all__ = ["play"]

_SHOWN_AGAIN = 2
"""How many texts of a conversation that is taken up are shown once more."""


def play(choices: Choices, conversation: str | None, *, as_json: bool) -> int:
    """Play until the input ends; return 0, or 1 when a line of a piped input failed.

    Raises StudioError when the package or the conversation cannot be opened.
    """
    output = JsonOutput() if as_json else TextOutput()
    by_hand = sys.stdin.isatty()
    choices = configured(choices)
    with LoopThread() as loop:
        package = loop.run(load(choices.package))
        announce_connection(choices)
        announce_code(package)
        player = loop.run(_open(choices, package, conversation, output))
        try:
            prompt = "\n> " if by_hand and sys.stdout.isatty() and not as_json else ""
            lines = _lines(prompt, by_hand=by_hand)
            faults = sum(not _do(loop, player, output, line) for line in lines)
        finally:
            loop.run(player.close())
    return 1 if faults and not by_hand else 0


async def _open(
    choices: Choices, package: CharacterPackage, conversation: str | None, output: Output
) -> CharacterPlayer:
    player = make_player(choices, package)
    output.follow(player)
    try:
        await player.open()
        if conversation is not None:
            await player.load_conversation(conversation)
        output.answer("opened", *_greeting(player))
    except BaseException:
        await player.close()
        raise
    return player


def _greeting(player: CharacterPlayer) -> tuple[list[str], JsonObject]:
    """Return what is said at the start: for people, and for programs."""
    character = player.character
    lines = [character.name, *filter(None, [character.description])]
    if talk := [entry for entry in player.get_conversation() if _is_talk(entry)]:
        lines += ["", f"({player.conversation_id} goes on after {len(talk)} messages)"]
        lines += [f"{entry['role']}: {entry['content']}" for entry in talk[-_SHOWN_AGAIN:]]
    else:
        lines += ["", character.introduction.strip()]
    if problems := player.problems():
        lines.append(f"({len(problems)} problems in the package; /problems lists them)")
    return lines, {
        "character": character.name,
        "description": character.description,
        "introduction": character.introduction,
        "conversation": player.conversation_id,
        "entries": len(player),
        "model": character.model_label,
    }


def _is_talk(entry: JsonObject) -> bool:
    return entry["role"] in ("user", "assistant") and bool(entry.get("content"))


def _lines(prompt: str, *, by_hand: bool) -> Iterator[str]:
    """Yield what is typed or piped in, until it ends, Ctrl-C at the prompt, or `/quit`."""
    if prompt:
        with contextlib.suppress(ImportError):  # line editing and history, where there are any
            import readline  # noqa: F401
    try:
        while (line := _line(prompt, by_hand=by_hand)).strip() != "/quit":
            yield line
    except EOFError:
        pass
    except KeyboardInterrupt:
        sys.stdout.write("\n")


def _line(prompt: str, *, by_hand: bool) -> str:
    with interruptible() if by_hand else contextlib.nullcontext():
        return input(prompt)


def _do(loop: LoopThread, player: CharacterPlayer, output: Output, line: str) -> bool:
    """Play one line and return whether it went well.

    Ctrl-C stops the reply; a second one while it is stopping ends the program.
    """
    try:
        loop.run(_act(player, output, line.strip()), on_interrupt=player.stop)
    except StudioError as error:
        output.failed(error)
        return False
    return True


async def _act(player: CharacterPlayer, output: Output, line: str) -> None:
    if line.startswith("/") and not line.startswith("//"):
        answer = await run_slash(player, line)
        output.answer(line.split(maxsplit=1)[0].removeprefix("/"), answer.lines, answer.data)
    elif line.startswith("@"):
        result = await player.command(line)
        output.answer("command", (), {"ok": result.ok, "error": result.error})
        if not result.ok:
            raise StudioError(result.error or f"{line} failed.")
    elif line:
        await player.send(line.removeprefix("/") if line.startswith("//") else line)
