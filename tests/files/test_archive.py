from __future__ import annotations

import io
import stat
import struct
import unicodedata
import zipfile
from pathlib import Path

import pytest

from studio_qt.errors import PackageError
from studio_qt.files import Source, UnsafePathError, ZipLimits, ZipSource

pytestmark = pytest.mark.clause("PKG-13")


def zipped(
    *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = mode << 16
    return entry


def refused(packed: bytes, words: str, limits: ZipLimits | None = None) -> None:
    with pytest.raises(PackageError, match=words):
        ZipSource(packed, limits=limits)


def test_a_zip_reads_like_a_folder() -> None:
    source = ZipSource(zipped(("config.json", b"{}"), ("context/a.txt", b"a"), ("b.txt", b"b")))
    assert isinstance(source, Source)
    assert source.list_folder("") == ("b.txt", "config.json")
    assert source.list_folder("context/") == ("a.txt",)
    assert source.read_bytes("./context/a.txt") == b"a"
    assert source.exists("b.txt") and not source.exists("context") and not source.exists("no")
    with pytest.raises(FileNotFoundError):
        source.read_bytes("no")
    with pytest.raises(IsADirectoryError):
        source.read_bytes("context")
    with pytest.raises(UnsafePathError):
        source.read_bytes("../b.txt")


def test_one_folder_around_everything_is_taken_off() -> None:
    source = ZipSource(zipped(("Aria/", b""), ("Aria/config.json", b"{}"), ("Aria/a/b.txt", b"b")))
    assert source.paths == ("a/b.txt", "config.json")
    assert source.name == "Aria"


def test_only_one_folder_is_taken_off_and_none_beside_files() -> None:
    assert ZipSource(zipped(("x/y/config.json", b""))).paths == ("y/config.json",)
    assert ZipSource(zipped(("x/a", b""), ("b", b""))).paths == ("b", "x/a")
    assert ZipSource(zipped(("x/a", b""), ("y/b", b""))).paths == ("x/a", "y/b")


def test_what_macos_adds_is_left_out() -> None:
    packed = zipped(
        ("A/config.json", b"{}"), ("__MACOSX/A/._config.json", b""), ("A/.DS_Store", b"")
    )
    assert ZipSource(packed).paths == ("config.json",)


def test_a_zip_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "My Aria.zip"
    path.write_bytes(zipped(("inner/config.json", b"{}")))
    assert ZipSource(path).name == "My Aria"
    assert ZipSource(path.read_bytes(), name="eve.zip").name == "eve"


@pytest.mark.parametrize(
    "name", ["../out", "a/../../out", "/etc/x", "C:/x", "C:x", "..\\out", "\\\\server\\x", "//s/x"]
)
def test_a_name_out_of_the_root_is_refused(name: str) -> None:
    refused(zipped(("config.json", b"{}"), (name, b"x")), "inside the package")


def test_a_name_with_a_nul_is_refused() -> None:
    packed = zipped(("config.json", b"{}"), ("a!b.txt", b"x")).replace(b"a!b.txt", b"a\0b.txt")
    refused(packed, "NUL")


def test_backslashes_of_old_windows_programs_are_folders() -> None:
    assert ZipSource(zipped(("context\\a.txt", b"a"), ("config.json", b""))).exists("context/a.txt")


@pytest.mark.parametrize(
    ("mode", "words"),
    [(stat.S_IFLNK, "is a link"), (stat.S_IFIFO, "ordinary"), (stat.S_IFCHR, "ordinary")],
)
def test_links_and_devices_are_refused(mode: int, words: str) -> None:
    refused(zipped((special("link", mode | 0o777), b"/etc/passwd")), words)


def test_an_encrypted_entry_is_refused() -> None:
    packed = bytearray(zipped(("config.json", b"{}")))
    for header, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.find(header) + offset] |= 1
    refused(bytes(packed), "encrypted")


def test_duplicate_names_are_refused() -> None:
    packed = zipped(("a1.txt", b"x"), ("a2.txt", b"y")).replace(b"a2.txt", b"a1.txt")
    refused(packed, "twice")


@pytest.mark.parametrize(
    ("one", "other"),
    [("a.txt", "A.TXT"), ("é", unicodedata.normalize("NFD", "é")), ("X/a.txt", "x/A.txt")],
)
def test_names_that_some_systems_hold_to_be_the_same_are_refused(one: str, other: str) -> None:
    refused(zipped((one, b"1"), (other, b"2")), "differ only")


