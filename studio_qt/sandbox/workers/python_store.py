"""A store on its way into a Python agent and back, with as little of it as possible made anew.

Going in, the interpreter reads Python's own `marshal` form, three times as quickly as JSON; coming
back it is JSON, since the former cannot be read safely from foreign hands. Large values of the
store travel as pieces: one that is marshalled to the same bytes afterwards was not changed, and is
not written as JSON again.
"""

from __future__ import annotations

import marshal

import msgspec

from studio_qt.jsontext import JsonValue, decode, decode_object, encode
from studio_qt.sandbox.frames import STORE_CAP
from studio_qt.sandbox.workers.python_text import store_fault, tidy

__all__ = ["PythonStore", "StoreError"]

_PIECE_BYTES = 2048
_READ = 4  # the version of `marshal` that is read most quickly
_COMPARE = 2  # the one that writes the same bytes for the same value: it has no references

_raws = msgspec.json.Decoder(dict[str, msgspec.Raw])
_encoder = msgspec.json.Encoder()
_NULL = msgspec.Raw(b"null")


class StoreError(Exception):
    """What came back cannot be a store; the text says why."""


class PythonStore:
    """The store of an agent as it went in last and as it came out."""

    def __init__(self) -> None:
        self._given = b""
        self._left = b""
        self._canonical = False  # whether the former is spelled as the agent would spell it
        self._packed_text = b""
        self._pieces: dict[str, tuple[bytes, tuple[bytes, bytes]]] = {}  # as JSON and marshalled
        self.packed = b""  # what the interpreter reads

    def take(self, text: str, keep: int) -> None:
        """Choose the store of the next call: 1 the last input, 2 the last output, 0 `text`."""
        if keep == 2:
            self._given, self._canonical = self._left, True
        elif keep == 0:
            self._given, self._canonical = tidy(text.encode())[0], False
        self._left = self._given
        self._pack(self._given, canonical=self._canonical)

    def foresee(self) -> None:
        """Pack what the last call left, since the next will most likely come with it."""
        self._pack(self._left, canonical=True)

    def give_back(self, written: bytes, names: JsonValue) -> tuple[str | None, bool]:
        """Return the new store, None when it is the old, and whether it held NaN or infinities.

        `names` are the pieces that are not in `written` because they did not change. Raises
        StoreError.
        """
        if written == self._given and not names:
            return None, False
        text, odd = tidy(written, by_python=True)
        if fault := store_fault(text):
            raise StoreError(fault)
        if names:
            text = self._complete(text, names)
        if text == self._given or (not self._canonical and self._means_the_same(text)):
            return None, odd
        self._left = text
        return text.decode(), odd

    def _pack(self, text: bytes, *, canonical: bool) -> None:
        if text == self._packed_text:
            return
        self._packed_text = text
        if len(text) < 2 * _PIECE_BYTES:
            self._pieces = {}
            self.packed = marshal.dumps((decode_object(text), {}), _READ)
            return
        raws = _raws.decode(text)
        large = {name: bytes(raw) for name, raw in raws.items() if len(bytes(raw)) > _PIECE_BYTES}
        self._pieces = {name: self._piece(name, raw, canonical) for name, raw in large.items()}
        rest = decode_object(_encoder.encode(raws | dict.fromkeys(large, _NULL)))
        pieces = {name: piece for name, (_, piece) in self._pieces.items()}
        self.packed = marshal.dumps((rest, pieces), _READ)

    def _piece(
        self,
        name: str,
        text: bytes,
        canonical: bool,  # noqa: FBT001 - passed on
    ) -> tuple[bytes, tuple[bytes, bytes]]:
        known = self._pieces.get(name)
        if known is not None and known[0] == text:
            return known
        value = decode(text)
        spelled = text if canonical else encode(value).encode()
        return spelled, (marshal.dumps(value, _READ), marshal.dumps(value, _COMPARE))

    def _complete(self, text: bytes, names: JsonValue) -> bytes:
        raws = _raws.decode(text)
        for name in names if isinstance(names, list) else ():
            if not isinstance(name, str) or name not in self._pieces or name not in raws:
                raise StoreError("it speaks of a part of its store that there is not")
            raws[name] = msgspec.Raw(self._pieces[name][0])
        whole = _encoder.encode(raws)
        if len(whole) > STORE_CAP:
            raise StoreError(f"the store is larger than {STORE_CAP >> 20} MB and was not saved")
        return whole

    def _means_the_same(self, text: bytes) -> bool:
        """Whether the store differs from what went in by nothing but how it is spelled."""
        return encode(decode(self._given)) == encode(decode(text))
