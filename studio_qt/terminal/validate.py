"""`studio-qt validate`: everything that is wrong with a package, loading its agents included."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import PackageError, Problem, StudioError
from studio_qt.jsontext import encode
from studio_qt.package import CharacterPackage
from studio_qt.terminal.opening import load

__all__ = ["find_problems", "validate"]


def validate(package: str, *, as_json: bool) -> int:
    """Print every problem; return 0 when none is worse than a warning, else 1.

    Raises PackageError when the package cannot be opened at all; with `as_json` that is a problem
    like the others.
    """
    try:
        problems = asyncio.run(_check(package))
    except PackageError as error:
        if not as_json:
            raise
        problems = [Problem("error", "", None, str(error))]
    for problem in problems:
        sys.stdout.write(f"{_as_json(problem) if as_json else problem}\n")
    if not as_json:
        sys.stdout.write(f"{_summary(problems)}\n")
    return int(any(problem.severity == "error" for problem in problems))


async def _check(package: str) -> list[Problem]:
    return await find_problems(await load(package))


async def find_problems(package: CharacterPackage) -> list[Problem]:
    """Return the problems of the files and those that show when the agents are loaded.

    The package's own conversations are not touched.
    """
    if package.unplayable:
        return list(package.problems)
    with TemporaryDirectory(prefix="studio-qt-") as scratch:
        player = CharacterPlayer(package, data_dir=Path(scratch))
        player.on("agentToast", lambda text: sys.stderr.write(f"{text}\n"))  # what takes long
        try:
            async with player:
                found = player.problems()
        except StudioError as error:
            found = [Problem("error", "config.json", None, str(error))]
    return list(dict.fromkeys((*package.problems, *found)))


def _as_json(problem: Problem) -> str:
    return encode(
        {
            "severity": problem.severity,
            "file": problem.file,
            "line": problem.line,
            "message": problem.message,
        }
    )


def _summary(problems: Sequence[Problem]) -> str:
    if not problems:
        return "No problems."
    errors = sum(problem.severity == "error" for problem in problems)
    return f"{_count(errors, 'error')}, {_count(len(problems) - errors, 'warning')}."


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
