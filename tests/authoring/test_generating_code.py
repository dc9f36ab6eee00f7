"""Generate for agents in code: what is written runs, in each language, or is refused (STU-09)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from studio_qt.authoring.asking import RefusedError
from studio_qt.authoring.drafting import draft_agent
from studio_qt.authoring.generating import Wish
from studio_qt.authoring.generating_code import Example, GeneratedAgent, generate_agent
from studio_qt.authoring.inventory import Inventory, read_inventory
from studio_qt.authoring.teaching_code import SUFFIXES
from studio_qt.files import FolderSource
from studio_qt.package.model import Language
from studio_qt.ui.generating.trying import trial_in
from tests.authoring.talking import Speaker
from tests.support.model_server import ModelServer, text
from tests.support.window import write_package

pytestmark = pytest.mark.clause("STU-09")

CALLS = [{"tool": "count", "args": {"by": 2}}, {"tool": "count", "args": {}}]
PARAMS = '{"type":"object","properties":{"by":{"type":"integer"}}}'
CODE: dict[Language, str] = {
    "javascript": """/**
 * @agent my.counter
 * @description Counts.
 * @tool count
 * @tool-description Counts on.
 * @tool-params PARAMS
 */
export function onToolCall(toolName, args, store) {
  store.n = (store.n || 0) + (args.by || 1);
  return "Now " + store.n;
}
""",
    "typescript": """/**
 * @agent my.counter
 * @description Counts.
 * @tool count
 * @tool-description Counts on.
 * @tool-params PARAMS
 */
interface Store { n?: number }
export function onToolCall(toolName: string, args: { by?: number }, store: Store): string {
  store.n = (store.n ?? 0) + (args.by ?? 1);
  return "Now " + store.n;
}
""",
    "python": '''"""
@agent my.counter
@description Counts.
@tool count
@tool-description Counts on.
@tool-params PARAMS
"""
def on_tool_call(tool_name, args, store, studio, context):
    store["n"] = store.get("n", 0) + args.get("by", 1)
    return f"Now {store['n']}"
''',
    "lua": """--[[
@agent my.counter
@description Counts.
@tool count
@tool-description Counts on.
@tool-params PARAMS
]]
function on_tool_call(tool_name, args, store, studio, context)
  store.n = (store.n or 0) + (args.by or 1)
  return "Now " .. store.n
end
""",
}
CODE = {language: code.replace("PARAMS", PARAMS) for language, code in CODE.items()}


def answer(code: str, calls: object = CALLS, before: str = "") -> str:
    return f"{before}```\n{code}```\nCalls:\n```json\n{json.dumps(calls)}\n```"


class Bench:
    """A character on the disk, and a talk."""

    def __init__(self, folder: Path, speaker: Speaker) -> None:
        self.source = FolderSource(write_package(folder / "ada"))
        self.inventory: Inventory = read_inventory(self.source)
        self.speaker = speaker

    async def generate(self, language: Language, name: str = "my.counter") -> GeneratedAgent:
        wish, trial = Wish(name, "Counts."), trial_in(self.source, name)
        return await generate_agent(self.speaker.talk(), wish, language, self.inventory, trial)


@pytest.fixture
def bench(tmp_path: Path, speaker: Speaker) -> Bench:
    return Bench(tmp_path, speaker)


@pytest.mark.parametrize("language", list(CODE))
async def test_an_agent_in_each_language_runs_and_its_examples_are_called(
    model: ModelServer, bench: Bench, language: Language
) -> None:
    model.script(text(answer(CODE[language])))
    made = await bench.generate(language)
    assert made.file.path == f"agents/my.counter{SUFFIXES[language]}"
    assert made.tools == ("count",)
    assert [example.result for example in made.examples] == ["Now 2", "Now 3"]
    assert not (bench.source.root / made.file.path).exists()


@pytest.mark.parametrize("language", list(CODE))
async def test_each_language_is_taught_with_an_example_of_its_own(
    model: ModelServer, bench: Bench, language: Language
) -> None:
    model.script(text(answer(CODE[language])))
    await bench.generate(language)
    system = model.last.messages[0]["content"]
    assert f"```{language}" in system
    assert "scaffold" not in system
    for word in ("@tool-params", "@preload", "afterToolCall", "studio.callModel"):
        assert word in system


async def test_another_name_in_the_file_becomes_the_one_that_was_given(
    model: ModelServer, bench: Bench
) -> None:
    model.script(text(answer(CODE["lua"])))
    made = await bench.generate("lua", "ada.counting")
    assert "@agent ada.counting" in made.file.text


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (CODE["javascript"].replace("return", "retrun"), "failed|unexpected|expect"),
        (CODE["javascript"].replace("count\n", "roll\n"), 'tool "roll" already'),
        (CODE["javascript"].replace("@agent my.counter", ""), "code fence with an @agent"),
        (CODE["javascript"].replace('"by":{', '"by":'), "tool-params|JSON"),
        (CODE["javascript"].replace("onToolCall(", "other("), "onToolCall"),
        (CODE["javascript"].replace("store.n =", "while (true) {} store.n ="), "failed"),
        ("import fs from 'fs';\n" + CODE["javascript"], "module"),
        (CODE["javascript"].replace(" * @tool count\n", " * @lib x\n"), "lib|tool"),
    ],
)
async def test_what_does_not_run_is_told_and_can_be_mended(
    model: ModelServer, bench: Bench, broken: str, told: str
) -> None:
    model.script(text(answer(broken)), text(answer(CODE["javascript"])))
    made = await bench.generate("javascript")
    assert [example.ok for example in made.examples] == [True, True]
    said = model.last.messages[-1]["content"]
    assert re.search(told, said), said


async def test_what_stays_broken_is_refused_with_the_reason(
    model: ModelServer, bench: Bench
) -> None:
    broken = CODE["python"].replace("return f", "return undefined_name, f")
    model.script(text(answer(broken)), text(answer(broken)))
    with pytest.raises(RefusedError, match="undefined_name") as raised:
        await bench.generate("python")
    assert "no usable agent" in str(raised.value)
    assert raised.value.answer


async def test_an_agent_without_example_calls_is_kept_with_a_word_about_it(
    model: ModelServer, bench: Bench
) -> None:
    model.script(text(f"```js\n{CODE['javascript']}```"))
    made = await bench.generate("javascript")
    assert made.examples == ()
    assert "no example calls" in made.file.notes[0]


async def test_the_request_has_names_and_no_line_of_any_file(
    model: ModelServer, tmp_path: Path, speaker: Speaker
) -> None:
    write_package(
        tmp_path / "ada",
        {"context/secret-lore.txt": "The lamp is cursed.", "instructions.txt": "Be very shy."},
    )
    bench = Bench(tmp_path, speaker)
    (tmp_path / "ada/instructions.txt").write_text("Be very shy.")
    model.script(text(answer(CODE["lua"])))
    await bench.generate("lua")
    sent = model.last.data.decode()
    assert "secret-lore.txt" in sent
    for content in ("cursed", "very shy", "Rolls dice", "A countess", "You are late"):
        assert content not in sent


@pytest.mark.parametrize("language", list(CODE))
async def test_a_draft_without_a_model_runs(bench: Bench, language: Language) -> None:
    wish = 'Notes */ ]] """ \\ @tool what is said'
    made = draft_agent(Wish("my.drafted", wish), language)
    calls = [Example("drafted", {"text": "rain"})]
    tried = await trial_in(bench.source, "my.drafted")(made.path, made.text, calls)
    assert tried.faults == ()
    assert tried.examples[0].ok
    assert "what is said" in made.text
