"""From the words of a command to a player: who answers, with which key, and what to say of it."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from studio_qt.engine.models import REHEARSAL_URL
from studio_qt.engine.places import default_data_folder, missing_languages
from studio_qt.engine.player import CharacterPlayer
from studio_qt.package import CharacterPackage, load_package
from studio_qt.package.download import download_package, is_url
from studio_qt.package.foreign import foreign_code_sentence
from studio_qt.providers.connections import ConnectionFile
from studio_qt.providers.keys import Keys
from studio_qt.settings import home_folder

__all__ = [
    "Choices",
    "announce_code",
    "announce_connection",
    "api_key",
    "configured",
    "load",
    "make_player",
]


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command's words say of the package and the connection.

    `connection` is the name of the saved connection that fills in what they leave open.
    """

    package: str
    base_url: str | None = None
    model: str | None = None
    worker_model: str | None = None
    data_dir: Path | None = None
    connection: str | None = None

    @property
    def rehearses(self) -> bool:
        """Whether the built-in offline model answers: without another choice it does."""
        return self.base_url is None or self.base_url.startswith(REHEARSAL_URL)


def configured(choices: Choices) -> Choices:
    """Return the choices with the connection of the settings, where the words name no address."""
    if choices.base_url is not None:
        return choices
    file = ConnectionFile(home_folder())
    chosen = file.load().chosen
    for sentence in file.notices:
        _note(sentence)
    if chosen is None:
        return choices
    return replace(
        choices,
        base_url=chosen.base_url,
        model=choices.model or chosen.model,
        worker_model=choices.worker_model or chosen.worker_model,
        connection=chosen.name,
    )


async def load(package: str) -> CharacterPackage:
    """Load a folder, a zip, or the zip at an address, with all its problems.

    Raises PackageError only when it cannot be opened at all.
    """
    where = await download_package(package) if is_url(package) else package
    return await asyncio.to_thread(load_package, where, missing=missing_languages())


def make_player(choices: Choices, package: CharacterPackage) -> CharacterPlayer:
    """Return a player that is not open yet; call it on the loop that it is to live on."""
    return CharacterPlayer(
        package,
        None if choices.rehearses else api_key(choices.base_url or ""),
        choices.base_url,
        choices.model,
        worker_model=choices.worker_model,
        data_dir=choices.data_dir or default_data_folder(choices.package),
    )


def api_key(base_url: str) -> str | None:
    """Return the key of an endpoint: `STUDIO_API_KEY`, else what is kept for it, else None."""
    if key := os.environ.get("STUDIO_API_KEY", "").strip():
        return key
    kept = Keys(home_folder()).find(base_url)
    return kept.key if kept else None


def announce_connection(choices: Choices) -> None:
    """Say on stderr who answers, where the command's words do not."""
    if choices.rehearses:
        _note(
            "Rehearsal answers, the built-in offline model; --base-url and --model choose another."
        )
    elif choices.connection:
        _note(
            f"{choices.connection} answers, as chosen in the settings; "
            "--base-url rehearsal: plays offline."
        )


def announce_code(package: CharacterPackage) -> None:
    """Say on stderr in which languages the package brings code that is not ours (SUB-14)."""
    if said := foreign_code_sentence(package):
        _note(said)


def _note(sentence: str) -> None:
    sys.stderr.write(f"{' '.join(sentence.split())}\n")
