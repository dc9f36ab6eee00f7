"""Embedding programs are told in one line of foreign code, and can load a package themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, PackageError
from studio_qt.package import CharacterPackage, load_package
from tests.support.packages import agent, build

COUNT = agent("t.count", "export const onToolCall = () => 'one';", tools=["count"])
PROGRAM = """
import asyncio, sys
from studio_qt import CharacterPlayer

async def main():
    async with CharacterPlayer(sys.argv[1], data_dir=sys.argv[2]) as player:
        print(sorted(player.character.foreign_languages))

asyncio.run(main())
"""


@pytest.mark.clause("SUB-14")
@pytest.mark.parametrize(
    ("agents", "languages", "lines"), [(["t.count"], "['javascript']", 1), ([], "[]", 0)]
)
def test_a_program_gets_one_line_that_names_the_languages(
    tmp_path: Path, agents: list[str], languages: str, lines: int
) -> None:
    files = {"agents/t.count.js": COUNT} if agents else {}
    folder = build(tmp_path / "p", files, agents=agents)
    words = [sys.executable, "-c", PROGRAM, str(folder), str(tmp_path / "data")]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == languages
    said = [line for line in done.stderr.splitlines() if "agent code of its own" in line]
    assert len(said) == lines
    assert all("(JavaScript)" in line for line in said)


async def test_a_player_loads_through_a_function_of_its_owner_at_each_reload(
    tmp_path: Path,
) -> None:
    folder = build(tmp_path / "p", {"agents/t.count.js": COUNT}, agents=["t.count"])
    loads: list[CharacterPackage] = []

    async def load() -> CharacterPackage:
        if len(loads) > 1:
            raise PackageError("Nobody agreed.")
        loads.append(load_package(folder))
        return loads[-1]

    async with CharacterPlayer(load, data_dir=tmp_path / "data") as player:
        await player.reload()
        assert len(loads) == 2
        with pytest.raises(PackageError, match="Nobody agreed"):
            await player.reload()
        assert await player.call_tool("count", {}) == "one"