def test_a_name_that_is_a_file_and_a_folder_is_refused() -> None:
    refused(zipped(("a", b"1"), ("A/b", b"2")), "file and a folder")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_is_refused(method: int) -> None:
    refused(zipped(("config.json", b"{}"), method=method), "Deflate")


def test_stored_files_are_read() -> None:
    assert ZipSource(zipped(("a", b"x"), method=zipfile.ZIP_STORED)).read_bytes("a") == b"x"


@pytest.mark.parametrize("packed", [b"", b"hello", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 10])
def test_what_is_no_zip_is_refused(packed: bytes) -> None:
    refused(packed, "not a zip")


def test_a_zip_cut_off_anywhere_is_refused() -> None:
    packed = zipped(("config.json", b"{}" * 50), ("a.txt", bytes(range(256))))
    for length in range(0, len(packed), 7):
        refused(packed[:length], "not a zip|damaged|refused")


def test_a_damaged_file_is_refused_when_the_zip_is_opened() -> None:
    packed = bytearray(zipped(("config.json", b"x" * 999), method=zipfile.ZIP_STORED))
    packed[60] ^= 0xFF
    refused(bytes(packed), "config.json.*damaged")


def test_more_than_the_limit_is_refused_by_what_the_directory_says() -> None:
    refused(zipped(("a", b"x" * 600), ("b", b"x" * 600)), "MB", ZipLimits(unpacked=1000))
    assert ZipSource(zipped(("a", b"x" * 600)), limits=ZipLimits(unpacked=1000)).exists("a")


def test_what_claims_to_be_too_big_is_not_unpacked_to_find_out() -> None:
    packed = bytearray(zipped(("a", bytes(200_000))))
    packed[40] ^= 0xFF
    refused(bytes(packed), "damaged")
    refused(bytes(packed), "MB", ZipLimits(unpacked=100_000))


def test_a_directory_that_understates_a_size_does_not_help() -> None:
    packed = bytearray(zipped(("bomb", b"\0" * 5_000_000)))
    for header, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", packed, packed.find(header) + offset, 10)
    refused(bytes(packed), "damaged|MB", ZipLimits(unpacked=1_000_000))


def test_too_many_entries_are_refused() -> None:
    packed = zipped(*((f"f{number}", b"") for number in range(11)))
    refused(packed, "entries", ZipLimits(entries=10))
    assert len(ZipSource(packed, limits=ZipLimits(entries=11)).paths) == 11


def test_an_entry_count_that_lies_does_not_help() -> None:
    packed = bytearray(zipped(*((f"f{number}", b"") for number in range(11))))
    end = packed.rfind(b"PK\x05\x06")
    struct.pack_into("<HH", packed, end + 8, 1, 1)
    refused(bytes(packed), "entries", ZipLimits(entries=10))


def test_a_file_larger_than_the_limit_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "big.zip"
    path.write_bytes(b"x" * 2000)
    with pytest.raises(PackageError, match="MB"):
        ZipSource(path, limits=ZipLimits(unpacked=1000))


def test_a_zip_that_is_missing_is_a_package_error(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="cannot be read"):
        ZipSource(tmp_path / "none.zip")


@pytest.mark.clause("PKG-11")
def test_names_without_the_utf8_flag_are_read_all_the_same() -> None:
    packed = zipped(("xx.txt", b"x")).replace(b"xx.txt", "é.txt".encode())
    assert ZipSource(packed).paths == ("é.txt",)


@pytest.mark.clause("PKG-11")
def test_accents_match_in_either_composition() -> None:
    source = ZipSource(zipped(("context/e\u0301.txt", b"x"), ("config.json", b"")))
    assert source.read_bytes("context/é.txt") == b"x"
    assert source.list_folder("context") == ("e\u0301.txt",)


def test_a_name_that_only_windows_cannot_have_refuses_that_file_alone() -> None:
    source = ZipSource(zipped(("config.json", b"{}"), ("context/aux.txt", b"x")))
    assert source.list_folder("context") == ("aux.txt",)
    with pytest.raises(UnsafePathError, match="Windows"):
        source.read_bytes("context/aux.txt")
