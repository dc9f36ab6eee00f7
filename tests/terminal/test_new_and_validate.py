"""`studio-qt new` and `studio-qt validate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt.package import load_package
from studio_qt.package.projects import template_names
from studio_qt.terminal.validate import find_problems
from tests.terminal.conftest import Studio


@pytest.mark.parametrize("template", template_names())
def test_every_template_makes_a_project_without_problems(
    studio: Studio, tmp_path: Path, template: str
) -> None:
    made = studio("new", "made here", "--template", template)
    assert made.code == 0
    assert 'studio-qt play "made here"' in made.out
    checked = studio("validate", "made here")
    assert (checked.code, checked.out) == (0, "No problems.\n")
    assert not (tmp_path / "made here" / "conversations").exists()


def test_new_never_writes_into_what_is_there(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    done = studio("new", "full")
    assert done.code == 1
    assert "not empty" in done.err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]


def test_new_fills_an_empty_folder(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert studio("new", "empty").code == 0
    assert (tmp_path / "empty" / "config.json").is_file()


@pytest.mark.clause("PKG-10")
def test_validate_prints_each_problem_with_file_and_line(studio: Studio, counter: Path) -> None:
    agent = counter / "agents" / "test.counter.js"
    text = agent.read_text(encoding="utf-8")
    agent.write_text(text.replace('["by"]}', '["by"'), encoding="utf-8")
    done = studio("validate", counter)
    assert done.code == 1
    assert "agents/test.counter.js, line " in done.out
    assert done.out.splitlines()[-1].endswith("warnings.")


@pytest.mark.clause("PKG-10")
def test_validate_finds_what_only_loading_shows(studio: Studio, counter: Path) -> None:
    agent = counter / "agents" / "test.counter.js"
    agent.write_text(agent.read_text(encoding="utf-8") + "\nnosuch();\n", encoding="utf-8")
    done = studio("validate", counter)
    assert done.code == 1
    assert "nosuch" in done.out


def test_validate_is_content_with_warnings(studio: Studio, counter: Path) -> None:
    agent = counter / "agents" / "test.counter.js"
    text = agent.read_text(encoding="utf-8").replace(" * @command", " * @hook noSuch\n * @command")
    agent.write_text(text, encoding="utf-8")
    done = studio("validate", counter, "--json")
    problems = done.events()
    assert done.code == 0
    assert [problem["severity"] for problem in problems] == ["warning"]
    assert set(problems[0]) == {"severity", "file", "line", "message"}


@pytest.mark.clause("LANG-01")
async def test_a_language_that_is_missing_is_an_error_that_names_the_agent(counter: Path) -> None:
    lua = '--[[\n@agent test.moon\n]]\nfunction on_tool_call() return "" end\n'
    (counter / "agents" / "test.moon.lua").write_text(lua, encoding="utf-8")
    config = {"name": "The Counter", "agents": ["test.counter", "test.moon"]}
    (counter / "config.json").write_text(json.dumps(config), encoding="utf-8")
    problems = await find_problems(load_package(counter, missing={"lua": "no runtime here"}))
    assert [problem.severity for problem in problems] == ["error"]
    assert "no runtime here" in str(problems[0])


@pytest.mark.clause("PKG-10")
def test_validate_says_of_a_broken_config_where_and_why(studio: Studio, plain: Path) -> None:
    (plain / "config.json").write_text('{\n "name": \n}', encoding="utf-8")
    text, as_json = studio("validate", plain), studio("validate", plain, "--json")
    assert (text.code, as_json.code) == (1, 1)
    assert "config.json" in text.err
    assert "config.json" in as_json.events()[0]["message"]
