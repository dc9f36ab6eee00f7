from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.package.conftest import Load, messages


@pytest.mark.clause("SYS-03", "SYS-04")
def test_the_context_block_has_every_visible_file_by_name_whatever_its_suffix(load: Load) -> None:
    files = ("b.txt", "a.md", "Z", "c.json", "a b.csv", ".hidden.json", "sub/deep.txt")
    package = load({f"context/{name}": name for name in files})
    context = package.read_texts().context
    assert [file.name for file in context] == ["Z", "a b.csv", "a.md", "b.txt", "c.json"]
    assert all(file.text == file.name for file in context)


@pytest.mark.clause("SYS-04", "BR-05")
def test_dot_files_and_subfolders_are_readable_one_by_one(load: Load) -> None:
    package = load({"context/.cars.json": "[1]", "context/sub/a b.txt": "deep"})
    assert package.read_context_file(".cars.json") == "[1]"
    assert package.read_context_file("sub/a b.txt") == "deep"
    assert package.read_context_file("./sub//a b.txt") == "deep"


@pytest.mark.clause("BR-05")
@pytest.mark.parametrize(
    "name",
    [
        *("../config.json", "sub/../../config.json", "/etc/passwd", "C:/x", "..\\config.json"),
        *("a\0", "", ".", "sub", "none.txt", "link", "folder-link/config.json", "x" * 5000),
    ],
)
def test_a_name_that_is_absent_or_leads_out_is_none(load: Load, tmp_path: Path, name: str) -> None:
    package = load({"context/sub/a.txt": "a"})
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "Aria/context/link").symlink_to(tmp_path / "secret")
    (tmp_path / "Aria/context/folder-link").symlink_to(tmp_path)
    assert package.read_context_file(name) is None


@pytest.mark.clause("SYS-03", "PKG-10")
def test_a_context_file_that_is_no_utf8_is_a_problem_and_the_others_are_there(load: Load) -> None:
    package = load({"context/a.txt": b"ok\nbad \xe9", "context/b.txt": "fine"})
    assert [file.name for file in package.read_texts().context] == ["b.txt"]
    assert package.problems == package.read_texts().problems
    assert messages(package) == [
        "error: context/a.txt, line 2: is not UTF-8 text; save it as UTF-8."
    ]


@pytest.mark.clause("BR-05")
def test_an_agent_reads_bytes_that_are_no_utf8_as_well_as_can_be(load: Load) -> None:
    assert load({"context/.a": b"\xef\xbb\xbfcaf\xe9"}).read_context_file(".a") == "caf\ufffd"


@pytest.mark.clause("SYS-03", "PKG-04")
def test_a_context_file_that_is_a_link_out_is_a_problem(load: Load, tmp_path: Path) -> None:
    load({"context/a.txt": "a"})
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "Aria/context/b.txt").symlink_to(tmp_path / "secret")
    package = load()
    assert [file.name for file in package.read_texts().context] == ["a.txt"]
    assert "context/b.txt" in messages(package)[0]


@pytest.mark.clause("PKG-11")
def test_a_byte_order_mark_is_taken_off_and_crlf_kept(load: Load) -> None:
    package = load({"intro.txt": "\ufeffHällo\r\n世\r\n", "context/a": "\ufeffx\r\n"})
    texts = package.read_texts()
    assert texts.introduction == "Hällo\r\n世\r\n"
    assert texts.context[0].text == "x\r\n"


@pytest.mark.clause("PKG-11")
def test_a_file_is_found_in_either_composition_of_its_name(load: Load) -> None:
    apart = unicodedata.normalize("NFD", "crème.txt")
    package = load(
        {apart: "hello", f"context/{apart}": "c"}, fileMappings={"Introduction": "crème.txt"}
    )
    assert package.read_texts().introduction == "hello"
    assert package.read_context_file("crème.txt") == "c"


@pytest.mark.clause("PKG-10")
def test_a_folder_in_a_texts_place_is_a_problem(load: Load, tmp_path: Path) -> None:
    load()
    (tmp_path / "Aria/intro.txt").mkdir()
    package = load()
    assert package.read_texts().introduction is None
    assert "is a folder where a file was expected" in messages(package)[0]


def test_texts_are_read_anew_each_time(load: Load, tmp_path: Path) -> None:
    package = load({"intro.txt": "one"})
    (tmp_path / "Aria/intro.txt").write_text("two")
    (tmp_path / "Aria/context").mkdir()
    (tmp_path / "Aria/context/new.txt").write_text("new")
    texts = package.read_texts()
    assert texts.introduction == "two" and texts.context[0].text == "new"


def test_a_huge_context_file_is_read_whole(load: Load) -> None:
    text = "é" * 3_000_000
    assert load({"context/big.txt": text}).read_texts().context[0].text == text


@pytest.mark.clause("SYS-02")
def test_a_character_without_any_instructions_is_a_warning(load: Load) -> None:
    package = load({"instructions.txt": ""})
    assert [problem.severity for problem in package.problems] == ["warning"]
    assert load({"instructions.txt": "", "system-prompt.txt": "Be."}).problems == ()
