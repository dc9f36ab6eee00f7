"""Frames: caps, torn input, and what a worker may say."""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.sandbox import BridgeCall
from studio_qt.sandbox.exchange import Exchange
from studio_qt.sandbox.frames import BLOB_CAP, HEADER_CAP, Frame, FrameError, FrameReader, pack
from studio_qt.sandbox.workers.nesting import nested_deeper_than


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def read(pipe: tuple[int, int], data: bytes) -> list[Frame]:
    """Return the frames that are in `data`, followed by the end of the pipe."""
    os.write(pipe[1], data)
    os.close(pipe[1])
    reader, frames = FrameReader(pipe[0]), []
    while (frame := reader.read()) is not None:
        frames.append(frame)
    return frames


def test_frames_come_out_as_they_went_in(pipe: tuple[int, int]) -> None:
    sent = [Frame({"op": "a", "n": 1}, b"blob"), Frame({"op": "b"}), Frame({"op": "c"}, b"x" * 99)]
    assert read(pipe, b"".join(pack(frame.header, frame.blob) for frame in sent)) == sent


def test_a_torn_last_frame_is_dropped(pipe: tuple[int, int]) -> None:
    whole = pack({"op": "a"}, b"blob")
    assert read(pipe, whole + whole[:-1]) == [Frame({"op": "a"}, b"blob")]


@pytest.mark.clause("BOX-01")
@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<II", HEADER_CAP + 1, 0),
        struct.pack("<II", 2, BLOB_CAP + 1) + b"{}",
        struct.pack("<II", 2, 0) + b"{}",
        struct.pack("<II", 4, 0) + b"[1] ",
        struct.pack("<II", 9, 0) + b'{"op": 5}',
        struct.pack("<II", 3, 0) + b"\xff\xfe{",
        b"print() of a stray library\n",
    ],
)
def test_what_is_no_frame_is_refused(pipe: tuple[int, int], data: bytes) -> None:
    with pytest.raises(FrameError):
        read(pipe, data)


def test_what_is_over_the_caps_is_not_sent() -> None:
    with pytest.raises(FrameError):
        pack({"op": "a", "text": "x" * HEADER_CAP})
    with pytest.raises(FrameError):
        pack({"op": "a"}, b"x" * (BLOB_CAP + 1))


class Worker:
    """Stands for a process where a real one cannot be made to lie."""

    def __init__(self) -> None:
        self.sent: list[Frame] = []
        self.killed = False

    def send(self, data: bytes, *, idle: bool = False) -> None:
        head, blob = struct.unpack_from("<II", data)
        import json

        self.sent.append(Frame(json.loads(data[8 : 8 + head]), data[8 + head : 8 + head + blob]))

    def kill(self) -> None:
        self.killed = True


async def answer_all(call: BridgeCall) -> JsonValue:
    return "answered"


def request(method: str, **more: JsonValue) -> Frame:
    header: JsonObject = {"op": "bridge", "call": 1, "id": 1, "method": method}
    return Frame(header | more, b'["a"]')


@pytest.mark.clause("BR-09", "BOX-01")
@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        ("history.search", b"@api studio.history"),
        ("callModel", b"@api studio.model"),
        ("files.read", b"does not exist"),
        ("__class__", b"does not exist"),
    ],
)
async def test_a_forged_request_is_refused_at_the_gate(method: str, refusal: bytes) -> None:
    worker = Worker()
    names = frozenset({"studio.context"})
    exchange = Exchange(
        worker,  # type: ignore[arg-type]
        1,
        seconds=5,
        grace=5,
        bridge=answer_all,
        namespaces=names,
    )
    exchange.on_frame(request(method))
    exchange.on_frame(request("context.readFile", id=2))
    await asyncio.sleep(0.01)
    forged, honest = worker.sent
    assert (forged.header["ok"], honest.header["ok"]) == (False, True)
    assert refusal in forged.blob
    exchange.on_frame(Frame({"op": "done", "call": 1, "cause": "finished"}))
    await exchange.finished()


@pytest.mark.clause("BOX-01")
@pytest.mark.parametrize(
    "frame",
    [
        Frame({"op": "load", "call": 1}),
        Frame({"op": "done", "call": 2, "cause": "finished"}),
        Frame({"op": "done"}),
        Frame({"op": "done", "call": 1, "cause": 5}),
        Frame({"op": "wait", "call": 1, "ms": "long"}),
        Frame({"op": "bridge", "call": 1, "id": "x", "method": "log"}, b"[]"),
        Frame({"op": "bridge", "call": 1, "id": 1, "method": 5}, b"[]"),
        Frame({"op": "bridge", "call": 1, "id": 1, "method": "log"}, b"{}"),
        Frame({"op": "bridge", "call": 1, "id": 1, "method": "log"}, b"no json"),
    ],
)
async def test_a_malformed_message_costs_the_worker_its_life(frame: Frame) -> None:
    worker = Worker()
    exchange = Exchange(worker, 1, seconds=5, grace=5, bridge=answer_all)  # type: ignore[arg-type]
    exchange.on_frame(frame)
    assert worker.killed
    exchange.on_exit("gone")
    assert (await exchange.finished()).cause == "lost"


def test_arrays_and_objects_in_turn_count_each() -> None:
    text = b'{"a":[' * 300 + b"]}" * 300
    assert nested_deeper_than(text, 599)
    assert not nested_deeper_than(text, 600)


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max((depth_of(item) for item in value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(
    st.recursive(
        st.none() | st.integers() | st.text('[]{}"\\,: a'),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text('[]{}"\\'), inner, max_size=4)
        ),
        max_leaves=12,
    ),
    st.integers(0, 8),
)
def test_nesting_is_counted_as_a_parser_would(value: object, cap: int) -> None:
    import json

    assert nested_deeper_than(json.dumps(value).encode(), cap) == (depth_of(value) > cap)
