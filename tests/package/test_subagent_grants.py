"""Grants: shared references, private instances, and what is refused (SUB-04)."""

from __future__ import annotations

import pytest

from studio_qt.package import CharacterPackage, SubAgentSpec
from tests.package.conftest import Files, Load, js, messages

PROMPT = "---\ndescription: Knows names.\n---\nFind one.\n"
FILES: Files = {
    "agents/m.subagent.md": PROMPT,
    "agents/my.tool.js": js("my.tool", "@tool first", "@tool second"),
}


def marcus(shared: object = None, private: object = None, **more: object) -> dict[str, object]:
    entry: dict[str, object] = {
        "id": "eve.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "m.subagent.md",
        **more,
    }
    if shared is not None:
        entry["shared-agents"] = shared
    if private is not None:
        entry["private-agents"] = private
    return entry


def granted(package: CharacterPackage) -> SubAgentSpec:
    [found] = [agent.sub_agent for agent in package.agents if agent.sub_agent]
    return found


@pytest.mark.clause("SUB-04")
def test_shared_agents_are_found_whatever_the_order_of_agents(load: Load) -> None:
    names = ["my.tool", "studio.history-search"]
    before = load(FILES, agents=[*names, marcus(names)])
    after = load(FILES, agents=[marcus(names), *reversed(names)])
    assert before.problems == after.problems == ()
    assert granted(before).shared == granted(after).shared == ("my.tool", "studio.history-search")


@pytest.mark.clause("SUB-04", "PKG-07")
def test_private_agents_are_fresh_instances_under_the_sub_agents_id(load: Load) -> None:
    swords = {"id": "swords", "implementation": "studio.context-access", "contextFile": ".s.txt"}
    package = load(FILES, agents=["studio.memory-store", marcus(None, [swords, "my.tool"])])
    private = granted(package).private
    assert [agent.id for agent in private] == ["eve.marcus.swords", "eve.marcus.my.tool"]
    assert [agent.implementation for agent in private] == ["studio.context-access", "my.tool"]
    assert [[tool.name for tool in agent.tools] for agent in private] == [
        ["swords"],
        ["first", "second"],
    ]
    assert private[0].config == swords and private[0].sub_agent is None
    assert [agent.line for agent in private] == [9, 14]


@pytest.mark.clause("SUB-04")
def test_private_agents_are_in_no_list_of_the_character(load: Load) -> None:
    package = load(FILES, agents=["studio.dice-roller", marcus(None, ["studio.memory-store"])])
    assert [agent.id for agent in package.agents] == ["studio.dice-roller", "eve.marcus"]
    assert "store_memory" not in package.registration.tools
    assert "@memory" not in package.registration.commands


@pytest.mark.clause("SUB-04")
@pytest.mark.parametrize(
    ("entry", "line", "reason"),
    [
        (marcus(["nobody"]), 9, '"nobody", which is not among the loaded agents'),
        (marcus(["my.tool", "missing.js"]), 10, '"missing.js", which is not'),
        (marcus(["eve.marcus"]), 9, '"eve.marcus" is a sub-agent'),
        (marcus(["m"]), 9, '"m" is a sub-agent'),
        (marcus([5]), 9, "must be names of agents in quotes"),
        (marcus("my.tool"), 8, "shared-agents must be a list"),
        (marcus(None, "my.tool"), 8, "private-agents must be a list"),
        (marcus(None, [{"id": "x"}]), 9, 'objects with "id" and "implementation"'),
        (marcus(None, [None]), 9, "must be names"),
        (marcus(None, ["m.subagent.md"]), 9, "is a sub-agent"),
        (marcus(None, ["studio.sub-agent"]), 9, "is a sub-agent"),
        (marcus(None, [marcus()]), 9, "is a sub-agent"),
        (marcus(None, ["../x"]), 9, "holds '..'"),
    ],
)
def test_a_grant_that_cannot_be_given_keeps_its_sub_agent_out(
    load: Load, entry: dict[str, object], line: int, reason: str
) -> None:
    package = load(FILES, agents=["my.tool", entry, "m.subagent.md"])
    assert [agent.id for agent in package.agents] == ["my.tool", "m"]
    [problem] = package.problems
    assert (problem.severity, problem.file) == ("error", "config.json")
    assert problem.line == line
    assert reason in problem.message and '"eve.marcus" is not offered' in problem.message


@pytest.mark.clause("SUB-04")
def test_a_shared_agent_that_could_not_be_loaded_is_unknown(load: Load) -> None:
    package = load({**FILES, "agents/bad.js": "no manifest"}, agents=["bad", marcus(["bad"])])
    assert package.agents == ()
    assert "not among the loaded agents" in messages(package)[-1]


@pytest.mark.clause("SUB-04", "PKG-10")
def test_a_private_agent_whose_file_is_missing_leaves_the_others(load: Load) -> None:
    package = load(FILES, agents=[marcus(None, ["none", "my.tool"])])
    assert [agent.id for agent in granted(package).private] == ["eve.marcus.my.tool"]
    [problem] = package.problems
    assert (problem.severity, problem.line) == ("error", 8)


@pytest.mark.clause("SUB-04", "PKG-14")
def test_two_stores_never_have_one_name(load: Load) -> None:
    taken = {"id": "eve.marcus.my.tool", "implementation": "my.tool"}
    package = load(FILES, agents=[marcus(None, ["my.tool", "my.tool"]), taken])
    assert granted(package).private == ()
    assert [agent.id for agent in package.agents] == ["eve.marcus", "eve.marcus.my.tool"]
    assert len(package.problems) == 2
    twice = load(FILES, agents=[marcus(None, ["my.tool", "my.tool"])])
    assert len(granted(twice).private) == 1
    assert "listed twice" in messages(twice)[0]


@pytest.mark.clause("SUB-04")
def test_the_same_shared_agent_twice_is_one_grant_and_a_warning(load: Load) -> None:
    package = load(FILES, agents=["my.tool", marcus(["my.tool", "my.tool"])])
    assert granted(package).shared == ("my.tool",)
    assert [problem.severity for problem in package.problems] == ["warning"]


@pytest.mark.clause("SUB-07")
def test_a_granted_tool_that_a_private_one_hides_is_told(load: Load) -> None:
    package = load(FILES, agents=["my.tool", marcus(["my.tool"], ["my.tool"])])
    assert len(granted(package).private) == len(granted(package).shared) == 1
    assert [(problem.severity, problem.line) for problem in package.problems] == [
        ("warning", 4),
        ("warning", 4),
    ]
    message = package.problems[0].message
    assert 'among the grants of "eve.marcus", the tool "first" of agent "my.tool"' in message


@pytest.mark.clause("PKG-09")
def test_a_broken_default_store_of_a_private_agent_is_a_problem(load: Load) -> None:
    files: Files = {**FILES, "eve.marcus.my.tool.agent.json": "[]"}
    package = load(files, agents=[marcus(None, ["my.tool"])])
    assert [problem.file for problem in package.problems] == ["eve.marcus.my.tool.agent.json"]


@pytest.mark.clause("LANG-01")
def test_a_private_agent_in_a_language_that_is_missing_makes_the_character_unplayable(
    load: Load,
) -> None:
    from studio_qt.package import load_package

    files: Files = {**FILES, "agents/p.py": '"""@agent p\n@tool t"""\n'}
    package = load(files, agents=[marcus(None, ["p"])])
    again = load_package(package.source, missing={"python": "it is not installed"})
    assert [agent_id for agent_id, _ in again.unplayable] == ["eve.marcus.p"]
