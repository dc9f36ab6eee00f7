"""Generate for instructions, description and first message (STU-09)."""

from __future__ import annotations

import pytest

from studio_qt.authoring.asking import RefusedError
from studio_qt.authoring.generating_texts import GENERATED_KINDS, CharacterTexts, generate_text
from studio_qt.authoring.textkinds import TextKind
from tests.authoring.talking import Speaker
from tests.support.model_server import ModelServer, text

pytestmark = pytest.mark.clause("STU-09")

THERE = CharacterTexts("Ada", {"instructions": "Be shy.", "introduction": "", "description": "A."})


@pytest.mark.parametrize("kind", GENERATED_KINDS)
async def test_a_text_is_written_from_the_wish_and_what_is_there(
    model: ModelServer, speaker: Speaker, kind: TextKind
) -> None:
    model.script(text("Sure:\n<text>\nAda counts the waves.\n</text>"))
    made = await generate_text(speaker.talk(), kind, "She counts.", THERE)
    assert made == "Ada counts the waves."
    user = model.last.messages[-1]["content"]
    assert "Be shy." in user
    assert "She counts." in user
    assert "Ada" in user


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no text"),
        ("I cannot write that.", "will not write"),
        ("<text>Use %%CONTEXT%% now.</text>", "%%CONTEXT%%"),
        ("<text>" + "long " * 1_000 + "</text>", "write at most"),
    ],
)
async def test_what_is_no_text_is_refused_after_one_more_try(
    model: ModelServer, speaker: Speaker, answer: str, reason: str
) -> None:
    model.script(text(answer), text(answer))
    with pytest.raises(RefusedError, match=reason):
        await generate_text(speaker.talk(), "description", "Short.", THERE)


async def test_a_long_text_of_the_character_is_sent_in_part(
    model: ModelServer, speaker: Speaker
) -> None:
    model.script(text("<text>Hm.</text>"))
    there = CharacterTexts("Ada", {"instructions": "x" * 100_000})
    await generate_text(speaker.talk(), "description", "Short.", there)
    assert len(model.last.data) < 20_000
