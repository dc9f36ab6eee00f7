"""A worker that has been taken over: it starts like any other, then says what it likes.

The walls around a worker are the second line; what a worker says is data, whoever wrote it. Run as
a program: the argument is the name of a row of FORGERIES. It answers the load and every frame after
that with what the row says, and lives until it is killed.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["FORGERIES"]

JSON = dict[str, object]


def frame(head: object, blob: bytes = b"") -> bytes:
    """Pack a frame as the protocol has it, whatever is in it."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<II", len(text), len(blob)) + text + blob


def done(**more: object) -> JSON:
    """Return the header of an end; the number of the call is filled in later."""
    return {"op": "done", "call": "CALL", "cause": "finished", "value": None, **more}


def asks(method: object, payload: bytes = b"[]", **more: object) -> bytes:
    """Return a bridge request."""
    return frame({"op": "bridge", "call": "CALL", "id": 1, "method": method, **more}, payload)


DEEP = b"[" * 200_000 + b"]" * 200_000

FORGERIES: Mapping[str, bytes] = MappingProxyType(
    {
        "bytes that are no frame": b"\xff" * 64,
        "a frame of 4 GB": struct.pack("<II", 10, 0xFFFFFFFF) + b"x" * 1000,
        "a header of 100 MB": struct.pack("<II", 100 << 20, 0) + b"x" * 1000,
        "a header that is not JSON": frame(b"{]"),
        "a header that is not UTF-8": frame(b'{"op":"\xff"}'),
        "a header that is a list": frame(b"[]"),
        "a header without op": frame({"call": "CALL"}),
        "a deep header": frame(
            b'{"op":"done","call":"CALL","cause":"finished","value":' + DEEP + b"}"
        ),
        "an op that is none": frame({"op": "eval", "call": "CALL"}),
        "an op of the host": frame({"op": "load", "call": "CALL"}),
        "another call": frame(done(call=999_999)),
        "a call that is no number": frame(done(call="x")),
        "a place that is a number": frame(done(cause="failed", place=7)),
        "an end without a cause": frame({"op": "done", "call": "CALL"}),
        "a cause that is none": frame(done(cause="root")),
        "a cause that is no text": frame(done(cause=[])),
        "a store that is not UTF-8": frame(done(store=True), b'{"a":"\xff"}'),
        "a store that is not JSON": frame(done(store=True), b"{]"),
        "a store that is a list": frame(done(store=True), b"[1]"),
        "a store of two lines": frame(done(store=True), b"{\n}"),
        "a deep store": frame(done(store=True), b'{"a":' + DEEP + b"}"),
        "a place of one part": frame(done(cause="failed", error="x", place=["x"])),
        "logs that are no list": frame(done(logs={"a": 1})),
        "logs without end": frame(done(logs=["x"] * 200_000)),
        "undeclared history": asks("history.search", b'["x"]') + frame(done()),
        "undeclared model": asks("callModel", b'["s",[]]') + frame(done()),
        "undeclared store": asks("grants.readStore", b'["t.near"]') + frame(done()),
        "undeclared page": asks("web.fetch", b'["http://127.0.0.1/"]') + frame(done()),
        "a method that is none": asks("os.system", b'["id"]') + frame(done()),
        "a method that is no text": asks(["callModel"]),
        "arguments that are not JSON": asks("toast", b"[1"),
        "arguments that are no list": asks("toast", b'{"a":1}'),
        "deep arguments": asks("toast", DEEP) + frame(done()),
        "arguments that are not UTF-8": asks("toast", b'["\xff"]') + frame(done()),
        "a toast of nothing": asks("toast", b"[]") + frame(done()),
        "an id that is no number": asks("history.search", id="x"),
        "20,000 requests": asks("history.search", id=5) * 20_000,
        "a wait that is no number": frame({"op": "wait", "call": "CALL", "ms": "x"}),
        "a wait of a googol": frame(b'{"op":"wait","call":CALL,"ms":1' + b"0" * 400 + b"}"),
        "a wait below nothing": frame({"op": "wait", "call": "CALL", "ms": -1e308}) + frame(done()),
        "ready once more": frame({"op": "ready", "walls": ["x"] * 9}) + frame(done()),
        "two ends": frame(done()) * 2,
        "an end and another store": frame(done()) + frame(done(store=True), b'{"n":666}'),
        "silence": b"",
    }
)


def main(name: str) -> None:
    """Be ready, load what comes, and answer everything else with the forgery."""
    sys.stdout.buffer.write(frame({"op": "ready", "walls": []}))
    sys.stdout.buffer.flush()
    while lengths := sys.stdin.buffer.read(8):
        head, blob = struct.unpack("<II", lengths)
        asked = json.loads(sys.stdin.buffer.read(head))
        sys.stdin.buffer.read(blob)
        if asked["op"] not in ("load", "call"):
            continue
        loaded = frame(done(exports=["tame", "wild"]))
        answer = loaded if asked["op"] == "load" else FORGERIES[name]
        os.write(1, _numbered(answer, asked["call"]))


def _numbered(data: bytes, call: int) -> bytes:
    """Put the number of the call into every frame that asks for it."""
    quoted, bare = b'"CALL"', b"CALL"
    if bare not in data:
        return data
    found, at = [], 0
    while at < len(data):
        head, blob = struct.unpack_from("<II", data, at)
        text = data[at + 8 : at + 8 + head]
        text = text.replace(quoted, b"%d" % call).replace(bare, b"%d" % call)
        found.append(frame(text, data[at + 8 + head : at + 8 + head + blob]))
        at += 8 + head + blob
    return b"".join(found)


if __name__ == "__main__":
    main(sys.argv[1])
