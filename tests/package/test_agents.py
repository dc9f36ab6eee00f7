from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.package import load_package
from tests.package.conftest import Files, Load, js, messages

PY = '"""@agent {0}\n@tool from_py"""\n'
LUA = "--[[ @agent {0} ]]\n"


@pytest.mark.clause("PKG-05")
@pytest.mark.parametrize(
    ("present", "chosen"),
    [
        ([".js", ".ts", ".py", ".lua"], "javascript"),
        ([".ts", ".py", ".lua"], "typescript"),
        ([".py", ".lua"], "python"),
        ([".lua"], "lua"),
    ],
)
def test_the_first_suffix_that_exists_is_loaded(
    load: Load, present: list[str], chosen: str
) -> None:
    sources = {".js": js("my.a"), ".ts": js("my.a"), ".py": PY.format("my.a"), ".lua": LUA}
    files: Files = {
        f"agents/my.a{suffix}": sources[suffix].format("my.a")
        if suffix == ".lua"
        else sources[suffix]
        for suffix in present
    }
    [agent] = load(files, agents=["my.a"]).agents
    assert (agent.language, agent.file) == (chosen, f"agents/my.a{present[0]}")
    assert agent.source == files[agent.file]


@pytest.mark.clause("PKG-05")
def test_a_folder_with_the_name_of_a_file_is_passed_over(load: Load) -> None:
    files: Files = {"agents/my.a.js/x": "", "agents/my.a.py": PY.format("my.a")}
    [agent] = load(files, agents=["my.a"]).agents
    assert agent.language == "python"


@pytest.mark.clause("PKG-05")
def test_a_built_in_is_used_when_the_package_has_none(load: Load) -> None:
    package = load(agents=["studio.dice-roller"])
    [agent] = package.agents
    assert agent.file == "studio:agents/studio.dice-roller.js"
    assert agent.manifest.agent == "studio.dice-roller" and agent.tools
    assert package.problems == () and package.foreign_languages == frozenset()


@pytest.mark.clause("PKG-05", "MAN-04")
def test_a_packages_own_copy_comes_before_the_built_in_without_a_warning(load: Load) -> None:
    package = load(
        {"agents/studio.dice-roller.js": js("studio.dice-roller", "@tool mine")},
        agents=["studio.dice-roller"],
    )
    assert [tool.name for tool in package.agents[0].tools] == ["mine"]
    assert package.problems == ()


@pytest.mark.clause("PKG-10")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my.none", "put agents/my.none with .js, .ts, .py, .lua into the package"),
        ("studio.none", 'no built-in agent "studio.none"'),
        ("my.a.js", 'leave .js off, write "my.a"'),
    ],
)
def test_a_missing_agent_is_a_problem_and_the_others_load(
    load: Load, name: str, words: str
) -> None:
    package = load({"agents/my.a.js": js("my.a")}, agents=[name, "my.a"])
    assert [agent.id for agent in package.agents] == ["my.a"]
    [problem] = package.problems
    assert (problem.severity, problem.file, problem.line) == ("error", "config.json", 3)
    assert words in problem.message


@pytest.mark.clause("MAN-04", "PKG-10")
def test_a_file_without_a_manifest_is_an_error_and_not_registered(load: Load) -> None:
    files: Files = {"agents/my.a.js": "export const x = 1", "agents/my.b.js": js("my.b")}
    package = load(files, agents=["my.a", "my.b"])
    assert [agent.id for agent in package.agents] == ["my.b"]
    assert messages(package)[0].startswith("error: agents/my.a.js, line 1: has no manifest")


@pytest.mark.clause("PKG-10")
@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\xff\xfe/\0", "UTF-16"), (b"/** \xe9 */", "is not UTF-8"), (b" " * 4194305, "larger than")],
)
def test_a_file_that_cannot_be_read_is_a_problem(load: Load, content: bytes, words: str) -> None:
    package = load({"agents/my.a.js": content}, agents=["my.a"])
    assert package.agents == ()
    assert "agents/my.a.js" in messages(package)[0] and words in messages(package)[0]


@pytest.mark.clause("PKG-14", "PKG-04")
@pytest.mark.parametrize(
    "name",
    [
        *("../secret", "/secret", "a/b", "a\\b", "C:secret", "a..b", "a\0b", "..", "a|b", "a?"),
        *("x" * 121, "é" * 101, "a\nb", "a ", "a.", " "),
    ],
)
@pytest.mark.parametrize("form", ["string", "id", "implementation"])
def test_an_id_that_could_become_a_path_elsewhere_is_refused(
    load: Load, tmp_path: Path, name: str, form: str
) -> None:
    (tmp_path / "secret.js").write_text(js("secret"))
    entry = {"id": "my.x", "implementation": "my.a", form: name} if form != "string" else name
    files = {"agents/my.a.js": js("my.a"), "agents/a/b.js": js("b")}
    package = load(files, agents=[entry, "my.a"])
    assert [agent.id for agent in package.agents] == ["my.a"]
    [problem] = package.problems
    assert problem.severity == "error" and problem.file == "config.json"


@pytest.mark.clause("PKG-04", "PKG-14")
def test_an_agent_that_is_a_link_out_is_refused_and_no_other_suffix_taken(
    load: Load, tmp_path: Path
) -> None:
    load({"agents/my.a.py": PY.format("my.a")})
    (tmp_path / "secret.js").write_text(js("my.a"))
    (tmp_path / "Aria/agents/my.a.js").symlink_to(tmp_path / "secret.js")
    package = load(agents=["my.a"])
    assert package.agents == ()
    assert "link" in messages(package)[0]


