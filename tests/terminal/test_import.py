"""`studio-qt import`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.terminal.conftest import Studio

pytestmark = pytest.mark.clause("PKG-13")


def test_an_exported_character_comes_back_whole(
    studio: Studio, counter: Path, tmp_path: Path
) -> None:
    place, folder = tmp_path / "out.zip", tmp_path / "back here"
    assert studio("export", counter, place).code == 0
    done = studio("import", place, folder)
    assert done.code == 0, done.err
    assert f'studio-qt play "{folder}"' in done.out
    called = json.loads((folder / "config.json").read_text(encoding="utf-8"))["name"]
    assert done.out.startswith(f"{called} is in ")
    with zipfile.ZipFile(place) as packed:
        for name in packed.namelist():
            assert (folder / name).read_bytes() == packed.read(name)
    assert studio("validate", folder).out == "No problems.\n"


def test_a_card_becomes_a_project_that_plays(studio: Studio, tmp_path: Path) -> None:
    card = tmp_path / "hanne.json"
    fields = {"name": "Hanne", "description": "Keeps the light.", "first_mes": "Come in."}
    data = {**fields, "alternate_greetings": ["Again?"]}
    card.write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}))
    done = studio("import", card, tmp_path / "hanne")
    assert done.code == 0, done.err
    assert "greeting" in done.err
    assert studio("validate", tmp_path / "hanne").code == 0
    assert "Come in." in studio("play", tmp_path / "hanne").out


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"no zip", "is not a zip"), (None, "There is no file")],
)
def test_what_cannot_be_opened_is_told_in_one_line_and_leaves_nothing(
    studio: Studio, tmp_path: Path, content: bytes | None, why: str
) -> None:
    place = tmp_path / "x.zip"
    if content is not None:
        place.write_bytes(content)
    done = studio("import", place, tmp_path / "out")
    assert done.code == 1
    assert why in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()
