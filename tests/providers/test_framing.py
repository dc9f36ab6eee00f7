"""The framing of streams: lines, characters, comments, ends and timers."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from studio_qt.errors import ModelError
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.sse import SseDecoder
from tests.providers.asking import IMPATIENT, QUICK, Asked, ask, chat
from tests.support.model_server import (
    DONE,
    ModelServer,
    Wait,
    blocked,
    chunk,
    compressed,
    drop_after,
    failure,
    plain,
    raw,
    sse,
    text,
)

END = chunk({}, "stop") + DONE


async def test_line_separators_inside_a_string_are_text(
    provider: HttpProvider, model: ModelServer
) -> None:
    odd = "a\u2028b\u2029c\u0085d"
    spelled = json.dumps({"choices": [{"delta": {"content": odd}}]}, ensure_ascii=False)
    model.script(sse(f"data: {spelled}\n\n".encode(), END))
    assert (await ask(provider)).text == odd


async def test_a_character_cut_by_the_network_is_whole_again(
    provider: HttpProvider, model: ModelServer
) -> None:
    data = chunk({"content": "Größe 🎲 骰"}) + END
    model.script(raw([bytes([byte]) for byte in data]))
    assert (await ask(provider)).text == "Größe 🎲 骰"


@pytest.mark.parametrize("ending", [b"\r\n", b"\r", b"\n"])
async def test_lines_end_with_cr_lf_or_both(
    provider: HttpProvider, model: ModelServer, ending: bytes
) -> None:
    data = (chunk({"content": "one "}) + chunk({"content": "two"}) + END).replace(b"\n", ending)
    model.script(raw(data))
    assert (await ask(provider)).text == "one two"


async def test_a_crlf_pair_may_be_cut(provider: HttpProvider, model: ModelServer) -> None:
    data = (chunk({"content": "one"}) + END).replace(b"\n", b"\r\n")
    model.script(raw([part + b"\r" for part in data.split(b"\r")]))
    assert (await ask(provider)).completion.content == "one"


def test_an_lf_after_a_cut_cr_ends_no_second_line() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r") == []
    assert decoder.feed(b"\n") == []
    assert [e.data for e in decoder.feed(b"data: b\r\n\r\n")] == ["a\nb"]


async def test_data_needs_no_space_after_its_colon(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(raw((chunk({"content": " x"}) + END).replace(b"data: ", b"data:")))
    assert (await ask(provider)).text == " x"


def test_only_one_space_after_the_colon_is_dropped() -> None:
    assert [e.data for e in SseDecoder().feed(b"data:  two\n\n")] == [" two"]


async def test_comments_are_not_read(provider: HttpProvider, model: ModelServer) -> None:
    model.script(
        sse(b": OPENROUTER PROCESSING\n\n", b":\n\n", chunk({"content": "x"}), b":\n", END)
    )
    assert (await ask(provider)).text == "x"


async def test_empty_data_and_blank_lines_are_keep_alives(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(sse(b"\n\n\n", b"data:\n\n", b"data: \n\n", chunk({"content": "x"}), END))
    assert (await ask(provider)).text == "x"


async def test_data_lines_of_one_event_are_joined(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(sse(b'data: {"choices":[{"delta":\ndata: {"content":"x"}}]}\n\n', END))
    assert (await ask(provider)).text == "x"


async def test_events_without_a_blank_line_between_are_read_one_by_one(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(
        raw((chunk({"content": "a"}) + chunk({"content": "b"}) + END).replace(b"\n\n", b"\n"))
    )
    assert (await ask(provider)).text == "ab"


async def test_a_byte_order_mark_is_skipped(provider: HttpProvider, model: ModelServer) -> None:
    model.script(sse(b"\xef\xbb\xbf" + chunk({"content": "x"}), END))
    assert (await ask(provider)).text == "x"


async def test_a_finish_reason_without_done_is_a_good_end(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(sse(chunk({"content": "x"}), chunk({}, "stop")))
    assert (await ask(provider)).completion.finish_reason == "stop"


async def test_done_without_a_finish_reason_is_a_good_end(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(sse(chunk({"content": "x"}), b"data: [DONE]"))
    assert (await ask(provider)).completion.finish_reason is None


@pytest.mark.clause("LOOP-08")
@pytest.mark.parametrize("broken", [raw(chunk({"content": "So"})), drop_after(2, text("So far."))])
async def test_a_stream_without_an_end_is_broken_and_its_text_is_kept(
    provider: HttpProvider, model: ModelServer, broken: object
) -> None:
    model.script(broken)  # type: ignore[arg-type]
    asked = Asked()
    with pytest.raises(ModelError, match="broke off"):
        await asked.feed(provider, chat("Hi"))
    assert asked.text.startswith("So")
    assert len(model.requests) == 1


async def test_a_stream_cut_inside_a_line_is_broken(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(raw([chunk({"content": "So"}), b'data: {"choices":[{"del']))
    with pytest.raises(ModelError, match="broke off"):
        await ask(provider)


async def test_a_connection_cut_after_the_finish_reason_is_a_good_end(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(drop_after(2, sse(chunk({"content": "x"}), chunk({}, "stop"), DONE)))
    assert (await ask(provider)).completion.content == "x"


async def test_a_server_that_keeps_the_stream_open_after_its_end_is_left(
    provider: HttpProvider, model: ModelServer
) -> None:
    gate = threading.Event()
    model.script(sse(chunk({"content": "x"}), chunk({}, "stop"), Wait(gate)))
    async with asyncio.timeout(QUICK.idle / 2):
        assert (await ask(provider)).completion.content == "x"
    assert await model.last.wait_dropped()


async def test_the_first_byte_has_its_own_timer(model: ModelServer) -> None:
    provider = HttpProvider(model.base_url, patience=IMPATIENT)
    model.script(blocked(threading.Event()), blocked(threading.Event(), after=0))
    for _ in ("headers late", "headers at once, body late"):
        with pytest.raises(ModelError, match="has not begun to answer"):
            await ask(provider)
    await provider.close()


async def test_silence_in_the_middle_has_its_own_timer(model: ModelServer) -> None:
    provider = HttpProvider(model.base_url, patience=IMPATIENT)
    model.script(blocked(threading.Event(), text("So far and on."), after=2))
    asked = Asked()
    with pytest.raises(ModelError, match="stopped in the middle"):
        await asked.feed(provider, chat("Hi"))
    assert asked.text == "So "
    await provider.close()


async def test_comments_reset_the_idle_timer(model: ModelServer) -> None:
    """Four comments come 0.1 s apart, each within the idle time of 0.15 s, together beyond it."""
    provider = HttpProvider(model.base_url, patience=IMPATIENT)
    gates = [threading.Event() for _ in range(4)]
    pieces = [part for gate in gates for part in (b": alive\n\n", Wait(gate))]
    model.script(sse(*pieces, chunk({"content": "x"}), END))
    loop = asyncio.get_running_loop()
    for number, gate in enumerate(gates):
        loop.call_later(0.1 * (number + 1), gate.set)
    assert (await ask(provider)).text == "x"
    await provider.close()


async def test_nothing_listening_says_to_start_the_server(model: ModelServer) -> None:
    provider = HttpProvider("http://127.0.0.1:9", patience=IMPATIENT)
    with pytest.raises(ModelError, match=r"Nothing answers at http://127.0.0.1:9/v1\. Start"):
        await ask(provider)
    await provider.close()


async def test_a_plain_json_answer_to_a_stream_request_is_read(
    provider: HttpProvider, model: ModelServer
) -> None:
    message = {"role": "assistant", "content": "whole"}
    model.script(plain({"choices": [{"message": message, "finish_reason": "stop"}]}))
    asked = await ask(provider)
    assert (asked.text, asked.completion.content) == ("whole", "whole")


async def test_a_stream_that_is_labelled_json_is_read(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(raw([chunk({"content": "x"}), END], {"Content-Type": "application/json"}))
    assert (await ask(provider)).text == "x"


async def test_an_answer_without_stream_is_read(provider: HttpProvider, model: ModelServer) -> None:
    model.script(text("whole", reasoning="hm"))
    asked = await ask(provider, stream=False)
    assert (asked.completion.content, asked.completion.reasoning) == ("whole", "hm")
    assert model.last.body["stream"] is False
    assert "stream_options" not in model.last.body


async def test_gzip_is_unpacked(provider: HttpProvider, model: ModelServer) -> None:
    model.script(compressed(text("packed words")))
    assert (await ask(provider)).text == "packed words"


async def test_broken_gzip_is_an_error(provider: HttpProvider, model: ModelServer) -> None:
    model.script(raw([b"no gzip at all"], {"Content-Encoding": "gzip"}))
    with pytest.raises(ModelError, match="cannot be unpacked"):
        await ask(provider)


@pytest.mark.parametrize("status", [200, 502])
async def test_a_web_page_is_an_error_that_names_its_title(
    provider: HttpProvider, model: ModelServer, status: int
) -> None:
    page = b"<!doctype html><title>Bad &amp; gone</title><p>nginx"
    model.script(raw(page, {"Content-Type": "text/html"}, status))
    with pytest.raises(ModelError, match=r"web page.*base URL.*Bad & gone"):
        await ask(provider)


async def test_an_empty_answer_is_asked_for_once_more(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(raw([]), text("now"))
    assert (await ask(provider)).text == "now"
    model.script(raw([]), raw([]))
    with pytest.raises(ModelError, match="empty"):
        await ask(provider)


async def test_a_body_that_is_no_json_is_an_error(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(raw(b'{"choices": [', {"Content-Type": "application/json"}))
    with pytest.raises(ModelError, match="no JSON"):
        await ask(provider)


async def test_a_connection_that_breaks_before_the_answer_is_made_again_once(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(drop_after(0), text("there"))
    assert (await ask(provider)).text == "there"


@pytest.mark.clause("LOOP-07")
async def test_cancelling_closes_the_connection_at_once(
    provider: HttpProvider, model: ModelServer
) -> None:
    heard = asyncio.Event()
    model.script(blocked(threading.Event(), text("So far and on."), after=3))

    async def listen() -> None:
        async for _ in provider.stream(chat("Hi")):
            heard.set()

    task = asyncio.create_task(listen())
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await model.last.wait_dropped()


async def test_a_failure_whose_body_breaks_off_is_still_told(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(drop_after(1, failure(500, "half a sen")))
    with pytest.raises(ModelError, match="half a sen") as caught:
        await ask(provider)
    assert caught.value.status == 500
