"""What the model is sent: system prompt, context, persona, preload, intro, turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import PlayerSettings
from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

PRELOADING = agent(
    "t.pre",
    """
export function onLoad(store) { return `turn ${store.n ?? 0}`; }
export function onToolCall(name, args, store) { store.n = (store.n ?? 0) + 1; return "done"; }
export function set(args, store) { store.n = args; }
""",
    tools=["count"],
    commands={"@set": "set"},
    tags="@preload true",
)


def roles(messages: list[dict]) -> list[str]:
    return [message["role"] for message in messages]


@pytest.mark.clause("SYS-01")
async def test_the_instructions_replace_the_macro_everywhere_and_are_not_expanded_again(
    make_player: MakePlayer,
) -> None:
    player = await make_player(
        {
            "system-prompt.txt": "<%%CHARACTER_INSTRUCTIONS%%|%%CHARACTER_INSTRUCTIONS%%>",
            "instructions.txt": "I %%CHARACTER_INSTRUCTIONS%%",
        }
    )
    request = await player.prepare_request("Hi")
    once = "I %%CHARACTER_INSTRUCTIONS%%"
    assert request["messages"][0] == {"role": "system", "content": f"<{once}|{once}>"}


@pytest.mark.clause("SYS-01", "PKG-03")
async def test_mapped_instructions_fill_the_macro(make_player: MakePlayer) -> None:
    player = await make_player(
        {
            "system-prompt.txt": "%%CHARACTER_INSTRUCTIONS%%",
            "instructions.txt": "wrong",
            "sheets/eve.txt": "right",
        },
        config={"fileMappings": {"Instructions": "sheets/eve.txt"}},
    )
    request = await player.prepare_request("Hi")
    assert request["messages"][0]["content"] == "right"


@pytest.mark.clause("SYS-02")
async def test_without_a_system_prompt_the_instructions_are_it(make_player: MakePlayer) -> None:
    player = await make_player({"instructions.txt": "Be brief. %%CHARACTER_INSTRUCTIONS%%"})
    request = await player.prepare_request("Hi")
    assert request["messages"][0] == {
        "role": "system",
        "content": "Be brief. %%CHARACTER_INSTRUCTIONS%%",
    }


@pytest.mark.clause("SYS-02")
async def test_without_any_text_there_is_no_system_message(make_player: MakePlayer) -> None:
    player = await make_player({})
    request = await player.prepare_request("Hi")
    assert roles(request["messages"]) == ["user"]


@pytest.mark.clause("SYS-03", "SYS-04")
async def test_the_context_block_holds_every_text_in_name_order_but_no_dot_files(
    make_player: MakePlayer,
) -> None:
    player = await make_player(
        {
            "context/b.md": "second",
            "context/a.txt": "first",
            "context/.secret.txt": "hidden",
            "context/sub/c.txt": "deeper",
            "context/broken.txt": b"\xff\xfe\xfa",
        }
    )
    (block,) = [m for m in (await player.prepare_request("Hi"))["messages"] if m.get("isFile")]
    prefix, _, rest = block["content"].partition("\n\n")
    assert block["role"] == "user"
    assert rest == "first\n\nsecond"
    assert "background" in prefix
    assert [p.file for p in faults(player)] == ["context/broken.txt"]


@pytest.mark.clause("SYS-05", "SYS-07")
async def test_blocks_come_in_order_system_context_persona_preload_intro_turns(
    make_player: MakePlayer,
) -> None:
    second = agent("t.two", "export const onLoad = () => 'two';", tags="@preload true")
    silent = agent("t.no", "export const onLoad = () => null;", tags="@preload true")
    player = await make_player(
        {
            "instructions.txt": "sys",
            "context/a.txt": "ctx",
            "intro.txt": "Welcome.",
            "agents/t.pre.js": PRELOADING,
            "agents/t.no.js": silent,
            "agents/t.two.js": second,
        },
        settings=PlayerSettings(persona="I am Ada."),
    )
    messages = (await player.prepare_request("Hi"))["messages"]
    assert roles(messages) == ["system", "user", "user", "user", "assistant", "user"]
    assert [m.get("isFile", False) for m in messages] == [False, True, True, True, False, False]
    assert messages[2]["content"] == "I am Ada."
    assert messages[3]["content"] == "turn 0\n\ntwo"
    assert messages[4]["content"] == "Welcome."


@pytest.mark.clause("SYS-05", "EXP-01")
async def test_without_any_onload_text_there_is_no_preload_message(make_player: MakePlayer) -> None:
    quiet = agent("t.q", "export function onLoad() { return undefined; }", tags="@preload true")
    number = agent("t.n", "export const onLoad = () => 5;", tags="@preload true")
    player = await make_player({"agents/t.q.js": quiet, "agents/t.n.js": number})
    assert roles((await player.prepare_request("Hi"))["messages"]) == ["user"]


@pytest.mark.clause("SYS-06")
async def test_the_preload_block_stays_within_a_loop_and_is_rebuilt_for_the_next_turn(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.pre.js": PRELOADING})
    model.script(tool_call("count"), text("One."), text("Two."))
    await player.send("Count!")
    await player.send("And?")
    assert [r.messages[0]["content"] for r in model.requests] == ["turn 0", "turn 0", "turn 1"]


@pytest.mark.clause("SYS-06")
@pytest.mark.parametrize("way", ["command", "store", "tool"])
async def test_the_preload_block_is_rebuilt_when_a_store_changed_between_turns(
    make_player: MakePlayer, model: ModelServer, way: str
) -> None:
    player = await make_player({"agents/t.pre.js": PRELOADING})
    model.script(text("One."), text("Two."))
    await player.send("Hello")
    if way == "command":
        assert (await player.command("@set 1")).ok
    elif way == "store":
        await player.set_store("t.pre", {"n": 1})
    else:
        await player.call_tool("count", {})
    await player.send("And?")
    assert model.requests[-1].messages[0]["content"] == "turn 1"


@pytest.mark.clause("SYS-06")
async def test_onload_runs_once_after_a_turn_and_not_again_when_nothing_changed(
    make_player: MakePlayer, model: ModelServer
) -> None:
    counting = agent(
        "t.c",
        "let calls = 0; export function onLoad() { calls += 1; return `load ${calls}`; }",
        tags="@preload true",
    )
    player = await make_player({"agents/t.c.js": counting})
    model.script(text("One."), text("Two."))
    await player.send("a")
    await player.send("b")
    assert [r.messages[0]["content"] for r in model.requests] == ["load 1", "load 2"]


@pytest.mark.clause("SYS-07")
async def test_logs_and_tool_plumbing_of_past_turns_are_not_sent_but_text_beside_calls_is(
    make_player: MakePlayer, model: ModelServer
) -> None:
    logging = agent(
        "t.log",
        "export function onToolCall(n, a, s, studio) { studio.log('noted'); return 'result'; }",
        tools=["note"],
    )
    player = await make_player({"agents/t.log.js": logging, "intro.txt": "Hello there."})
    model.script(tool_call("note", content="Let me see."), text("Done."), text("Bye."))
    await player.send("Note it")
    await player.send("Thanks")
    assert [(m["role"], m["content"]) for m in model.requests[-1].messages] == [
        ("assistant", "Hello there."),
        ("user", "Note it"),
        ("assistant", "Let me see."),
        ("assistant", "Done."),
        ("user", "Thanks"),
    ]
    assert player.get_conversation()[0]["role"] == "user"


@pytest.mark.clause("SYS-08")
async def test_isfile_is_on_the_prepared_request_and_off_the_wire(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"context/a.txt": "ctx"})
    prepared = await player.prepare_request("Hi")
    model.script(text("Yes."))
    await player.send("Hi")
    assert prepared["messages"][0]["isFile"] is True
    assert [set(m) for m in model.requests[0].messages] == [{"role", "content"}] * 2
    assert prepared["messages"][0]["content"] == model.requests[0].messages[0]["content"]


@pytest.mark.clause("SYS-08")
async def test_isfile_goes_out_when_the_connection_takes_it(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"context/a.txt": "ctx"}, settings=PlayerSettings(send_is_file=True))
    model.script(text("Yes."))
    await player.send("Hi")
    assert model.requests[0].messages[0]["isFile"] is True


@pytest.mark.clause("SYS-08")
async def test_preparing_a_request_changes_nothing(make_player: MakePlayer, tmp_path: Path) -> None:
    noisy = agent(
        "t.noisy",
        """export function onLoad(store, studio) {
             store.seen = true; studio.log("x"); studio.toast("y"); return "loaded"; }""",
        tags="@preload true",
    )
    player = await make_player({"agents/t.noisy.js": noisy})
    toasts: list[str] = []
    player.on("agentToast", toasts.append)
    request = await player.prepare_request("Hi")
    assert request["messages"][0]["content"] == "loaded"
    assert (len(player), player.store("t.noisy"), toasts) == (0, {}, [])


@pytest.mark.clause("SYS-07")
async def test_texts_are_read_when_a_turn_begins(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player({"instructions.txt": "old"})
    (tmp_path / "package/instructions.txt").write_text("new")
    model.script(text("Yes."))
    await player.send("Hi")
    assert model.requests[0].messages[0]["content"] == "new"


@pytest.mark.clause("SYS-07")
async def test_a_full_window_leaves_out_the_oldest_whole_turns_and_keeps_the_rest(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(
        {"instructions.txt": "sys", "context/a.txt": "ctx"},
        settings=PlayerSettings(context_window=1500, max_tokens=100),
    )
    model.always = text("word " * 60, usage=None)
    for turn in range(20):
        await player.send(f"turn {turn} " + "more " * 60)
    sent = model.requests[-1].messages
    assert [m["content"] for m in sent[:2]] == ["sys", sent[1]["content"]]
    assert roles(sent[2:]) == ["user", "assistant"] * ((len(sent) - 3) // 2) + ["user"]
    assert 4 < len(sent) < 30
    assert sent[-1]["content"].startswith("turn 19 ")
    prepared = await player.prepare_request("next")
    kept = [m for m in prepared["messages"] if m["content"].startswith("turn ")]
    assert prepared["turnsCut"] == 20 - len(kept)
    log = tmp_path / "package/conversations/conversation_01.agent-log.jsonl"
    assert "left out" in log.read_text()


PERSONAS = [
    ("Ada", "Grey eyes.", "The user's name is Ada.\n\nGrey eyes."),
    (" Ada \n Byron ", None, "The user's name is Ada Byron."),
    (None, "  Grey eyes.\n", "Grey eyes."),
    ("", " ", None),
    (None, None, None),
]


@pytest.mark.clause("STU-10", "SYS-05")
@pytest.mark.parametrize(("name", "about", "expected"), PERSONAS)
async def test_the_user_is_one_more_file_message_after_the_context_only_when_set(
    make_player: MakePlayer, model: ModelServer, name: str, about: str, expected: str | None
) -> None:
    model.script(text("Good evening."))
    player = await make_player(
        {"instructions.txt": "sys", "context/a.txt": "ctx", "intro.txt": "Welcome."},
        settings=PlayerSettings(persona_name=name, persona=about, send_is_file=True),
    )
    await player.send("Hi")
    files = [m for m in model.last.messages if m.get("isFile")]
    assert "ctx" in files[0]["content"]
    assert [m["content"] for m in files[1:]] == ([expected] if expected else [])
    assert model.last.messages.index(files[-1]) == len(files)


@pytest.mark.clause("STU-10")
async def test_a_changed_persona_counts_from_the_next_message_on(
    make_player: MakePlayer, model: ModelServer
) -> None:
    model.script(text("One."), text("Two."))
    player = await make_player({"instructions.txt": "sys"})
    await player.send("Hi")
    await player.configure(settings=PlayerSettings(persona_name="Ada"))
    await player.send("And now?")
    assert "Ada" not in str(model.requests[0].messages)
    assert model.requests[1].messages[1]["content"] == "The user's name is Ada."
