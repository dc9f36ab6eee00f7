"""Unsaved text on top of the files: it plays at the next call (STU-01)."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import CharacterPlayer
from studio_qt.files import FolderSource, OverlaySource
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent, build

TOOL = "export const onToolCall = () => '{}';"


def tool(word: str) -> str:
    return agent("t.a", TOOL.format(word), tools=["a"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build(tmp_path / "package", {"agents/t.a.js": tool("saved"), "instructions.txt": "Old."})


@pytest.mark.clause("STU-01")
async def test_text_that_is_not_saved_plays_at_the_next_call(
    project: Path, model: ModelServer
) -> None:
    buffers: dict[str, str] = {}
    player = CharacterPlayer(
        OverlaySource(buffers, FolderSource(project)),
        base_url=model.base_url,
        model="m",
        before_call=lambda: player.reload(),  # noqa: PLW0108  (it is not there yet)
    )
    model.script(text("Ok."))
    async with player:
        assert await player.call_tool("a", {}) == "saved"
        buffers.update({"agents/t.a.js": tool("typed"), "instructions.txt": "New."})
        assert await player.call_tool("a", {}) == "typed"
        await player.send("Hi")
    assert "New." in str(model.requests[-1].messages)
    assert (project / "conversations" / "conversation_01.json").is_file()
    assert (project / "instructions.txt").read_text() == "Old."


@pytest.mark.clause("PERS-03", "STU-04")
async def test_a_default_is_set_in_the_folder_below_open_editors(project: Path) -> None:
    async with CharacterPlayer(OverlaySource({}, FolderSource(project))) as player:
        await player.set_store("t.a", {"seen": 1})
        await player.save_default("t.a")
    assert '"seen": 1' in (project / "t.a.agent.json").read_text()


BROKEN = {
    "manifest": "/**\n * @agent t.a\n * @tool a\n * @tool-params {\n */\n",
    "code": agent("t.a", "export const onToolCall = ;", tools=["a"]),
}


@pytest.mark.clause("STU-02")
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
async def test_the_old_agent_runs_until_the_new_one_loads_and_the_problem_says_so(
    project: Path, broken: str
) -> None:
    buffers: dict[str, str] = {}
    async with CharacterPlayer(OverlaySource(buffers, FolderSource(project))) as player:
        buffers["agents/t.a.js"] = broken
        await player.reload()
        assert await player.call_tool("a", {}) == "saved"
        said = [problem for problem in player.problems() if problem.file == "agents/t.a.js"]
        told = [one.message.partition("The version from before keeps running") for one in said]
        assert any(found and (not before or before.endswith(". ")) for before, found, _ in told)
        buffers["agents/t.a.js"] = tool("mended")
        await player.reload()
        assert await player.call_tool("a", {}) == "mended"
        assert player.problems() == []


@pytest.mark.clause("STU-02")
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
async def test_undoing_what_broke_an_agent_leaves_no_problem(project: Path, broken: str) -> None:
    buffers: dict[str, str] = {}
    async with CharacterPlayer(OverlaySource(buffers, FolderSource(project))) as player:
        buffers["agents/t.a.js"] = broken
        await player.reload()
        assert player.problems()
        buffers.clear()
        await player.reload()
        assert player.problems() == []


@pytest.mark.clause("STU-02", "SUB-02")
async def test_a_sub_agent_whose_form_is_broken_stays_as_it_was(tmp_path: Path) -> None:
    prompt = "---\ndescription: Asks.\n---\nAnswer."
    files = {"agents/ask.subagent.md": prompt}
    project = build(tmp_path / "package", files, agents=["ask.subagent.md"])
    buffers: dict[str, str] = {}
    async with CharacterPlayer(OverlaySource(buffers, FolderSource(project))) as player:
        before = player.tools()
        buffers["agents/ask.subagent.md"] = "---\nhistory: [\n---\nAnswer."
        await player.reload()
        assert player.tools() == before
        assert any("keeps running" in problem.message for problem in player.problems())


@pytest.mark.clause("STU-02")
async def test_an_agent_whose_file_is_gone_goes(project: Path) -> None:
    async with CharacterPlayer(project) as player:
        (project / "agents/t.a.js").unlink()
        await player.reload()
        assert player.tools() == []


@pytest.mark.clause("STU-04")
async def test_the_roster_tells_files_tools_grants_and_owners(tmp_path: Path) -> None:
    grants = {"private-agents": ["t.memory"], "shared-agents": ["t.a"]}
    entry = {"id": "ask", "implementation": "studio.sub-agent", "promptFile": "ask.subagent.md"}
    files = {
        "agents/t.a.js": tool("x"),
        "agents/t.memory.js": agent("t.memory", TOOL, tools=["keep"], commands={"@note": "note"}),
        "agents/ask.subagent.md": "---\ndescription: Asks.\n---\nAnswer.",
    }
    project = build(tmp_path / "package", files, agents=["t.a", {**entry, **grants}])
    async with CharacterPlayer(project) as player:
        known = {found.id: found for found in player.agents()}
    assert list(known) == ["t.a", "ask", "ask.t.memory"]
    assert (known["t.a"].file, known["t.a"].tools) == ("agents/t.a.js", ("a",))
    asking = known["ask"]
    assert (asking.file, asking.shared) == ("agents/ask.subagent.md", ("t.a",))
    assert (known["ask.t.memory"].owner, asking.owner) == ("ask", None)
