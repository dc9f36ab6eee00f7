"""Generate: a whole sub-agent from a name and a wish, whatever the model answers (STU-09)."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from studio_qt.authoring.asking import RefusedError
from studio_qt.authoring.drafting import draft_sub_agent
from studio_qt.authoring.generating import LONGEST_WISH, Wish, generate_sub_agent, wish_fault
from studio_qt.errors import ModelError
from studio_qt.package.subagents import effective_meta, read_prompt
from studio_qt.providers.patience import Patience
from tests.authoring.talking import GOOD, INVENTORY, Speaker
from tests.support.model_server import (
    DONE,
    ModelServer,
    Wait,
    chunk,
    drop_after,
    failure,
    sse,
    text,
)

WISH = Wish("tides", "Knows when the tide turns.")

pytestmark = pytest.mark.clause("STU-09")


def check_loads(written: str, name: str = "tides") -> None:
    """Check that the package's own readers have nothing to say of a file."""
    meta, problems = effective_meta(name, read_prompt(written), f"agents/{name}.subagent.md")
    assert problems == ()
    assert meta is not None
    assert set(meta.context_files) <= set(INVENTORY.context_files)


async def test_a_good_answer_becomes_a_file_that_loads(
    model: ModelServer, speaker: Speaker
) -> None:
    model.script(text(GOOD))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    check_loads(made.text)
    assert made.path == "agents/tides.subagent.md"
    assert "You are the tide keeper." in made.text
    assert made.notes == ()
    assert "".join(step.piece for step in speaker.told) == GOOD
    assert model.last.body["max_tokens"] == 3000


async def test_the_request_teaches_every_field_and_has_names_and_the_wish(
    model: ModelServer, speaker: Speaker
) -> None:
    model.script(text(GOOD))
    await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    system, user = (message["content"] for message in model.last.messages)
    for word in ("description", "history", "contextFiles", "maxTokens", "maxRounds", "topP"):
        assert word in system
    for macro in ("CONTEXT", "HISTORY", "CHARACTER_INSTRUCTIONS", "STORE:name"):
        assert f"%%{macro}%%" in system
    for name in (".tides.json", "keeper.dice", "roll", "marcus", "old.py", WISH.text, "tides"):
        assert name in user


@pytest.mark.parametrize(
    "answer",
    [
        f"Sure! Here is your sub-agent:\n\n```markdown\n{GOOD}```\n\nLet me know if it fits.",
        f"```\n{GOOD}\n```",
        f"~~~yaml\n{GOOD}~~~",
        f"Here you go.\n\n{GOOD}",
        f"```md\n{GOOD}\n```json\n{{}}\n```\n",
        GOOD.replace("\n", "\r\n"),
        f"\ufeff{GOOD}",
    ],
)
async def test_talk_and_fences_around_the_file_do_not_matter(
    model: ModelServer, speaker: Speaker, answer: str
) -> None:
    model.script(text(answer, pieces=[answer]))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    check_loads(made.text)
    assert "Let me know" not in made.text
    assert "Answer from the table alone." in made.text


async def test_of_two_files_the_better_one_counts(model: ModelServer, speaker: Speaker) -> None:
    worse = GOOD.replace(".tides.json", "invented.txt").replace("tide keeper", "first try")
    model.script(text(f"```\n{GOOD}```\nor\n```\n{worse}```"))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "tide keeper" in made.text
    assert len(model.requests) == 1


async def test_frontmatter_and_prompt_in_two_fences_are_one_file(
    model: ModelServer, speaker: Speaker
) -> None:
    model.script(
        text("The head:\n```yaml\ndescription: Knows tides.\n```\nBody:\n```\nYou know.\n```")
    )
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    check_loads(made.text)
    assert made.text.endswith("---\nYou know.\n")


@pytest.mark.parametrize(
    "name", ["tides.json", "context/.tides.json", ".TIDES.json", "./.tides.json"]
)
async def test_a_context_file_is_found_under_a_name_that_is_nearly_right(
    model: ModelServer, speaker: Speaker, name: str
) -> None:
    model.script(text(GOOD.replace(".tides.json", name)))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "- .tides.json" in made.text
    assert len(model.requests) == 1


