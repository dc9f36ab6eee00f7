"""Trying a drafted agent: alone, and without a line of the character's own code (SUB-14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.engine.trying import TriedAgent, try_agent
from studio_qt.files import FolderSource, OverlaySource
from tests.support.window import write_package

pytestmark = pytest.mark.clause("SUB-14")

DRAFT = """/**
 * @agent my.draft
 * @tool look
 * @lib {lib}
 */
export function onToolCall() { return typeof globalThis.seen; }
"""
FOREIGN = """/**
 * @agent my.draft
 * @tool look
 */
export function onToolCall() { return "foreign code ran"; }
"""
LUA = """--[[
@agent my.draft
@tool look
]]
function on_tool_call() return "mine" end
"""


async def tried(
    folder: Path, path: str, code: str, buffers: dict[str, str] | None = None
) -> TriedAgent:
    source = OverlaySource(buffers or {}, FolderSource(folder))
    return await try_agent(source, "my.draft", path, code, [("look", {})])


@pytest.mark.parametrize("name", ["agents/lib/pick.js", "agents/lib/pick.min.js"])
async def test_a_library_of_the_character_is_not_run(tmp_path: Path, name: str) -> None:
    folder = write_package(tmp_path / "ada", {name: "globalThis.seen = 1;"})
    found = await tried(folder, "agents/my.draft.js", DRAFT.replace("{lib}", "pick"))
    assert [call.result for call in found.calls] != ["number"]
    assert "own libraries" in found.problems[0].message


async def test_a_file_that_would_be_taken_first_is_not_run(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada", {"agents/my.draft.js": FOREIGN})
    found = await tried(folder, "agents/my.draft.lua", LUA)
    assert [call.result for call in found.calls] == ["mine"]


async def test_unsaved_code_of_the_character_is_not_run_either(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    buffers = {"agents/my.draft.ts": FOREIGN, "agents/my.draft.lua": FOREIGN}
    found = await tried(folder, "agents/my.draft.lua", LUA, buffers)
    assert [call.result for call in found.calls] == ["mine"]


async def test_the_texts_of_the_character_are_there(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada", {"context/a.js": "a tale, not code"})
    code = """/**
 * @agent my.draft
 * @tool look
 * @api studio.context
 */
export function onToolCall(name, args, store, studio) { return studio.context.readFile("a.js"); }
"""
    found = await tried(folder, "agents/my.draft.js", code)
    assert found.problems == ()
    assert [call.result for call in found.calls] == ["a tale, not code"]
