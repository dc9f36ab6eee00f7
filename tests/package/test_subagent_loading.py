"""Sub-agents in config.json: both forms, overrides, and reading the prompt again."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.files import FolderSource, OverlaySource
from studio_qt.package import AgentSpec, CharacterPackage, SubAgentMeta, SubAgentSpec, load_package
from studio_qt.package.subagents import DEFAULT_PARAMS, prompt_size
from tests.package.conftest import Files, Load, js, messages

PROMPT = "---\ndescription: Knows names.\n---\nFind one.\n"


def root_of(package: CharacterPackage) -> Path:
    return package.source.root  # type: ignore[attr-defined]


def sub_agent(agent: AgentSpec) -> SubAgentSpec:
    assert agent.sub_agent is not None
    return agent.sub_agent


def composed(agent_id: str = "eve.marcus", **more: object) -> dict[str, object]:
    base = {"id": agent_id, "implementation": "studio.sub-agent", "promptFile": "m.subagent.md"}
    return {**base, **more}


@pytest.mark.clause("PKG-06", "SUB-01", "SUB-02")
def test_a_bare_file_name_is_a_sub_agent_with_every_default(load: Load) -> None:
    package = load({"agents/marcus.subagent.md": PROMPT}, agents=["marcus.subagent.md"])
    [agent] = package.agents
    assert package.problems == ()
    assert (agent.id, agent.line) == ("marcus", 3)
    expected = SubAgentMeta("marcus", "Knows names.", DEFAULT_PARAMS)
    assert sub_agent(agent) == SubAgentSpec(expected, "agents/marcus.subagent.md", "Find one.\n")


@pytest.mark.clause("SUB-13")
def test_the_meta_that_an_agent_gets_has_every_field_filled_in(load: Load) -> None:
    [agent] = load({"agents/m.subagent.md": PROMPT}, agents=["m.subagent.md"]).agents
    assert sub_agent(agent).meta.as_json() == {
        "id": "m",
        "description": "Knows names.",
        "params": DEFAULT_PARAMS,
        "history": "none",
        "contextFiles": [],
        "model": "worker",
        "maxTokens": 1024,
        "maxRounds": 5,
        "temperature": None,
        "topP": None,
        "debug": False,
    }


@pytest.mark.clause("SUB-02", "SUB-03", "SUB-09")
def test_tool_and_command_are_named_after_the_id(load: Load) -> None:
    files: Files = {"agents/m.subagent.md": PROMPT.replace("---\nd", "---\nid: eve.un-used\nd", 1)}
    package = load(files, agents=["m.subagent.md", composed("a.find-name")])
    assert [agent.id for agent in package.agents] == ["eve.un-used", "a.find-name"]
    assert list(package.registration.tools) == ["un_used", "find_name"]
    assert list(package.registration.commands) == ["@un_used", "@find_name"]
    tool = package.registration.tools["un_used"].tool
    assert (tool.description, tool.parameters) == ("Knows names.", DEFAULT_PARAMS)
    assert package.registration.commands["@un_used"].command.handler == "subAgentCommand"


@pytest.mark.clause("SUB-13", "PKG-05")
def test_the_code_is_the_shipped_agent_or_the_packages_own(load: Load) -> None:
    files: Files = {"agents/m.subagent.md": PROMPT}
    [shipped] = load(files, agents=["m.subagent.md"]).agents
    assert shipped.file == "studio:agents/studio.sub-agent.js"
    assert shipped.manifest.apis == {
        "studio.model",
        "studio.history",
        "studio.context",
        "studio.grants",
    }
    files["agents/studio.sub-agent.js"] = js("studio.sub-agent", "@tool other", "@api studio.model")
    [own] = load(files, agents=["m.subagent.md"]).agents
    assert own.file == "agents/studio.sub-agent.js"
    assert own.manifest.apis == {"studio.model"}
    assert [tool.name for tool in own.tools] == ["m"]


@pytest.mark.clause("SUB-03")
def test_an_entry_overrides_any_field_and_replaces_the_files(load: Load) -> None:
    prompt = "---\ndescription: x\nhistory: full\ncontextFiles: [a.txt, b.txt]\ndebug: yes\n---\nB"
    overrides = {
        "description": "Is Marcus.",
        "history": "recent:10",
        "contextFiles": [".c.txt"],
        "model": "main",
        "maxTokens": 300,
        "maxRounds": 2,
        "temperature": 1,
        "topP": 0.5,
        "debug": False,
        "params": {"properties": {"who": {"type": "string"}}},
    }
    files: Files = {"agents/m.subagent.md": prompt, "context/.c.txt": "c"}
    package = load(files, agents=[composed(**overrides)])
    found = sub_agent(package.agents[0])
    assert package.problems == ()
    assert found.meta.as_json() == {
        **overrides,
        "id": "eve.marcus",
        "params": {"type": "object", "properties": {"who": {"type": "string"}}},
    }
    assert found.meta.custom_params and found.meta.history_count == 10
    assert found.overridden == set(overrides)


@pytest.mark.clause("SUB-03")
def test_what_an_entry_does_not_give_stays_the_files(load: Load) -> None:
    files: Files = {"agents/m.subagent.md": "---\ndescription: x\nmaxTokens: 9\n---\n"}
    [one, two] = load(
        files, agents=[composed("one", history=None), composed("two", description="y")]
    ).agents
    assert (sub_agent(one).meta.max_tokens, sub_agent(one).overridden) == (9, frozenset())
    assert (sub_agent(two).meta.max_tokens, sub_agent(two).meta.description) == (9, "y")


@pytest.mark.clause("SUB-02")
@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("history: recnt:10", "history"),
        ("history: recent:0", "history"),
        ("history: recent", "history"),
        ("maxTokens: lots", "maxTokens"),
        ("maxTokens: 12:30", "maxTokens"),
        ("maxRounds: 2.5", "maxRounds"),
        ("temperature: warm", "temperature"),
        ("temperature: -1", "temperature"),
        ("topP: 1.5", "topP"),
        ("debug: maybe", "debug"),
        ("contextFiles: [../secret.txt]", "contextFiles"),
        ("contextFiles: /etc/passwd", "contextFiles"),
        ("params: 5", "params"),
        ("params: {type: array}", "params"),
        ('params: {"type": "object", "properties": {"a": 5}}', "params"),
    ],
)
def test_a_bad_value_names_field_and_line_and_the_rest_plays(
    load: Load, line: str, field: str
) -> None:
    files: Files = {
        "agents/m.subagent.md": f"---\ndescription: x\n{line}\n---\n",
        "agents/ok.subagent.md": PROMPT,
    }
    package = load(files, agents=["m.subagent.md", "ok.subagent.md"])
    assert [agent.id for agent in package.agents] == ["ok"]
    [problem] = package.problems
    assert (problem.severity, problem.file, problem.line) == ("error", "agents/m.subagent.md", 3)
    assert f'the sub-agent "m" is not offered: {field} ' in problem.message


@pytest.mark.clause("SUB-02", "SUB-03")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", 5),
        ("description", " "),
        ("history", 10),
        ("history", "all"),
        ("contextFiles", "a.txt"),
        ("contextFiles", ["a.txt", 3]),
        ("maxTokens", "400"),
        ("maxTokens", True),
        ("maxTokens", 1.5),
        ("maxRounds", {"at": 5}),
        ("temperature", "0.2"),
        ("topP", [1]),
        ("debug", "true"),
        ("params", "text"),
        ("params", {"type": "array"}),
    ],
)
def test_an_override_of_another_type_is_an_error_at_its_line(
    load: Load, field: str, value: object
) -> None:
    package = load({"agents/m.subagent.md": PROMPT}, agents=[composed(**{field: value})])
    assert package.agents == ()
    [problem] = package.problems
    assert (problem.severity, problem.file, problem.line) == ("error", "config.json", 7)
    assert f"{field} " in problem.message


@pytest.mark.clause("SUB-02")
def test_numbers_out_of_range_are_brought_into_it_with_a_warning(load: Load) -> None:
    files: Files = {"agents/m.subagent.md": "---\ndescription: x\nmaxTokens: 99999\n---\n"}
    package = load(files, agents=[composed(maxRounds=0)])
    meta = sub_agent(package.agents[0]).meta
    assert (meta.max_tokens, meta.max_rounds) == (8192, 1)
    assert messages(package) == [
        'warning: agents/m.subagent.md, line 3: "eve.marcus": maxTokens must be 1 to 8192; 99999 '
        "is taken as 8192.",
        'warning: config.json, line 7: "eve.marcus": maxRounds must be 1 to 10; 0 is taken as 1.',
    ]


@pytest.mark.clause("SUB-02")
def test_an_unknown_model_falls_back_to_the_worker_with_a_warning(load: Load) -> None:
    files: Files = {"agents/m.subagent.md": "---\ndescription: x\nmodel: gpt-9\n---\n"}
    package = load(files, agents=["m.subagent.md"])
    assert sub_agent(package.agents[0]).meta.model == "worker"
    [problem] = package.problems
    assert (problem.severity, problem.line) == ("warning", 3)
    assert 'not "gpt-9"' in problem.message


@pytest.mark.clause("SUB-02")
def test_a_bad_value_that_the_entry_shadows_is_only_warned_of(load: Load) -> None:
    files: Files = {"agents/m.subagent.md": "---\ndescription: x\nhistory: all\n---\n"}
    package = load(files, agents=[composed(history="full")])
    assert sub_agent(package.agents[0]).meta.history == "full"
    assert [problem.severity for problem in package.problems] == ["warning"]


@pytest.mark.clause("SUB-02", "PKG-14")
@pytest.mark.parametrize("agent_id", ["studio.mine", "../x", "a/b", "x" * 130, "a:b"])
def test_an_id_that_cannot_be_one_is_an_error_in_either_place(load: Load, agent_id: str) -> None:
    files: Files = {
        "agents/m.subagent.md": PROMPT,
        "agents/n.subagent.md": f'---\ndescription: x\nid: "{agent_id}"\n---\n',
    }
    package = load(files, agents=["n.subagent.md", composed(agent_id)])
    assert package.agents == ()
    assert [(problem.severity, problem.file, problem.line) for problem in package.problems] == [
        ("error", "agents/n.subagent.md", 3),
        ("error", "config.json", 4),
    ]


@pytest.mark.clause("SUB-02")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("You are X.", "has no frontmatter"),
        ("", "has no frontmatter"),
        ("---\ndescription: x\nYou are X.", "does not end"),
        ("---\nhistory: none\n---\nX", "description is missing"),
        ("---\ndescription: '  '\n---\nX", "description is missing"),
        ("---\n---\nX", "description is missing"),
        ("---\n" + "x: y\n" * 20_000 + "---\nX", "over 32 KB"),
    ],
)
def test_a_file_without_a_usable_frontmatter_is_an_error(
    load: Load, text: str, reason: str
) -> None:
    package = load({"agents/m.subagent.md": text}, agents=["m.subagent.md"])
    assert package.agents == ()
    assert package.problems[-1].file == "agents/m.subagent.md"
    assert reason in package.problems[-1].message


@pytest.mark.clause("PKG-06", "PKG-14", "SUB-03")
@pytest.mark.parametrize("prompt", ["none.subagent.md", "../x.subagent.md", "/x.subagent.md"])
def test_a_prompt_that_cannot_be_read_is_an_error(load: Load, prompt: str) -> None:
    entry = composed(promptFile=prompt)
    package = load({"x.subagent.md": PROMPT}, agents=[prompt, entry])
    assert package.agents == ()
    assert {problem.severity for problem in package.problems} == {"error"}
    assert [problem.line for problem in package.problems] == [3, 7]


@pytest.mark.clause("SUB-03")
def test_a_sub_agent_without_a_prompt_file_is_an_error(load: Load) -> None:
    package = load(agents=["studio.sub-agent", composed(promptFile=5)])
    assert len(package.problems) == 2
    assert all('has no "promptFile"' in line for line in messages(package))


@pytest.mark.clause("SUB-04")
def test_grants_in_a_frontmatter_give_nothing_and_misspelt_fields_are_told(load: Load) -> None:
    text = "---\ndescription: x\nshared-agents: [studio.memory-store]\nmax_tokens: 5\nmine: 1\n---"
    package = load({"agents/m.subagent.md": text}, agents=["m.subagent.md", "studio.memory-store"])
    assert sub_agent(package.agents[0]).shared == ()
    assert [(problem.severity, problem.line) for problem in package.problems] == [
        ("warning", 3),
        ("warning", 4),
    ]
    assert "did you mean maxTokens?" in package.problems[1].message


@pytest.mark.clause("SUB-02")
def test_a_context_file_that_is_missing_is_a_warning(load: Load) -> None:
    files: Files = {
        "agents/m.subagent.md": "---\ndescription: x\ncontextFiles: [a.txt, .b.txt]\n---",
        "context/.b.txt": "b",
    }
    package = load(files, agents=["m.subagent.md", composed(contextFiles=["c.txt"])])
    assert len(package.agents) == 2
    assert [(p.severity, p.file, p.line) for p in package.problems if "context" in p.message] == [
        ("warning", "agents/m.subagent.md", 3),
        ("warning", "config.json", 8),
    ]


@pytest.mark.clause("PKG-08")
def test_two_sub_agents_of_one_tool_name_keep_the_first(load: Load) -> None:
    package = load({"agents/m.subagent.md": PROMPT}, agents=["m.subagent.md", composed("eve.m")])
    assert package.registration.tools["m"].agent.id == "m"
    assert package.registration.commands["@m"].agent.id == "m"
    assert {(p.severity, p.file) for p in package.problems} == {("warning", "agents/m.subagent.md")}


@pytest.mark.clause("SUB-10")
def test_the_prompt_is_read_again_with_the_same_overrides(load: Load) -> None:
    root = root_of(load({"agents/m.subagent.md": PROMPT}, agents=[composed(history="full")]))
    buffers: dict[str, str] = {}
    package = load_package(OverlaySource(buffers, FolderSource(root)))
    [agent] = package.agents
    (root / "agents/m.subagent.md").write_text("---\ndescription: y\n---\nOn disk.")
    now, problems = package.read_sub_agent(agent)
    assert (now.body, now.meta.description, now.meta.history) == ("On disk.", "y", "full")
    buffers["agents/m.subagent.md"] = "---\ndescription: y\nhistory: none\n---\nUnsaved."
    now, problems = package.read_sub_agent(agent)
    assert (now.body, now.meta.history, problems) == ("Unsaved.", "full", ())


@pytest.mark.clause("SUB-10")
@pytest.mark.parametrize("text", ["no fences", "---\ndescription: x\nmaxTokens: many\n---\n", None])
def test_a_prompt_that_became_unusable_leaves_the_last_good_one(
    load: Load, text: str | None
) -> None:
    package = load({"agents/m.subagent.md": PROMPT}, agents=["m.subagent.md"])
    file = root_of(package) / "agents/m.subagent.md"
    file.unlink() if text is None else file.write_text(text)
    [agent] = package.agents
    now, problems = package.read_sub_agent(agent)
    assert now == agent.sub_agent
    assert [(problem.severity, problem.file) for problem in problems] == [
        ("error", "agents/m.subagent.md")
    ]


def test_only_a_sub_agent_can_be_read_again(load: Load) -> None:
    package = load(agents=["studio.dice-roller"])
    with pytest.raises(ValueError, match="no sub-agent"):
        package.read_sub_agent(package.agents[0])


@pytest.mark.clause("SUB-11")
def test_the_size_counts_body_files_and_instructions_that_are_asked_for(load: Load) -> None:
    files: Files = {
        "agents/m.subagent.md": "---\ndescription: x\ncontextFiles: [.a.txt]\n---\n12345",
        "context/.a.txt": "a" * 100,
        "instructions.txt": "i" * 1000,
    }
    package = load(files, agents=["m.subagent.md"])
    size = prompt_size(sub_agent(package.agents[0]), package)
    assert (size.characters, size.tokens) == (105, 27)
    macro = "%%CHARACTER_INSTRUCTIONS%%"
    (root_of(package) / "agents/m.subagent.md").write_text(f"---\ndescription: x\n---\n{macro}")
    now, _ = package.read_sub_agent(package.agents[0])
    assert prompt_size(now, package).characters == len(macro) + 1000


def test_a_spec_differs_as_soon_as_prompt_or_grants_differ(load: Load) -> None:
    [before] = load({"agents/m.subagent.md": PROMPT}, agents=["m.subagent.md"]).agents
    [same] = load({"agents/m.subagent.md": PROMPT}, agents=["m.subagent.md"]).agents
    [after] = load({"agents/m.subagent.md": PROMPT + "!"}, agents=["m.subagent.md"]).agents
    assert before == same and before != after


@pytest.mark.clause("SUB-14")
def test_a_character_with_only_sub_agents_has_no_foreign_code(load: Load) -> None:
    package = load({"agents/m.subagent.md": PROMPT}, agents=["m.subagent.md"])
    assert package.foreign_languages == frozenset()