async def test_an_invented_file_is_told_to_the_model_and_then_taken_out(
    model: ModelServer, speaker: Speaker
) -> None:
    invented = GOOD.replace(".tides.json", "moon-phases.csv")
    model.script(text(invented), text(invented))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "moon-phases.csv" in model.last.messages[-1]["content"]
    check_loads(made.text)
    assert "%%CONTEXT%%" not in made.text
    assert "moon-phases.csv" in made.notes[0]


async def test_the_model_may_mend_its_answer_once(model: ModelServer, speaker: Speaker) -> None:
    model.script(text("---\nmaxTokens: 5\n---\nNo description."), text(GOOD))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "tide keeper" in made.text
    assert [m["role"] for m in model.last.messages] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("id: studio.tides", "---"),
        ("maxTokens: 99999", "maxTokens: 8192"),
        ("model: gpt-9-ultra", "---"),
        ("shared-agents: [keeper.dice]", "---"),
        ("tools: [roll]", "---"),
    ],
)
async def test_what_no_file_may_say_is_mended(
    model: ModelServer, speaker: Speaker, line: str, expected: str
) -> None:
    wrong = GOOD.replace("maxTokens: 300", line)
    model.always = text(wrong)
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    check_loads(made.text)
    assert expected in made.text
    assert "studio.tides" not in made.text
    assert "gpt-9" not in made.text
    assert "tools:" not in made.text


async def test_wished_grants_and_stores_are_told_to_the_author(
    model: ModelServer, speaker: Speaker
) -> None:
    answer = GOOD.replace("maxTokens: 300", "private-agents: [studio.memory-store]")
    model.script(text(answer.replace("Answer from", "%%STORE:memory-store%% Answer from")))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert any("private agents: studio.memory-store" in note for note in made.notes)
    assert any("%%STORE:memory-store%%" in note for note in made.notes)


async def test_ten_thousand_fences_take_no_time(model: ModelServer, speaker: Speaker) -> None:
    hostile = "---\n" * 9_000 + "description: x\n"
    model.script(*[text(hostile, pieces=[hostile])] * 2)
    began = time.thread_time()
    with pytest.raises(RefusedError):
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert time.thread_time() - began < 1


async def test_parameters_of_its_own_survive(model: ModelServer, speaker: Speaker) -> None:
    params = 'params: {"type": "object", "properties": {"hour": {"type": "integer"}}}'
    model.script(text(GOOD.replace("maxTokens: 300", params)))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    check_loads(made.text)
    assert '"hour"' in made.text


async def test_a_thousand_invented_files_make_a_short_sentence(
    model: ModelServer, speaker: Speaker
) -> None:
    names = ", ".join(f"no-{number}.txt" for number in range(1_000))
    model.always = text(GOOD.replace("contextFiles:\n  - .tides.json", f"contextFiles: [{names}]"))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "and 988 more" in made.notes[0]
    assert len(made.notes[0]) < 400


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["I'm sorry, but I can't help with that."], "will not write this"),
        (["Tides are caused by the moon."], "no file in it"),
        ([""], "empty"),
        (["---\ndescription: [\n---\n"], "no prompt below"),
        (["---\ndescription: x\nhistory: sometimes\n---\nYou."], "history must be"),
        (["---\ndescription: x\n"], "frontmatter that does not end"),
        (["---\ndescription: ''\n---\nYou are."], "description is missing"),
    ],
)
async def test_what_stays_unusable_is_refused_with_the_reason(
    model: ModelServer, speaker: Speaker, answers: list[str], reason: str
) -> None:
    model.script(text(answers[0]), text(answers[0]))
    with pytest.raises(RefusedError, match=reason) as raised:
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "Try again" in str(raised.value) or "Say the wish" in str(raised.value)


async def test_an_answer_that_is_cut_is_asked_for_again_and_then_refused(
    model: ModelServer, speaker: Speaker
) -> None:
    model.script(text(GOOD[:-20], finish="length"), text(GOOD[:-20], finish="length"))
    with pytest.raises(RefusedError, match="broke off at the length limit"):
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "broke off" in model.last.messages[-1]["content"]


