"""Proof that a package plays: loaded as any player does, and one turn answered without network."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import PackageError, Problem, StudioError
from studio_qt.settings import PlayerSettings

__all__ = ["Proof", "prove_package"]

_HELLO = "Hello. Who are you?"
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Proof:
    """How it went: what Rehearsal answered, beginning, how many seconds, which warnings."""

    reply: str
    seconds: float
    warnings: tuple[Problem, ...] = ()


async def prove_package(place: Path) -> Proof:
    """Play one turn of a zip or folder with Rehearsal, in a folder of its own, and forget it.

    Raises PackageError where the package has an error, or does not answer.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="studio-proof-", ignore_cleanup_errors=True) as folder:
        settings = PlayerSettings(web_access=False)
        player = CharacterPlayer(
            place, base_url="rehearsal:", data_dir=Path(folder), settings=settings
        )
        try:
            await player.open()
            problems = player.problems()
            if broken := [one for one in problems if one.severity == "error"]:
                raise PackageError(_told(broken[0]), file=broken[0].file, line=broken[0].line)
            reply = await player.send(_HELLO)
        except PackageError:
            raise
        except StudioError as error:
            raise PackageError(f"The package does not answer: {error}") from error
        finally:
            await player.close()
    text = str(reply["content"])
    if not text.strip():
        raise PackageError("The package answers with nothing. Play the project, and look at it.")
    return Proof(text[:_LONGEST], time.monotonic() - started, tuple(problems))


def _told(problem: Problem) -> str:
    place = problem.file if problem.line is None else f"{problem.file}, line {problem.line}"
    return f"The package does not load whole: {place}: {problem.message}"
