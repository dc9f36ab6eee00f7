"""A card whose package is edited goes back with everything that the edit did not touch."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio_qt.authoring.cards.books import always_there
from studio_qt.authoring.cards.card import card_of, read_card
from studio_qt.authoring.cards.packing import CardForm, write_card
from studio_qt.authoring.cards.unpacking import open_card
from studio_qt.authoring.importing import unpack
from studio_qt.errors import PackageError
from studio_qt.package import load_package
from tests.authoring.test_cards import ASSETS, V3, charx

pytestmark = pytest.mark.clause("STU-11")

Data = dict[str, Any]
FORMS: tuple[CardForm, ...] = ("json", "png", "charx")


def entry(content: str, order: int, **more: Any) -> Data:
    mine = {"extensions": {"mine": order}, "enabled": True, "id": order}
    return {"keys": ["sea"], "content": content, "insertion_order": order, **mine, **more}


DATA: Data = {
    "name": "Hanne",
    "description": "{{char}} is tall.\n{{char}} likes {{user}}.",
    "personality": "",
    "scenario": "{{user}} meets {{char}}.",
    "first_mes": "Come in, {{user}}.\n\n{{char}} waves.",
    "mes_example": "<START>\n{{user}}: Hi\n{{char}}: Hello",
    "creator_notes": "For {{user}}.\nBy Ines.",
    "system_prompt": "You are {{char}}.\nBe short.",
    "post_history_instructions": "Stay {{char}}.",
    "alternate_greetings": ["{{char}} nods.", "{{char}} sings to {{user}}."],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {"unknown": [1]},
    "character_book": {
        "entries": [
            entry("{{char}} saw it.", -5, keys=["{{char}}", "/ligh?t/i"], unknown={"a": 1}),
            entry("{{user}} saw it.", 2, secondary_keys=["{{user}}"]),
            entry("It is 1930.", 3, constant=True),
            entry("{{char}} is home.\n\nThe lamp burns.", 4, constant=True),
            entry("{{user}} is new.", 5, constant=True),
        ],
        "extensions": {},
        "unknown": "too",
    },
}


def expected(path: str, value: object) -> Data:
    """Return the fields with another value at a path such as `a/0/b`."""
    data = copy.deepcopy(DATA)
    *parents, last = [int(part) if part.isdecimal() else part for part in path.split("/")]
    where: Any = data
    for part in parents:
        where = where[part]
    where[last] = value
    return data


ENTRY = "character_book/entries"
EDITS = [
    ("instructions.txt", "likes", "fears",
     "description", "{{char}} is tall.\nHanne fears the user."),
    ("intro.txt", "waves", "nods", "first_mes", "Come in, {{user}}.\n\nHanne nods."),
    ("context/example-dialogue.txt", "Hello", "Hm", "mes_example",
     "<START>\n{{user}}: Hi\nHanne: Hm"),
    ("description.txt", "Ines", "Kay", "creator_notes", "For {{user}}.\nBy Kay."),
    ("system-prompt.txt", "short", "kind", "system_prompt", "You are {{char}}.\nBe kind."),
    ("context/.greetings.json", "nods", "smiles", "alternate_greetings/0", "Hanne smiles."),
    ("context/.lorebook.json", "The user saw", "Nobody saw", f"{ENTRY}/1/content",
     "Nobody saw it."),
    ("context/.lorebook.json", "ligh?t", "lamp", f"{ENTRY}/0/keys", ["{{char}}", "/lamp/i"]),
    ("context/lorebook.txt", "1930", "1931", f"{ENTRY}/2/content", "It is 1931."),
    ("context/lorebook.txt", "lamp burns", "fire burns", f"{ENTRY}/3/content",
     "{{char}} is home.\n\nThe fire burns."),
]  # fmt: skip


def changed(root: Path, change: Callable[[Path], None]) -> Data:
    """Return the fields of the card that the package of `DATA` becomes after a change."""
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": DATA}
    unpack(open_card(json.dumps(card).encode(), "a.json"), root)
    change(root)
    data = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("file", "old", "new", "path", "value"), EDITS)
def test_an_edit_changes_its_lines_and_leaves_the_macros_of_all_others(
    tmp_path: Path, file: str, old: str, new: str, path: str, value: object, end: str
) -> None:
    def edit(root: Path) -> None:
        text = (root / file).read_text()
        assert old in text
        (root / file).write_text(text.replace(old, new).replace("\n", end), newline="")

    assert changed(tmp_path / "card", edit) == expected(path, value)


def test_the_words_of_a_lorebook_have_names_where_a_player_seeks_them(tmp_path: Path) -> None:
    changed(tmp_path / "card", lambda _root: None)
    book = json.loads((tmp_path / "card/context/.lorebook.json").read_text())
    assert [one["keys"] for one in book["entries"]] == [["Hanne", "/ligh?t/i"], ["sea"]]


HOME = "Hanne is home.\n\nThe lamp burns."


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f"It is 1930.\n\n{HOME}\n\nThe user is new.", [3, 4, 5]),
        (f"{HOME}\n\nIt is 1930.\n\nThe user is new.", [4, 3, 5]),
        (f"It is 1930.\n\n\n\n{HOME}", [3, 4]),
        (f"It is 1930.\n\n{HOME}\n\nThe user is new.\n\nNight.", [3, 4, 5, None]),
        (f"Night.\n\n{HOME}\n\nDay.", [3, 4, 5]),
        ("Night.\n\nNobody is home.", [3]),
        ("One.\n\nTwo.\n\nThree.", [3, 4, 5]),
    ],
)
def test_entries_that_are_always_there_are_known_again(text: str, ids: list[int | None]) -> None:
    found = always_there(card_of({"spec": "chara_card_v2", "data": DATA}, "a.json"), text)
    assert [one.get("id") for one in found if isinstance(one, dict)] == ids


def test_files_that_a_form_has_no_place_for_are_named(tmp_path: Path) -> None:
    unpack(open_card(charx(V3, **ASSETS), "a.charx"), tmp_path / "card")
    package = load_package(tmp_path / "card")
    left = {form: " ".join(write_card(package, "v3", form).left) for form in FORMS}
    assert "avatar.png and assets/bg/sea.jpg. A CHARX carries them" in left["json"]
    assert "stay behind: assets/bg/sea.jpg." in left["png"]
    assert "stay behind" not in left["charx"]


@pytest.mark.parametrize("text", ["[oops", '{"a": 1}'])
def test_greetings_that_are_broken_by_hand_are_told_and_not_passed_over(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(PackageError, match=r"context/\.greetings\.json cannot go into a card"):
        changed(tmp_path / "card", lambda root: put(root / "context/.greetings.json", text))


def put(place: Path, text: str) -> None:
    place.write_text(text)


def test_a_picture_of_another_kind_is_the_icon_by_its_own_ending(tmp_path: Path) -> None:
    unpack(open_card(charx(V3, **ASSETS), "a.charx"), tmp_path / "card")
    (tmp_path / "card/avatar.png").unlink()
    (tmp_path / "card/avatar.jpg").write_bytes(b"\xff\xd8new")
    card = read_card(write_card(load_package(tmp_path / "card"), "v3", "charx").data, "a.charx")
    assert (card.picture, card.picture_type) == (b"\xff\xd8new", "jpg")
    assert "assets/icon/main.png" not in card.assets
    assert card.data["assets"][0] == {  # type: ignore[index]
        "type": "icon", "uri": "embeded://assets/icon/main.jpg", "name": "main", "ext": "jpg"
    }  # fmt: skip


def test_an_ending_in_capitals_stays(tmp_path: Path) -> None:
    whole = json.loads(json.dumps(V3).replace("main.png", "MAIN.PNG"))
    files = {"assets/icon/MAIN.PNG": ASSETS["assets/icon/main.png"]}
    unpack(open_card(charx(whole, **files), "a.charx"), tmp_path / "card")
    out = write_card(load_package(tmp_path / "card"), "v3", "charx").data
    assert read_card(out, "a.charx").whole == whole
