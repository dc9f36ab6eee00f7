"""Which tool plain words call: DESIGN section 3, Rehearsal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio_qt.jsontext import JsonObject
from studio_qt.providers.rehearsal.choosing import choose
from studio_qt.providers.rehearsal.words import word_list
from tests.rehearsal.tools import (
    COUNTED_DICE,
    NOTATION_DICE,
    TEXT,
    TYPICAL,
    calls,
    reply,
    request,
    tool,
    with_results,
)

WORDS = word_list(
    "please roll two dice d20 remember that my name is forget what do you know about look up and "
    'then did we speak of the lighthouse before ? . , " : in your memory 2d6+1 search for history'
)


@pytest.mark.parametrize(
    ("text", "notation", "count", "sides"),
    [
        ("please roll two dice for me", "2d6", 2, 6),
        ("Roll 2d6.", "2d6", 2, 6),
        ("Could you throw a pair of dice?", "2d6", 2, 6),
        ("I'd like you to roll a d20", "1d20", 1, 20),
        ("Roll three twenty-sided dice, please!", "3d20", 3, 20),
        ("now roll a die", "1d6", 1, 6),
        ("Let's roll 4 dice with ten sides", "4d10", 4, 10),
        ("Hello! Would you please roll two dice?", "2d6", 2, 6),
        ("3d8+2", "3d8+2", 3, 8),
        ("Roll!", "1d6", 1, 6),
        ("roll 2 d6", "2d6", 2, 6),
        ("Roll for initiative!", "1d6", 1, 6),
    ],
)
async def test_dice_are_rolled_as_told(text: str, notation: str, count: int, sides: int) -> None:
    assert await calls(text, TYPICAL) == [("roll_dice", {"notation": notation})]
    counted = [COUNTED_DICE, *TYPICAL[1:]]
    assert await calls(text, counted) == [("roll_dice", {"count": count, "sides": sides})]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("remember that my name is Ada", "my name is Ada"),
        ("Please remember that my name is Ada.", "my name is Ada"),
        ("Can you remember that I take sugar?", "I take sugar"),
        ("My cat is called Tom, remember it", "My cat is called Tom"),
        ("Add to your memory: Tom has the key", "Tom has the key"),
        ("don't forget that I love tea", "I love tea"),
        ("Keep in mind: the door is locked!", "the door is locked"),
        ("make a note that the rope is forty fathoms", "the rope is forty fathoms"),
        ("My name is Ada. Please remember that.", "My name is Ada"),
        ('Memorize "roll two dice and run"', "roll two dice and run"),
        ("remember that Ada and Tom are twins", "Ada and Tom are twins"),
    ],
)
async def test_what_is_to_be_remembered_is_stored(text: str, fact: str) -> None:
    assert await calls(text, TYPICAL) == [("store_memory", {"fact": fact})]


async def test_a_key_and_a_value_are_told_apart() -> None:
    keyed = tool("store_memory", "Store a memory.", {"key": TEXT, "value": TEXT}, ["key", "value"])
    made = await calls("remember that my name is Ada", [keyed])
    assert made == [("store_memory", {"key": "name", "value": "Ada"})]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("what do you remember about my name?", "name"),
        ("Do you remember my name?", "name"),
        ("can you recall my birthday?", "birthday"),
        ("What is my name?", "name"),
        ("Remind me what my favourite colour is", "favourite colour"),
        ("Search your memory for tea, please", "tea"),
        ("can you remember my name?", "name"),
        ("Do you know my name?", "name"),
    ],
)
async def test_questions_about_what_was_told_recall_it(text: str, query: str) -> None:
    assert await calls(text, TYPICAL) == [("recall_memory", {"query": query})]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("forget my name", "name"),
        ("Please forget my name.", "name"),
        ("Could you delete the memory about tea?", "tea"),
        ("erase my birthday from memory", "birthday"),
        ("I want you to forget about the lamp", "lamp"),
        ("forget what you know about my sister", "sister"),
    ],
)
async def test_what_is_to_be_forgotten_is_forgotten(text: str, key: str) -> None:
    assert await calls(text, TYPICAL) == [("forget_memory", {"key": key})]


async def test_the_preload_tells_under_which_key_something_was_stored() -> None:
    preload: JsonObject = {
        "role": "user",
        "isFile": True,
        "content": "## What you remember\n- rope: Ada has a rope\n- name_ada: my name is Ada",
    }
    made = await reply(request(preload, "forget my name", tools=TYPICAL))
    assert [call.arguments for call in made.tool_calls] == [{"key": "name_ada"}]
    made = await reply(request(preload, "forget my birthday", tools=TYPICAL))
    assert [call.arguments for call in made.tool_calls] == [{"key": "birthday"}]


async def test_looking_out_is_not_looking_up() -> None:
    sea = tool("watch_sea", "Look out from the gallery at the weather and the sea.")
    assert [name for name, _ in await calls("Look up the Annis Rowe", [sea, *TYPICAL])] == [
        "keeper_lore"
    ]
    for text in ("look out at the sea", "What is the weather at sea like?"):
        assert await calls(text, [sea, *TYPICAL]) == [("watch_sea", {})]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("did we speak about the lighthouse before?", "lighthouse"),
        ("Have we talked about storms already?", "storms"),
        ("Did I mention my sister?", "sister"),
        ("When did we discuss the wreck?", "wreck"),
        ('Search our conversation for "blue door"', "blue door"),
        ("was the storm mentioned earlier?", "storm"),
        ("What did I tell you about my sister?", "sister"),
    ],
)
async def test_questions_about_earlier_talk_search_the_history(text: str, query: str) -> None:
    assert await calls(text, TYPICAL) == [("search_history", {"query": query})]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("look up wrecks", "wrecks"),
        ("What do you know about wrecks?", "wrecks"),
        ("Please look the Annis Rowe up", "Annis Rowe"),
        ("search for tides", "tides"),
        ("Could you find out about the tides?", "tides"),
        ("tell me about the lights", "lights"),
        ("Which wrecks do you know?", "wrecks"),
        ('Look up "the bar", please', "the bar"),
    ],
)
async def test_what_is_to_be_looked_up_is_looked_up(text: str, query: str) -> None:
    assert await calls(text, TYPICAL) == [("keeper_lore", {"query": query})]


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "hi there, how are you?",
        "Good morning, my friend",
        "Thank you, that was lovely.",
        "Nice to meet you",
        "How was your day?",
        "Who are you?",
        "What is your name?",
        "My name is Ada.",
        "Do you like dice?",
        "I rolled the dice yesterday and lost.",
        "I will never forget you.",
        "I sat by the sea and remembered my mother.",
        "I look at the sea and remember my mother.",
        "Forget it.",
        "Do you remember?",
        "Why?",
        "Tell me a story",
        "What a lovely lighthouse!",
        "She said: “please roll two dice”",
        "",
        "   ",
        "?!",
        "🎲",
        "你好，今天怎么样？",
        "Guten Morgen, wie geht es dir?",
    ],
)
async def test_small_talk_and_statements_call_nothing(text: str) -> None:
    assert await calls(text, TYPICAL) == []


async def test_two_clauses_that_ask_for_two_tools_call_both() -> None:
    made = await calls("roll two dice and remember that I won", TYPICAL)
    assert made == [("roll_dice", {"notation": "2d6"}), ("store_memory", {"fact": "I won"})]
    made = await calls("Look up wrecks, then roll a d6. And forget my name!", TYPICAL)
    assert [name for name, _ in made] == ["keeper_lore", "roll_dice"]


async def test_one_tool_is_called_once_a_turn() -> None:
    assert len(await calls("Roll two dice and roll two dice. Roll two dice!", TYPICAL)) == 1
    after = await reply(request(*with_results("roll two dice", "7"), tools=TYPICAL))
    assert after.tool_calls == ()


async def test_a_sub_agent_is_asked_in_the_users_words() -> None:
    marcus = tool("marcus", "The pilot; knows the coast.", {"request": TEXT}, ["request"])
    made = await calls("Ask Marcus whether the causeway is dry", [marcus, *TYPICAL])
    assert made == [("marcus", {"request": "Ask Marcus whether the causeway is dry"})]


async def test_options_decide_between_acts_of_one_tool() -> None:
    acts: JsonObject = {"type": "string", "enum": ["store", "recall", "forget"]}
    memory = tool("memory", "Memory.", {"action": acts, "text": TEXT}, ["action", "text"])
    assert await calls("remember that I won", [memory]) == [
        ("memory", {"action": "store", "text": "I won"})
    ]
    assert await calls("what do you remember about the lamp?", [memory]) == [
        ("memory", {"action": "recall", "text": "lamp"})
    ]


async def test_words_of_other_languages_are_compared_as_well() -> None:
    german = tool("wuerfeln", "Würfelt mit Würfeln.", {"würfel": {"type": "integer"}})
    assert await calls("Würfeln mit Würfel 3", [german]) == [("wuerfeln", {"würfel": 3})]
    chinese = tool("掷骰子", "掷骰子。")
    assert await calls("请掷骰子", [chinese]) == [("掷骰子", {})]


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"type": "function"},
        {"function": {"name": 7}},
        {"function": {"name": ""}},
        {"function": {"name": "roll_dice", "description": None, "parameters": "x"}},
        {"function": {"name": "roll_dice", "parameters": {"properties": []}}},
        {"function": {"name": "roll_dice", "parameters": {"properties": {"a": None}}}},
    ],
)
async def test_a_tool_in_no_proper_form_breaks_nothing(broken: JsonObject) -> None:
    made = await calls("roll two dice", [broken, NOTATION_DICE])
    assert all(name == "roll_dice" for name, _ in made)


def test_tools_without_descriptions_are_known_by_their_names() -> None:
    assert [one.name for one in choose("open the gate", [tool("open_gate"), tool("b")])] == [
        "open_gate"
    ]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_whatever_is_said_the_calls_fit(text: str) -> None:
    for choice in choose(text, [*TYPICAL, COUNTED_DICE]):
        assert set(choice.arguments) <= {"notation", "count", "sides", "fact", "query", "key"}
        assert all(choice.arguments.values())


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit", ["roll ", "a, ", ", ", " ", "and then ", "remember that ", '"', "what is ", "\n"]
)
async def test_a_very_long_text_is_read_in_bounded_time(unit: str) -> None:
    await calls(unit * 200_000, TYPICAL)
