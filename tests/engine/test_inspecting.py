"""What the prompt inspector is told: the exact requests, block by block (SYS, LOOP, BR-06)."""

from __future__ import annotations

import pytest

from studio_qt import CharacterPlayer, ModelError, PlayerSettings, StudioError
from studio_qt.engine.inspecting import InspectedRequest, RequestBlock
from studio_qt.engine.requests import Built, Makeup, SentRequest, SentRequests
from studio_qt.providers.model import ChatRequest
from studio_qt.providers.rehearsal.provider import RehearsalProvider
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, failure, text, tool_call
from tests.support.packages import agent

NOTE = agent(
    "t.note",
    """
export function onLoad(store) { return `NOTES ${store.notes ?? 0}`; }
export function onToolCall(name, args, store) { store.notes = (store.notes ?? 0) + 1; return "ok"; }
export async function ask(args, store, studio) { await studio.callModel("ASKED", []); }
""",
    tools={"note": {}},
    commands={"@ask": "ask"},
    tags="@preload true\n@api studio.model",
)
FILES: dict[str, str | bytes] = {
    "system-prompt.txt": "Play: %%CHARACTER_INSTRUCTIONS%% Well.",
    "instructions.txt": "Be Eve.",
    "intro.txt": "Hello there.",
    "context/a.md": "A file.",
    "context/b.md": "B file.",
    "agents/t.note.js": NOTE,
}


async def last(player: CharacterPlayer) -> InspectedRequest:
    return await player.request(player.requests()[-1].number)


def block(request: InspectedRequest, kind: str) -> RequestBlock:
    return next(one for one in request.blocks if one.kind == kind)


def kinds(request: InspectedRequest) -> list[str]:
    return [one.kind for one in request.blocks]


