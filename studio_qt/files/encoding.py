"""How a text lies on the disk: its encoding and line ends, read so that they can be kept.

Reading loses nothing: `encode_text` of what `decode_text` gave is the same bytes.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from studio_qt.errors import StudioError

__all__ = [
    "LINE_ENDS",
    "TEXT_LIMIT",
    "Encoded",
    "FileText",
    "decode_text",
    "encode_text",
    "too_large",
]

TEXT_LIMIT = 16 * 1024 * 1024
"""Bytes that a file may have to be edited as a text."""

LINE_ENDS = ("\n", "\r\n", "\r")

_END = re.compile(r"\r\n|\r|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class FileText(NamedTuple):
    """A text with `\\n` between its lines, and what its bytes were made with.

    `encoding` is Python's name; the two UTF-16 begin with a byte order mark. `line_end` is the
    most frequent one; `ends` has the end of each line where they are mixed, else it is None.
    """

    text: str
    encoding: str = "utf-8"
    line_end: str = "\n"
    ends: tuple[str, ...] | None = None

    @property
    def mixed(self) -> bool:
        """Whether the lines end in more than one way."""
        return self.ends is not None


class Encoded(NamedTuple):
    """The bytes of a text, what was written, and a sentence where more than asked had to change."""

    data: bytes
    file: FileText
    notice: str = ""


def decode_text(data: bytes, path: str) -> FileText:
    """Read the bytes of the file `path`; raises StudioError for what is no text, or too large.

    Without a byte order mark it is UTF-8 if it can be, else Windows-1252, else Latin-1.
    """
    if len(data) > TEXT_LIMIT:
        raise too_large(path, len(data))
    text, encoding = _decode(data, path)
    if "\0" in text:
        raise StudioError(f"{path} is not a text: it holds NUL bytes. Open it in another program.")
    return _with_line_ends(text, encoding)


def encode_text(text: str, like: FileText) -> Encoded:
    """Return the bytes of `text`, whose lines end in `\\n`, with encoding and ends of `like`.

    Where line ends are mixed, lines that are as they were keep theirs. What the encoding cannot
    hold makes it UTF-8; half a surrogate pair and NUL, which no text file can hold, become U+FFFD.
    """
    clean = _SURROGATE.sub("\ufffd", text).replace("\0", "\ufffd")
    notices = [] if clean == text else ["A character that no file can hold became \ufffd."]
    ends = _ends(clean, like)
    ended = _end_lines(clean, like.line_end, ends)
    encoding, data = like.encoding, _encode(ended, like.encoding)
    if data is None:
        notices.insert(0, f"It holds characters that {encoding} cannot, and is UTF-8 now.")
        encoding, data = "utf-8", ended.encode()
    return Encoded(data, FileText(text, encoding, like.line_end, ends), " ".join(notices))


def too_large(path: str, size: int) -> StudioError:
    """Return the error for a file of `size` bytes, more than `TEXT_LIMIT`."""
    return StudioError(
        f"{path} has {size / (1024 * 1024):.1f} MB; texts of up to 16 MB can be edited here. "
        "Open it in another program, or split it."
    )


def _decode(data: bytes, path: str) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(_codec(encoding)), encoding
            except UnicodeDecodeError as error:
                if encoding == "utf-8-sig":
                    break
                raise StudioError(
                    f"{path} is damaged: it begins as UTF-16 but is not ({error.reason}). "
                    "Mend it in another program."
                ) from error
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _codec(encoding: str) -> str:
    """Return the codec that neither adds nor removes a mark."""
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _mark(encoding: str) -> bytes:
    return next((mark for mark, name in _MARKS if name == encoding), b"")


def _with_line_ends(text: str, encoding: str) -> FileText:
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    if not any(counts.values()):
        return FileText(text, encoding)
    line_end = max(counts, key=lambda end: counts[end])
    if sum(counts.values()) == counts[line_end]:
        return FileText(text.replace(line_end, "\n"), encoding, line_end)
    ends = tuple(_END.findall(text))
    return FileText(_END.sub("\n", text), encoding, line_end, ends)


def _encode(text: str, encoding: str) -> bytes | None:
    """Return the bytes, None where they cannot hold the text or would be read as another."""
    try:
        data = _mark(encoding) + text.encode(_codec(encoding))
    except UnicodeEncodeError:
        return None
    if encoding.startswith("utf"):
        return data
    try:
        return data if _decode(data, "")[0] == text else None
    except StudioError:
        return None


def _ends(text: str, like: FileText) -> tuple[str, ...] | None:
    """Return the end of each line where they are mixed; those of known lines stay."""
    if like.ends is None:
        return None
    before, lines = like.text.split("\n"), text.split("\n")
    ends = [like.line_end] * (len(lines) - 1)
    from studio_qt.files.difference import line_blocks  # not for every file that is read

    for block in line_blocks(before, lines):
        if block.same:
            for old, new in zip(block.left, block.right, strict=True):
                if old < len(like.ends) and new < len(ends):
                    ends[new] = like.ends[old]
    return tuple(ends)


def _end_lines(text: str, line_end: str, ends: tuple[str, ...] | None) -> str:
    if ends is None:
        return text if line_end == "\n" else text.replace("\n", line_end)
    return "".join(line + end for line, end in zip(text.split("\n"), (*ends, ""), strict=True))
