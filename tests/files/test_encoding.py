from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio_qt.errors import StudioError
from studio_qt.files.encoding import TEXT_LIMIT, FileText, decode_text, encode_text

_PIECES = [b"a", b"\r", b"\n", b"\r\n", b"\xe9", b"\x81", "é".encode(), "😀".encode()]
_MARKS = [b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]


@pytest.mark.clause("STU-01")
@given(st.sampled_from(_MARKS), st.lists(st.sampled_from(_PIECES), max_size=12))
@example(codecs.BOM_UTF8, [codecs.BOM_UTF8, b"x"])
@example(b"", [b"\xff\xfe"])
def test_reading_and_writing_gives_the_same_bytes(mark: bytes, pieces: list[bytes]) -> None:
    data = mark + b"".join(pieces)
    try:
        file = decode_text(data, "a.txt")
    except StudioError:
        assert data[:2] in _MARKS
        return
    assert "\r" not in file.text
    encoded = encode_text(file.text, file)
    assert encoded.data == data
    assert encoded.file == file
    assert encoded.notice == ""


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"caf\xc3\xa9", "utf-8", "café"),
        (b"\xef\xbb\xbfcaf\xc3\xa9", "utf-8-sig", "café"),
        (b"\xff\xfec\x00\xe9\x00", "utf-16-le", "cé"),
        (b"\xfe\xff\x00c\x00\xe9", "utf-16-be", "cé"),
        (b"\x93caf\xe9\x94", "cp1252", "“café”"),
        (b"caf\xe9\x81", "latin-1", "café\x81"),
        (b"\xef\xbb\xbfcaf\xe9", "cp1252", "ï»¿café"),
    ],
)
def test_the_encoding_is_seen_in_the_bytes(data: bytes, encoding: str, text: str) -> None:
    file = decode_text(data, "a.txt")
    assert (file.encoding, file.text) == (encoding, text)


def test_the_most_frequent_line_end_is_taken_and_mixed_ones_are_known() -> None:
    file = decode_text(b"a\r\nb\r\nc\nd\re", "a.txt")
    assert file.text == "a\nb\nc\nd\ne"
    assert file.line_end == "\r\n"
    assert file.ends == ("\r\n", "\r\n", "\n", "\r")
    assert not decode_text(b"a\rb\r", "a.txt").mixed
    assert decode_text(b"", "a.txt") == FileText("")


def test_changed_lines_alone_take_the_most_frequent_end() -> None:
    file = decode_text(b"a\r\nb\nc\r\nd\ne\r\n", "a.txt")
    assert encode_text("a\nB\nnew\nc\nd\ne\n", file).data == b"a\r\nB\r\nnew\r\nc\r\nd\ne\r\n"
    assert encode_text("", file).data == b""


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("text", ["→", "Ã©", "ÿþ", "ï»¿x"])
def test_text_that_would_be_read_as_another_becomes_utf_8(encoding: str, text: str) -> None:
    encoded = encode_text(text, FileText("", encoding))
    assert (encoded.data, encoded.file.encoding) == (text.encode(), "utf-8")
    assert encoding in encoded.notice


def test_what_no_file_can_hold_is_replaced_with_a_notice() -> None:
    encoded = encode_text("a\ud800b\0c", FileText(""))
    assert encoded.data == "a\ufffdb\ufffdc".encode()
    assert encoded.notice


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"a\0b", "NUL"),
        (b"\xff\xfea\x00\x00\x00", "NUL"),
        (b"\xff\xfea", "UTF-16"),
        (b"\xff\xfe\x00\xd8a\x00", "UTF-16"),
        (b"a" * (TEXT_LIMIT + 1), "16 MB"),
    ],
    ids=["NUL", "UTF-32", "half a character", "half a pair", "large"],
)
def test_what_is_no_text_is_refused_with_its_name(data: bytes, says: str) -> None:
    with pytest.raises(StudioError, match=rf"a/b\.txt.*{says}"):
        decode_text(data, "a/b.txt")
