"""Saved connections: one file, which never holds a key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt.errors import StorageError, StudioError
from studio_qt.providers.connections import ConnectionBook, ConnectionFile, SavedConnection

pytestmark = pytest.mark.clause("STU-10")
ONE = SavedConnection(name="One", base_url="https://one.example/v1", model="m", worker_model="w")
TWO = SavedConnection(name="Two", base_url="http://127.0.0.1:1234/v1")


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    ConnectionFile(tmp_path).change(lambda book: book.keeping(ONE).keeping(TWO).choosing("Two"))
    book = ConnectionFile(tmp_path).load()
    assert book.connections == (ONE, TWO)
    assert book.chosen == TWO


def test_nothing_kept_means_rehearsal(tmp_path: Path) -> None:
    file = ConnectionFile(tmp_path / "nothing")
    assert file.load() == ConnectionBook()
    assert file.load().chosen is None
    assert file.notices == []


@pytest.mark.parametrize("broken", ["", "{", "[]", '"x"', '{"connections": 7}', "\xff"])
def test_a_broken_file_means_rehearsal_with_a_notice_and_is_set_aside(
    tmp_path: Path, broken: str
) -> None:
    (tmp_path / "connections.json").write_text(broken, encoding="latin-1")
    file = ConnectionFile(tmp_path)
    assert file.load().chosen is None
    assert "Rehearsal" in file.notices[0]
    file.change(lambda book: book.keeping(ONE))
    aside = tmp_path / "connections.unreadable-1.json"
    assert aside.read_text(encoding="latin-1") == broken
    assert ConnectionFile(tmp_path).load().connections == (ONE,)


def test_a_row_that_is_not_usable_leaves_the_others(tmp_path: Path) -> None:
    rows = [{"name": "", "base_url": "x"}, {"name": "Two", "base_url": TWO.base_url}, 7]
    kept = {"version": 1, "current": "Gone", "connections": rows}
    (tmp_path / "connections.json").write_text(json.dumps(kept))
    file = ConnectionFile(tmp_path)
    book = file.load()
    assert [one.name for one in book.connections] == ["Two"]
    assert book.chosen is None
    assert len(file.notices) == 3


def test_what_a_later_version_wrote_stays(tmp_path: Path) -> None:
    kept = {
        "version": 1,
        "current": None,
        "connections": [{"name": "Two", "base_url": TWO.base_url, "colour": "red"}],
        "later": {"a": 1},
    }
    (tmp_path / "connections.json").write_text(json.dumps(kept))
    ConnectionFile(tmp_path).change(lambda book: book.choosing("Two"))
    saved = json.loads((tmp_path / "connections.json").read_text())
    assert (saved["later"], saved["connections"][0]["colour"]) == ({"a": 1}, "red")


def test_two_programs_keep_what_both_saved(tmp_path: Path) -> None:
    first, second = ConnectionFile(tmp_path), ConnectionFile(tmp_path)
    first.load(), second.load()
    first.change(lambda book: book.keeping(ONE))
    assert second.change(lambda book: book.keeping(TWO)).connections == (ONE, TWO)


@pytest.mark.parametrize("name", ["", " ", " x", "rehearsal", "a\nb", "x" * 81])
def test_names_that_cannot_be_used_are_refused(name: str) -> None:
    with pytest.raises(StudioError):
        SavedConnection(name=name, base_url=TWO.base_url)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:pass@example.org/v1",
        "me:pass@example.org",
        "https://example.org/v1?api_key=abc",
        "https://example.org/v1?x=1&access_token=abc",
        "https://example.org/sk-abcdefghijklmnop",
        "https://example.org/v1/AIzaSyA1234567890abcdefghijk",
    ],
)
def test_an_address_with_a_secret_is_refused_because_it_is_written_to_a_file(address: str) -> None:
    with pytest.raises(StudioError, match=r"own field|no base URL"):
        SavedConnection(name="x", base_url=address)


@pytest.mark.parametrize(
    "address",
    [
        "https://api-inference.huggingface.co/v1",
        "https://example.org/api_gateway_internal/v1",
        "https://x.openai.azure.com/openai/deployments/m?api-version=2026-01-01",
        "my-server.local:8080",
        "[::1]:8080",
    ],
)
def test_addresses_that_only_look_like_secrets_are_taken(address: str) -> None:
    assert SavedConnection(name="x", base_url=address).base_url == address


def test_names_that_differ_in_capitals_alone_are_the_same() -> None:
    book = ConnectionBook().keeping(ONE)
    with pytest.raises(StudioError, match="One"):
        book.keeping(SavedConnection(name="one", base_url=TWO.base_url))
    assert book.free_name("ONE") == "ONE 2"


def test_renaming_the_chosen_one_keeps_it_chosen_and_in_its_place() -> None:
    book = ConnectionBook().keeping(ONE).keeping(TWO).choosing("One")
    renamed = SavedConnection(name="Uno", base_url=ONE.base_url)
    after = book.keeping(renamed, "One")
    assert [one.name for one in after.connections] == ["Uno", "Two"]
    assert after.chosen == renamed


def test_removing_the_chosen_one_leaves_rehearsal() -> None:
    book = ConnectionBook().keeping(ONE).choosing("One").without("One")
    assert book == ConnectionBook()
    with pytest.raises(StudioError):
        book.choosing("One")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError):
        ConnectionFile(tmp_path / "file" / "x").change(lambda book: book.keeping(ONE))
