"""What is said of a character before it is let in, and what a file may hold."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from studio_qt.authoring.arriving import describe, kind_of
from studio_qt.authoring.importing import unpack
from studio_qt.authoring.incoming import open_bytes, open_file
from studio_qt.errors import PackageError
from tests.authoring.test_cards import FORMS, V2

pytestmark = pytest.mark.clause("PKG-13")

CODE = "/**\n * @agent kay.count\n * @tool count\n */\nexport function onToolCall() {}\n"


def zipped(files: dict[str, str]) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


def test_a_zip_tells_its_texts_agents_and_whose_code_it_has() -> None:
    config = {"name": "Kay", "version": "2", "author": "Ines", "agents": ["kay.count"]}
    config["agents"].append({"id": "kay.dice", "implementation": "studio.dice-roller"})  # type: ignore[attr-defined]
    files = {"config.json": json.dumps(config), "description.txt": "Counts.", "intro.txt": "Hm."}
    said = describe(open_bytes(zipped(files | {"agents/kay.count.js": CODE}), "kay.zip"))
    assert (said.name, said.version, said.author) == ("Kay", "2", "Ines")
    assert said.description == "Counts."
    assert dict(said.rows)["Texts"] == "greeting, description"
    assert dict(said.rows)["Agents"] == "2 agents: 1 in JavaScript, 1 built in"
    assert said.foreign == ("JavaScript",)
    assert said.files == 4


def test_a_card_tells_its_lorebook_and_what_only_it_keeps() -> None:
    said = describe(open_bytes(json.dumps(V2).encode(), "hanne.json"))
    assert said.name == "Hanne"
    assert said.description == "A keeper."
    assert dict(said.rows)["Lorebook"] == "1 entry, and some that are always there"
    assert said.foreign == ()
    assert any("other greetings" in note for note in said.notes)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_card_is_known_as_a_character(form: str, tmp_path: Path) -> None:
    name, data, _ = FORMS[form]
    (tmp_path / name).write_bytes(data)
    assert kind_of(tmp_path / name) == "character"
    assert describe(open_file(tmp_path / name)).name


def test_names_of_any_length_are_told_in_short() -> None:
    config = dict.fromkeys(("name", "author", "version"), "Kay " * 100000)
    told = describe(open_bytes(zipped({"config.json": json.dumps(config)}), "kay.zip"))
    assert [len(words) for words in (told.name, told.author, told.version)] == [200, 200, 200]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.jsonl", b"{}", "chat"),
        ("a.json", b'[{"role": "user", "content": "Hi"}]', "chat"),
        ("a.json", b'{"messages": [{"role": "user", "content": "Hi"}]}', "chat"),
        ("a.json", b'{"tides": [1, 2]}', "other"),
        ("a.json", b"{ no json", "other"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "other"),
        ("a.txt", b"Hi", "other"),
    ],
)
def test_chats_are_told_from_characters_and_from_all_else(
    name: str, content: bytes, kind: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    assert kind_of(tmp_path / name) == kind


def test_a_stop_in_the_middle_of_unpacking_leaves_nothing(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def stop(done: int, whole: int) -> None:
        told.append((done, whole))
        if done == 1:
            raise PackageError("Stopped.")

    files = {"config.json": "{}", "a.txt": "a", "b.txt": "b"}
    with pytest.raises(PackageError, match="Stopped"):
        unpack(open_bytes(zipped(files), "kay.zip"), tmp_path / "kay", stop)
    assert list(tmp_path.iterdir()) == []
    assert told == [(0, 3), (1, 3)]