def test_the_longest_id_is_taken(load: Load) -> None:
    name = "x" * 120
    assert load({f"agents/{name}.js": js(name)}, agents=[name]).agents[0].id == name


@pytest.mark.clause("PKG-14")
@pytest.mark.parametrize(
    ("later", "words"),
    [("my.a", "listed twice"), ("My.A", "differ only in case"), ("MY.A", "differ only in case")],
)
def test_of_ids_that_are_the_same_on_some_system_the_first_counts(
    load: Load, later: str, words: str
) -> None:
    files: Files = {"agents/my.a.js": js("my.a"), f"agents/{later}.js": js(later)}
    package = load(files, agents=["my.a", later, {"id": later, "implementation": "my.a"}])
    assert [agent.id for agent in package.agents] == ["my.a"]
    assert len(package.problems) == 2
    assert all(words in problem.message for problem in package.problems)


@pytest.mark.clause("PKG-07")
def test_a_composed_entry_has_its_own_id_config_and_tool_names(load: Load) -> None:
    entry = {"id": "char.old-cars db", "implementation": "my.a", "contextFile": ".cars.json"}
    source = js("my.a", "@tool search", "@tool-description d", "@tool count", "@command @c go")
    package = load({"agents/my.a.js": source}, agents=["my.a", entry])
    plain, composed = package.agents
    assert [tool.name for tool in plain.tools] == ["search", "count"] and plain.config == {}
    assert composed.id == "char.old-cars db" and composed.config == entry
    assert [(tool.name, tool.handler_name) for tool in composed.tools] == [
        ("old_cars_db", "search"),
        ("old_cars_db_count", "count"),
    ]
    assert composed.tools[0].description == "d"
    assert composed.file == plain.file and composed.line == 4


@pytest.mark.clause("PKG-07")
def test_a_broken_first_tool_does_not_give_its_name_to_the_second(load: Load) -> None:
    source = js("my.a", "@tool one", "@tool-params {", "@tool two")
    package = load({"agents/my.a.js": source}, agents=[{"id": "x.y", "implementation": "my.a"}])
    assert [tool.name for tool in package.agents[0].tools] == ["y_two"]


@pytest.mark.clause("PKG-07")
def test_an_id_that_makes_no_tool_name_is_a_problem(load: Load) -> None:
    source = js("my.a", "@tool one")
    entries = [{"id": name, "implementation": "my.a"} for name in ("x.a,b", "x.wörter")]
    package = load({"agents/my.a.js": source}, agents=entries)
    assert [[tool.name for tool in agent.tools] for agent in package.agents] == [[], ["wörter"]]
    assert [problem.severity for problem in package.problems] == ["error", "warning"]


@pytest.mark.clause("MAN-04")
def test_another_agent_id_in_the_file_is_a_warning_and_the_config_counts(load: Load) -> None:
    package = load({"agents/my.a.js": js("my.other")}, agents=["my.a"])
    assert package.agents[0].id == "my.a"
    assert messages(package) == [
        "warning: agents/my.a.js, line 2: says @agent my.other, but config.json calls it "
        '"my.a", which counts; make them the same.'
    ]


@pytest.mark.clause("MAN-04")
def test_a_studio_name_that_is_no_built_in_is_a_warning(load: Load) -> None:
    files: Files = {
        "agents/studio.mine.js": js("studio.mine"),
        "agents/studio.agent-db.js": js("studio.agent-db"),
    }
    package = load(files, agents=["studio.mine", "studio.agent-db"])
    assert [agent.id for agent in package.agents] == ["studio.mine", "studio.agent-db"]
    assert [problem.severity for problem in package.problems] == ["warning"]
    assert "use your own prefix" in package.problems[0].message


@pytest.mark.clause("LANG-01")
def test_a_language_that_cannot_run_is_told_with_agent_and_reason(load: Load) -> None:
    files: Files = {"agents/my.a.js": js("my.a"), "agents/my.b.py": PY.format("my.b")}
    root = load(files, agents=["my.a", "my.b"]).source.root  # type: ignore[attr-defined]
    assert load_package(root).unplayable == ()
    package = load_package(root, missing={"python": "wasmtime is not installed"})
    assert [agent.id for agent in package.agents] == ["my.a", "my.b"]
    assert package.agents[1].tools[0].name == "from_py"
    reason = "Python agents cannot run here: wasmtime is not installed"
    assert package.unplayable == (("my.b", reason),)
    assert [problem.severity for problem in package.problems] == ["error"]


@pytest.mark.clause("PKG-11")
def test_agents_with_other_scripts_bom_and_crlf_are_read(load: Load) -> None:
    source = "\ufeff" + js("мой.агент", "@tool кости").replace("\n", "\r\n")
    package = load({"agents/мой.агент.js": source}, agents=["мой.агент"])
    assert package.agents[0].tools[0].name == "кости"
    assert package.agents[0].source == source[1:]
    assert [problem.line for problem in package.problems] == [3]


def test_specs_are_equal_until_something_about_the_agent_changes(load: Load) -> None:
    files: Files = {"agents/my.a.js": js("my.a"), "agents/my.b.js": js("my.b")}
    before = load(files, agents=["my.a", "my.b"]).agents
    after = load(
        {**files, "agents/my.b.js": js("my.b", "@tool new")}, agents=["my.b", "my.a"]
    ).agents
    assert after[1] == before[0] and after[0] != before[1]