async def test_an_answer_without_an_end_is_stopped(model: ModelServer, speaker: Speaker) -> None:
    piece = chunk({"content": "and on " * 200})
    model.script(sse(*[piece] * 2_000, DONE))
    with pytest.raises(RefusedError, match="did not come to an end"):
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert len("".join(step.piece for step in speaker.told)) < 100_000


async def test_a_megabyte_in_one_piece_is_refused(model: ModelServer, speaker: Speaker) -> None:
    model.script(text("x", pieces=["x" * (1 << 20)]))
    with pytest.raises(RefusedError, match="did not come to an end"):
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)


async def test_a_stream_that_breaks_is_the_provider_s_error(
    model: ModelServer, speaker: Speaker
) -> None:
    model.script(drop_after(4, text(GOOD)))
    with pytest.raises(ModelError, match="broke off"):
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert speaker.told[-1].piece


async def test_a_wrong_key_is_told_without_the_key(model: ModelServer) -> None:
    speaker = Speaker(model, "sk-secret-123456")
    model.script(failure(401, {"error": {"message": "bad key sk-secret-123456"}}))
    with pytest.raises(ModelError) as raised:
        await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert raised.value.status == 401
    assert "secret" not in str(raised.value)
    await speaker.provider.close()


async def test_cancelling_leaves_the_server_at_once(model: ModelServer, speaker: Speaker) -> None:
    held = threading.Event()
    model.script(sse(chunk({"content": "---\n"}), Wait(held), DONE))
    deed = asyncio.create_task(generate_sub_agent(speaker.talk(), WISH, INVENTORY))
    while not speaker.told or not speaker.told[-1].piece:
        await asyncio.sleep(0)
    deed.cancel()
    with pytest.raises(asyncio.CancelledError):
        await deed
    assert await model.last.wait_dropped()
    held.set()


async def test_an_endpoint_that_asks_for_patience_is_asked_again_and_says_so(
    model: ModelServer,
) -> None:
    speaker = Speaker(model, patience=Patience(backoff=0.01))
    busy = failure(429, {"error": {"message": "slow down"}}, {"retry-after": "0"})
    model.script(busy, text(GOOD))
    await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert any("slow down" in step.waiting for step in speaker.told)
    await speaker.provider.close()


async def test_thoughts_are_no_part_of_the_file(model: ModelServer, speaker: Speaker) -> None:
    model.script(text(GOOD, reasoning="--- let me think ---"))
    made = await generate_sub_agent(speaker.talk(), WISH, INVENTORY)
    assert "let me think" not in made.text
    assert any(step.thinking for step in speaker.told)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "Give it a name."),
        ("studio.x", "kept for built-in"),
        ("Studio.X", "kept for built-in"),
        ("marcus", "There is"),
        ("MARCUS", "is here already"),
        ("keeper.roll", "tool roll"),
        ("old", "file agents/old.py"),
        ("a/b", "cannot be in a file name"),
        ("a b", "letters, digits"),
        ("x" * 200, "too long"),
        ("..", "holds"),
    ],
)
def test_a_name_that_no_new_sub_agent_can_have_is_told(name: str, fault: str) -> None:
    assert fault in (INVENTORY.fault_of(name) or "")


def test_a_name_that_is_free_is_taken() -> None:
    assert INVENTORY.fault_of("keeper.tides") is None


def test_a_wish_has_words_and_an_end() -> None:
    assert wish_fault("  ") is not None
    assert wish_fault("x" * (LONGEST_WISH + 1)) is not None
    assert wish_fault("Knows the sea.") is None


@pytest.mark.parametrize(
    "wish",
    [
        "knows the harbour",
        "Knows:\n---\n# tides %%CONTEXT%% 'x' \"y\"",
        "- a\n- b",
        "日本語で答える",
    ],
)
def test_a_draft_without_a_model_loads_and_says_what_was_wished(wish: str) -> None:
    made = draft_sub_agent(Wish("tides", wish), INVENTORY)
    check_loads(made.text)
    assert made.draft
    assert "no language model" in made.notes[0]


def test_a_draft_binds_the_files_that_the_wish_speaks_of() -> None:
    made = draft_sub_agent(Wish("pilot", "Knows the harbour and the tides."), INVENTORY)
    assert "- .tides.json" in made.text
    assert "- harbour.txt" in made.text
    assert "%%CONTEXT%%" in made.text
