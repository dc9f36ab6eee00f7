"""Names of new files, on every system at once."""

from __future__ import annotations

import pytest

from studio_qt.files.names import free_name, name_fault, split_name


@pytest.mark.parametrize(
    "name",
    ["notes.txt", ".tides.json", "Über.txt", "a b.md", "x" * 200, "console.txt", "agents..x"],
)
def test_ordinary_names_pass(name: str) -> None:
    assert name_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", ".", "..", "a/b", "a\\b", "a:b", "a?", "a*", 'a"b', "<a>", "a|b", "a\nb", "a\0"),
        *(" a", "a ", "a.", "CON", "con.txt", "Lpt1.md", "nul", "é" * 150, "a\ud800"),
    ],
)
def test_names_that_some_system_refuses_are_told(name: str) -> None:
    assert name_fault(name)


@pytest.mark.parametrize("name", ["notes.txt", "Notes.TXT", "cafe\u0301.txt", "CAFÉ.txt"])
def test_a_name_is_taken_whatever_its_case_and_accents(name: str) -> None:
    fault = name_fault(name, ["notes.txt", "café.txt"])
    assert fault is not None
    assert "already" in fault


def test_copies_get_the_first_free_name() -> None:
    assert free_name("a.txt", []) == "a.txt"
    assert free_name("a.txt", ["a.txt"]) == "a-copy.txt"
    assert free_name("a-copy.txt", ["a.txt", "A-COPY.txt"]) == "a-copy-2.txt"
    assert free_name("x.subagent.md", ["x.subagent.md"]) == "x-copy.subagent.md"
    assert free_name(".git", [".git"]) == ".git-copy"


def test_the_part_that_one_renames_is_before_the_ending() -> None:
    assert split_name("marcus.subagent.md") == ("marcus", ".subagent.md")
    assert split_name("a.b.agent.json") == ("a.b", ".agent.json")
    assert split_name(".hidden") == (".hidden", "")
    assert split_name("folder") == ("folder", "")
