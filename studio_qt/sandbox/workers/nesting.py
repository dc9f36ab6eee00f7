"""How deeply JSON text is nested, found without parsing it."""

from __future__ import annotations

__all__ = ["nested_deeper_than"]

_KEPT = b'"[]{}'
_DROPPED = bytes(byte for byte in range(256) if byte not in _KEPT)
_ALIKE = bytes.maketrans(b"[]", b"{}")


def nested_deeper_than(text: bytes, cap: int) -> bool:
    """Whether valid JSON `text` holds more than `cap` arrays and objects inside each other."""
    if text.count(b"[") + text.count(b"{") <= cap:
        return False
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    bare = text.translate(None, _DROPPED).replace(b'""', b"")
    if b'"' in bare:  # strings with brackets in them
        bare = b"".join(text.translate(None, _DROPPED).split(b'"')[::2])
    brackets = bare.translate(_ALIKE)
    for _ in range(cap):
        if not brackets:
            return False
        brackets = brackets.replace(b"{}", b"")  # the innermost level, and no other
    return bool(brackets)
