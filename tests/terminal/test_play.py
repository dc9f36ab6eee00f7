"""`studio-qt play`, as a process with piped lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.model_server import ModelServer, failure, text
from tests.terminal.conftest import Studio


@pytest.mark.clause("CONS-01", "SYS-07")
def test_a_line_is_a_message_and_rehearsal_is_named(studio: Studio, plain: Path) -> None:
    (plain / "intro.txt").write_text("Well met.", encoding="utf-8")
    done = studio("play", plain, lines=("[[say Good evening.]]",))
    assert done.code == 0
    assert done.out.splitlines()[0] == "Plain"
    assert done.out.index("Well met.") < done.out.index("Good evening.\n")
    assert "Rehearsal" in done.err
    assert "agent code" not in done.err


@pytest.mark.clause("CONS-02", "BR-02")
def test_tool_calls_and_logs_stand_between_the_texts(studio: Studio, counter: Path) -> None:
    done = studio("play", counter, lines=('[[call count {"by": 7}]] [[say Seven.]]',))
    lines = [line for line in done.out.splitlines() if line]
    assert lines[-3:] == ["· total 7", '> count {"by":7} = total 7', "Seven."]
    assert "(JavaScript)" in done.err
    assert done.err.count("agent code of its own") == 1


@pytest.mark.clause("CONS-02")
def test_json_prints_one_event_a_line(studio: Studio, counter: Path) -> None:
    lines = ('[[call count {"by": 7}]] [[say Seven.]]', "@count 1", "@count x", "/usage")
    done = studio("play", counter, "--json", lines=lines)
    assert done.data("opened")[0]["conversation"] == "conversation_01"
    assert done.data("toolCall")[0]["result"] == "total 7"
    assert done.data("agentLog") == ["total 7"]
    assert "".join(done.data("token")) == "Seven."
    assert done.data("message") == [{"role": "assistant", "content": "Seven."}]
    assert [result["ok"] for result in done.data("command")] == [True, False]
    assert done.data("error")[0]["message"] == "Give a number."
    assert done.data("usage")[0]["agentTokensThisConversation"] == 0
    assert done.code == 1


@pytest.mark.clause("EXP-03")
def test_a_command_that_is_refused_is_one_line_on_stderr(studio: Studio, counter: Path) -> None:
    done = studio("play", counter, lines=("@count 2", "@count x", "@nosuch"))
    assert done.code == 1
    assert "studio-qt: Give a number." in done.err
    assert "@nosuch" in done.err.splitlines()[-1]


@pytest.mark.clause("CONS-03", "PERS-01")
def test_a_restart_goes_on_and_slash_commands_move_between_conversations(
    studio: Studio, counter: Path
) -> None:
    studio("play", counter, lines=('[[call count {"by": 7}]] [[say First.]]',))
    lines = ("/log", "/new", "[[say Second.]]", "/list", "/load conversation_01", "/clear", "/quit")
    done = studio("play", counter, "--json", lines=(*lines, "[[say never]]"))
    assert done.code == 0
    opened = done.data("opened")[0]
    assert (opened["conversation"], opened["entries"] > 2) == ("conversation_01", True)
    assert done.data("log")[0][0]["content"] == "total 7"
    assert done.data("new") == [{"id": "conversation_02"}]
    assert {found["id"] for found in done.data("list")[0]} == {
        "conversation_01",
        "conversation_02",
    }
    assert len(done.data("message")) == 1
    again = studio("play", counter, "--json", "--conversation", "conversation_02")
    assert again.data("opened")[0]["conversation"] == "conversation_02"


def test_the_end_of_a_conversation_is_shown_when_it_goes_on(studio: Studio, plain: Path) -> None:
    studio("play", plain, lines=("[[say Until tomorrow.]]",))
    done = studio("play", plain)
    assert "conversation_01 goes on" in done.out
    assert "assistant: Until tomorrow." in done.out


def test_an_unknown_conversation_and_an_unknown_slash_command_are_errors(
    studio: Studio, plain: Path
) -> None:
    wrong = studio("play", plain, "--conversation", "conversation_99")
    assert wrong.code == 1
    assert "conversation_99" in wrong.err.splitlines()[-1]
    done = studio("play", plain, lines=("/nosuch", "[[say Still here.]]"))
    assert (done.code, "Still here." in done.out) == (1, True)
    assert "/help" in done.err


def test_help_lists_the_slash_commands_and_those_of_the_character(
    studio: Studio, counter: Path
) -> None:
    done = studio("play", counter, lines=("/help", "/commands", "/problems"))
    words = ("/new", "/list", "/load ID", "/clear", "/log", "/usage", "/walls", "/quit")
    for word in (*words, "@count", "No problems."):
        assert word in done.out


@pytest.mark.clause("BOX-01")
def test_the_walls_around_agents_are_shown(studio: Studio, counter: Path, plain: Path) -> None:
    (walls,) = studio("play", counter, "--json", lines=("/walls",)).data("walls")
    assert "The environment of a worker is empty." in walls
    assert "no agent code runs" in studio("play", plain, lines=("/walls",)).out.lower()


@pytest.mark.clause("CONS-01")
def test_an_endpoint_gets_the_key_from_the_environment_alone(
    studio: Studio, plain: Path, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_API_KEY", " sk-secret\n")
    model.script(text("Real."))
    words = ("--base-url", model.base_url, "--model", "test-model")
    done = studio("play", plain, *words, lines=("//hello",))
    assert "Real." in done.out
    assert "Rehearsal" not in done.err
    assert model.requests[0].headers["authorization"] == "Bearer sk-secret"
    assert model.requests[0].messages[-1]["content"] == "/hello"
    assert "sk-secret" not in done.out + done.err


@pytest.mark.clause("LOOP-08")
def test_a_provider_that_fails_is_one_line_and_retry_asks_again(
    studio: Studio, plain: Path, model: ModelServer
) -> None:
    model.script(failure(401, "no such key"), text("Now it works."))
    words = ("--base-url", model.base_url, "--model", "test-model")
    done = studio("play", plain, *words, lines=("Hello?", "/retry"))
    assert done.code == 1
    assert "no such key" in done.err
    assert "/retry" in done.err
    assert "Now it works." in done.out
    assert [m["content"] for m in model.requests[1].messages if m["role"] == "user"] == ["Hello?"]


def test_replies_cannot_steer_the_terminal(studio: Studio, plain: Path) -> None:
    done = studio("play", plain, lines=("[[say \x1b]0;title\x07red é 漢]]",))
    assert "\x1b" not in done.out
    assert "red é 漢" in done.out


def test_input_that_is_not_utf_8_breaks_nothing(plain: Path, started) -> None:
    process = started("play", plain)
    out, err = process.communicate(b"[[say \xff\xfe]]\n", timeout=60)
    assert process.returncode == 0, err
    assert "\ufffd" in out.decode()


def test_a_reader_that_goes_away_ends_it_quietly(plain: Path, started) -> None:
    process = started("play", plain)
    process.stdout.close()
    process.stdin.write(b"[[say Hello]]\n" * 3)
    process.stdin.close()
    process.stdin = None
    assert process.wait(60) == 1
    assert b"Traceback" not in process.stderr.read()


@pytest.mark.clause("PERS-04")
def test_a_second_process_is_told_who_has_the_conversations(
    studio: Studio, counter: Path, started
) -> None:
    first = started("play", counter, "--json")
    assert b'"opened"' in first.stdout.readline()
    done = studio("call", counter, "count", '{"by": 1}')
    assert done.code == 1
    assert str(first.pid) in done.err.splitlines()[-1]
    first.stdin.close()
    first.stdin = None
    assert first.wait(60) == 0
    assert studio("call", counter, "count", '{"by": 1}').code == 0


@pytest.mark.clause("PKG-13")
def test_zips_of_one_name_keep_their_own_conversations(
    studio: Studio, plain: Path, tmp_path: Path
) -> None:
    for place in ("here", "there"):
        shutil.make_archive(str(tmp_path / place / "plain"), "zip", plain)
    studio("play", tmp_path / "here" / "plain.zip", lines=("[[say Hello.]]",))
    other = studio("play", tmp_path / "there" / "plain.zip", "--json")
    again = studio("play", tmp_path / "here" / "plain.zip", "--json")
    assert (other.data("opened")[0]["entries"], again.data("opened")[0]["entries"]) == (0, 2)
    assert not list(tmp_path.glob("*/conversations"))