async def test_bodies_are_byte_for_byte_what_the_server_received(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(tool_call("note", {}), text("Noted “so” — ✓."), text("Again."))
    await player.send("Grüße 🌊\u2028line")
    await player.send("More")
    told = [(await player.request(about.number)).bodies for about in player.requests()]
    assert told == [(request.data,) for request in model.requests]


async def test_what_would_be_sent_is_byte_for_byte_what_then_is(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(text("One."), text("Two."))
    await player.send("First")
    before = await player.inspect("Second")
    assert (before.about.number, before.about.state) == (0, "next")
    await player.send("Second")
    assert before.bodies == (model.requests[-1].data,)
    assert (await last(player)).prepared == before.prepared


async def test_looking_at_the_next_request_changes_nothing_and_agrees_with_prepare_request(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    seen = await player.inspect("Hi")
    prepared = await player.prepare_request("Hi")
    assert seen.prepared == {key: prepared[key] for key in ("model", "messages", "tools")}
    assert (player.get_conversation(), player.requests(), model.requests) == ([], [], [])
    assert player.store("t.note") == {}


@pytest.mark.clause("SYS-01", "SYS-03", "SYS-05", "SYS-07", "SYS-08")
async def test_blocks_tell_role_origin_tokens_and_the_file_mark(
    make_player: MakePlayer, model: ModelServer
) -> None:
    settings = PlayerSettings(persona="Tall.", persona_name="Wren")
    player = await make_player(FILES, agents=["t.note"], settings=settings)
    seen = await player.inspect("Hi")
    assert kinds(seen) == [
        "tools", "system", "context", "persona", "preload", "intro", "running",
    ]  # fmt: skip
    origins = [[(part.kind, part.name) for part in one.parts] for one in seen.blocks]
    assert origins == [
        [("studio", "note")],
        [
            ("file", "system-prompt.txt"),
            ("file", "instructions.txt"),
            ("file", "system-prompt.txt"),
        ],
        [("studio", ""), ("file", "context/a.md"), ("file", "context/b.md")],
        [("settings", "")],
        [("agent", "t.note")],
        [("file", "intro.txt")],
        [("entry", "")],
    ]
    assert [one.is_file for one in seen.blocks] == [False, False, True, True, True, False, False]
    assert [one.role for one in seen.blocks[1:]] == [
        "system", "user", "user", "user", "assistant", "user",
    ]  # fmt: skip
    assert block(seen, "preload").text == "NOTES 0"
    assert all(one.tokens > 0 for one in seen.blocks)
    assert seen.tokens == sum(one.tokens for one in seen.blocks)


async def test_the_parts_of_a_block_make_up_its_text(
    make_player: MakePlayer, model: ModelServer
) -> None:
    seen = await (await make_player(FILES, agents=["t.note"])).inspect("Hi")
    system = block(seen, "system")
    assert "".join(part.text for part in system.parts) == system.text == "Play: Be Eve. Well."
    context = block(seen, "context")
    assert "\n\n".join(part.text for part in context.parts) == context.text


async def test_past_turns_name_their_entries_and_the_running_turn_its_calls(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(text("One."), tool_call("note", {}), text("Two."))
    await player.send("First")
    await player.send("Second")
    seen = await last(player)
    told = [(b.kind, b.key, b.role, b.calls, b.turn) for b in seen.blocks if b.turn]
    assert told == [
        ("past", "entry e1", "user", (), 1),
        ("past", "entry e2", "assistant", (), 1),
        ("running", "entry e3", "user", (), 2),
        ("running", "turn 2 message 1", "assistant", ("note",), 2),
        ("running", "turn 2 message 2", "tool", ("note",), 2),
    ]
    assert (seen.about.turn, seen.about.round, seen.about.after) == (2, 2, ("note",))


async def test_turns_that_do_not_fit_are_told_with_the_reason(
    make_player: MakePlayer, model: ModelServer
) -> None:
    settings = PlayerSettings(context_window=2_048)
    player = await make_player(FILES, agents=["t.note"], settings=settings)
    model.script(*(text("word " * 400) for _ in range(4)))
    for number in range(4):
        await player.send(f"Message {number} " + "and more " * 100)
    seen = await last(player)
    cut = [one for one in seen.blocks if one.cut]
    assert [one.kind for one in cut] == ["intro", "past"]
    assert "2,048" in cut[1].cut
    assert (cut[1].turn, cut[1].entries) == (1, cut[1].to_turn * 2)
    assert cut[1].to_turn + sum(b.role == "user" and b.kind == "past" for b in seen.blocks) == 3
    assert (seen.window, seen.reserve) == (2_048, 512)
    assert seen.tokens == sum(one.tokens for one in seen.blocks if not one.cut)


@pytest.mark.clause("PERS-05")
async def test_rejected_and_earlier_responses_are_shown_as_never_sent(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(*(text(word) for word in ("Bad.", "Good.", "Fine.", "Finer.")))
    await player.send("First")
    await player.regenerate()
    await player.send("Second")
    await player.regenerate()
    seen = await last(player)
    never = [(one.key, one.text, one.entries) for one in seen.blocks if one.cut]
    assert never == [("rejected 1", "Bad.", 1), ("earlier 2", "", 1)]
    assert [one.text for one in seen.blocks if one.kind == "past" and not one.cut] == [
        "First", "Good.",
    ]  # fmt: skip


@pytest.mark.clause("BR-06", "CAP-02")
async def test_requests_of_agents_are_kept_with_who_asked_and_from_which_call(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        {
            "agents/marcus.subagent.md": "---\ndescription: Ask.\n---\nYou are Marcus.",
            "agents/t.note.js": NOTE,
        },
        agents=[
            {
                "id": "eve.marcus",
                "implementation": "studio.sub-agent",
                "promptFile": "marcus.subagent.md",
                "private-agents": ["t.note"],
            }
        ],
        worker_model="small",
    )
    model.script(
        tool_call("marcus", {"request": "Hm?"}), tool_call("note", {}), text("Aye."), text("Done.")
    )
    await player.send("Ask him")
    told = [(one.agent_id, one.lane, one.round, one.tool_call_id) for one in player.requests()]
    assert told == [
        ("", "main", 1, None),
        ("eve.marcus", "worker", 1, 1),
        ("eve.marcus", "worker", 2, 1),
        ("", "main", 2, None),
    ]
    inner = await player.request(player.requests()[2].number)
    assert inner.bodies == (model.requests[2].data,)
    assert [one.kind for one in inner.blocks if one.kind != "tools"] == ["agent"] * 4
    first = await player.request(player.requests()[1].number)
    assert [one.role for one in first.blocks if one.kind == "agent"] == ["system", "user"]


async def test_usage_time_and_size_are_told_when_the_answer_is_there(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(text("One.", usage=(321, 7)))
    await player.send("First")
    (about,) = player.requests()
    assert (about.state, about.tokens, about.model) == ("answered", 321, "test-model")
    assert about.usage is not None
    assert about.usage.completion_tokens == 7
    assert about.size == len(model.requests[0].data)
    assert about.seconds is not None
    assert about.first_token is not None
    assert 0 <= about.first_token <= about.seconds


async def test_each_try_that_went_out_is_kept(make_player: MakePlayer, model: ModelServer) -> None:
    player = await make_player(FILES, agents=["t.note"])
    refusal = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}
    model.script(failure(400, refusal), text("Now."))
    await player.send("First")
    seen = await last(player)
    assert seen.bodies == tuple(request.data for request in model.requests)
    assert (seen.about.tries, len(seen.bodies)) == (2, 2)


async def test_a_request_that_fails_or_is_stopped_is_kept_with_its_end(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(failure(401, "no"), text("a b c", pieces=["a ", "b ", "c"]))
    with pytest.raises(ModelError):
        await player.send("First")
    player.on("token", lambda _: player.stop())
    await player.send("Second")
    failed, stopped = player.requests()
    assert (failed.state, stopped.state) == ("failed", "stopped")
    assert failed.error


async def test_no_key_is_in_what_is_kept(make_player: MakePlayer, model: ModelServer) -> None:
    player = await make_player(FILES, agents=["t.note"], api_key="sk-very-secret")
    model.script(text("One."))
    await player.send("First")
    assert "sk-very-secret" not in repr(await last(player))
    assert "sk-very-secret" in model.requests[0].headers["authorization"]


async def test_an_event_tells_of_each_request_twice(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    heard: list[object] = []
    player.on("request", heard.append)
    model.script(text("One."))
    await player.send("First")
    (about,) = player.requests()
    assert heard == [
        {"number": about.number, "state": "sent"},
        {"number": about.number, "state": "answered"},
    ]


async def test_requests_belong_to_their_conversation(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(text("One."))
    await player.send("First")
    first = player.conversation_id
    await player.new_conversation()
    assert player.requests() == []
    await player.load_conversation(first)
    assert [one.turn for one in player.requests()] == [1]
    with pytest.raises(StudioError, match="not kept"):
        await player.request(99)


async def test_a_rehearsed_request_tells_what_the_rehearsal_reads(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"], base_url="rehearsal:", model=None)
    await player.send("[[say hello]]")
    seen = await last(player)
    assert b"[[say hello]]" in seen.bodies[0]
    assert seen.about.state == "answered"


def test_what_is_kept_is_bounded_and_the_newest_stays() -> None:
    sent = SentRequests(lambda _event: None, most=3, most_bytes=100)
    request, about = ChatRequest("m", []), _about()
    for size in (10, 10, 10, 10, 70, 500):
        with sent.recording(Built(request, Makeup(0, 0), about), RehearsalProvider()) as record:
            assert record.request.on_sent is not None
            record.request.on_sent(b"x" * size)
        told = [one.size for one in sent.list("c")]
    assert told == [500]
    with sent.recording(Built(request, Makeup(0, 0), about), RehearsalProvider()):
        assert [one.size for one in sent.list("c")] == [500, None]


def test_only_so_many_requests_are_kept() -> None:
    sent = SentRequests(lambda _event: None, most=2)
    built = Built(ChatRequest("m", []), Makeup(0, 0), _about())
    for _ in range(4):
        with sent.recording(built, RehearsalProvider()):
            pass
    assert [(one.number, one.state) for one in sent.list("c")] == [(3, "stopped"), (4, "stopped")]


async def test_an_edit_changes_nothing_in_what_was_sent(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, agents=["t.note"])
    model.script(text("One."), text("Two."))
    await player.send("a")
    await player.send("b")
    await player.edit(0, "CHANGED")
    second = await last(player)
    assert second.bodies[0] == model.requests[1].data
    assert "CHANGED" not in repr(second)


def _about() -> SentRequest:
    return SentRequest(0, "c", 1, "main", "", 1, "m", 0.0, "next", 0)
