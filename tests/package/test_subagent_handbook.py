"""The page on sub-agents, held against what the program does."""

from __future__ import annotations

import json
import re

import pytest

from studio_qt.package.subagents import read_prompt
from studio_qt.package.subagents.effective import effective_meta
from studio_qt.package.subagents.prompt import KNOWN
from studio_qt.resources import resource_text
from tests.package.conftest import Files, Load

PAGE = resource_text("handbook/sub-agents.md")
MARKDOWN = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)
JSON = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.clause("SUB-02", "SUB-03", "SUB-04")
@pytest.mark.parametrize("config", JSON)
def test_every_entry_of_the_page_loads_without_a_problem(
    load: Load, config: dict[str, object]
) -> None:
    files: Files = {
        "agents/free-name.subagent.md": MARKDOWN[0],
        "agents/marcus.subagent.md": "---\ndescription: Is Marcus.\n---\nYou are Marcus.",
        "context/.names.json": "[]",
    }
    package = load(files, **config)
    assert package.problems == ()
    assert len(package.agents) == len(config["agents"])  # type: ignore[arg-type]


def test_the_patient_example_means_what_it_looks_like() -> None:
    meta, problems = effective_meta("m", read_prompt(MARKDOWN[1]), "m.subagent.md")
    assert problems == () and meta is not None
    assert meta.description == "Finds: a name, *any* name, 50% of the time"
    assert (meta.history_text, meta.max_tokens, meta.debug) == ("recent:10", 400, True)
    assert meta.context_files == (".names.json", "@home.txt")


def test_the_table_has_every_field_in_order() -> None:
    table = PAGE.partition("## The fields")[2].partition("###")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == KNOWN
