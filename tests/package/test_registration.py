from __future__ import annotations

import pytest

from studio_qt.package import AgentSpec, register
from studio_qt.package.manifest import parse_manifest
from tests.package.conftest import Load, js

pytestmark = pytest.mark.clause("PKG-08")


def spec(name: str, *tags: str) -> AgentSpec:
    source, file = js(name, *tags), f"agents/{name}.js"
    manifest = parse_manifest(source, "javascript", file)[0]
    return AgentSpec(name, file, "javascript", source, manifest, manifest.tools)


def test_tools_and_commands_are_in_load_order() -> None:
    agents = [
        spec("b", "@tool z", "@tool a", "@command @z go"),
        spec("a", "@tool m", "@command @a go"),
    ]
    found = register(agents)
    assert list(found.tools) == ["z", "a", "m"] and list(found.commands) == ["@z", "@a"]
    assert found.tools["m"].agent is agents[1] and found.problems == ()


def test_on_a_collision_the_first_wins_and_the_rest_of_the_later_works() -> None:
    first = spec("first", "@tool same", "@command @same a")
    later = spec("later", "@tool other", "@tool same", "@command @same b", "@command @more c")
    found = register([first, later])
    assert found.tools["same"].agent is first and found.commands["@same"].agent is first
    assert found.tools["other"].agent is later and found.commands["@more"].agent is later


def test_a_collision_is_a_warning_at_the_later_agents_line() -> None:
    found = register(
        [spec("first", "@tool t", "@command @c a"), spec("later", "@tool t", "@command @c b")]
    )
    assert [(p.severity, p.file, p.line) for p in found.problems] == [
        ("warning", "agents/later.js", 3),
        ("warning", "agents/later.js", 4),
    ]
    assert 'the tool "t" of agent "later" is left out: "first" has it' in found.problems[0].message


def test_commands_differ_by_case_and_nothing_registers_nothing() -> None:
    assert list(register([spec("a", "@command @C x", "@command @c y")]).commands) == ["@C", "@c"]
    assert register([]).tools == {}


def test_two_instances_of_one_file_keep_both_tools_and_one_command(load: Load) -> None:
    entries = [{"id": f"x.{name}", "implementation": "my.a"} for name in ("one", "two")]
    source = js("my.a", "@tool look", "@command @look go")
    package = load({"agents/my.a.js": source}, agents=entries)
    assert list(package.registration.tools) == ["one", "two"]
    assert package.registration.commands["@look"].agent.id == "x.one"
    assert package.problems == package.registration.problems
    assert len(package.problems) == 1
