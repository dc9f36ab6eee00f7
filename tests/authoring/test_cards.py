"""Cards of other programs: every form in, and every field out again."""

from __future__ import annotations

import base64
import json
import struct
import textwrap
import time
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio_qt.authoring.cards.card import read_card
from studio_qt.authoring.cards.macros import portable
from studio_qt.authoring.cards.packing import write_card
from studio_qt.authoring.cards.png import read_texts
from studio_qt.authoring.cards.unpacking import open_card
from studio_qt.authoring.exporting import build_package, plan_export
from studio_qt.authoring.importing import unpack
from studio_qt.engine.proving import prove_package
from studio_qt.errors import PackageError
from studio_qt.package import load_package
from studio_qt.resources import resource_text

pytestmark = pytest.mark.clause("STU-11")

V1 = {
    "name": "Hanne",
    "description": "{{char}} keeps the light.",
    "personality": "dry",
    "scenario": "{{user}} knocks.",
    "first_mes": "Come in, {{user}}.",
    "mes_example": "<START>\n{{user}}: Hi\n{{char}}: Hm.",
    "avatar": "none",
}
DATA: dict[str, Any] = {
    **V1,
    "creator_notes": "A keeper.",
    "system_prompt": "Write as {{char}}. {{original}}",
    "post_history_instructions": "Stay short.",
    "alternate_greetings": ["Again, {{user}}?", "Late."],
    "character_book": {
        "name": "Light",
        "scan_depth": 3,
        "token_budget": 200,
        "recursive_scanning": True,
        "extensions": {"x": 1},
        "entries": [
            {
                "keys": ["wreck"],
                "content": "{{char}} saw it.",
                "extensions": {"depth": 4},
                "enabled": True,
                "insertion_order": 2,
                "id": 7,
                "mine": True,
            },
            {
                "keys": [],
                "content": "It is 1930.",
                "extensions": {},
                "enabled": True,
                "insertion_order": 1,
                "constant": True,
            },
        ],
    },
    "tags": ["sea"],
    "creator": "Ines",
    "character_version": "3",
    "extensions": {"talkativeness": "0.5", "fav": False},
    "unknown": {"deep": [1, None, "x"]},
}
V2 = {"spec": "chara_card_v2", "spec_version": "2.0", "data": DATA, "create_date": "2024"}
V3 = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        **DATA,
        "nickname": "Han",
        "assets": [{"type": "icon", "uri": "embeded://assets/icon/main.png", "name": "main",
                    "ext": "png"},
                   {"type": "background", "uri": "embeded://assets/bg/sea.jpg", "name": "sea",
                    "ext": "jpg"}],
        "source": ["https://example.org"],
        "group_only_greetings": ["All of you?"],
        "creation_date": 1700000000,
    },
}  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check


def png(*texts: bytes, after: tuple[bytes, ...] = ()) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\1\2\3"))
    return PNG + head + b"".join(texts) + pixels + b"".join(after) + chunk(b"IEND", b"")


def packed(card: object) -> bytes:
    return base64.b64encode(json.dumps(card).encode())


def charx(card: object, **files: bytes) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("card.json", json.dumps(card))
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


ASSETS = {"assets/icon/main.png": png(), "assets/bg/sea.jpg": b"\xff\xd8sea"}
FORMS: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "v1 json": ("a.json", json.dumps(V1).encode(), V1),
    "v2 json with a mark": ("a.json", b"\xef\xbb\xbf" + json.dumps(V2).encode(), V2),
    "v3 utf-16": ("a.json", json.dumps(V3).encode("utf-16"), V3),
    "tEXt": ("a.png", png(chunk(b"tEXt", b"chara\0" + packed(V2))), V2),
    "zTXt": ("a.png", png(chunk(b"zTXt", b"chara\0\0" + zlib.compress(packed(V2)))), V2),
    "iTXt": ("a.png", png(chunk(b"iTXt", b"chara\0\0\0\0\0" + packed(V2))), V2),
    "packed iTXt": (
        "a.png",
        png(chunk(b"iTXt", b"ccv3\0\1\0en\0x\0" + zlib.compress(packed(V3)))),
        V3,
    ),
    "after the pixels": ("a.png", png(after=(chunk(b"tEXt", b"chara\0" + packed(V2)),)), V2),
    "line breaks": (
        "a.png",
        png(
            chunk(b"tEXt", b"chara\0" + "\n".join(textwrap.wrap(packed(V2).decode(), 76)).encode())
        ),
        V2,
    ),
    "no base64": ("a.png", png(chunk(b"iTXt", b"chara\0\0\0\0\0" + json.dumps(V2).encode())), V2),
    "both, v3 counts": (
        "a.png",
        png(chunk(b"tEXt", b"chara\0" + packed(V2)), chunk(b"tEXt", b"ccv3\0" + packed(V3))),
        V3,
    ),
    "charx": ("a.charx", charx(V3, **ASSETS), V3),
    "charx in a jpeg": ("a.jpg", b"\xff\xd8\xff\xe0picture" + charx(V3, **ASSETS), V3),
}


@pytest.mark.parametrize("form", FORMS)
async def test_every_form_comes_in_plays_and_goes_out_with_every_field(
    form: str, tmp_path: Path
) -> None:
    name, data, whole = FORMS[form]
    assert read_card(data, name).whole == whole
    unpack(open_card(data, name), tmp_path / "card")
    package = load_package(tmp_path / "card")
    assert [problem for problem in package.problems if problem.severity == "error"] == []
    version = "v3" if whole is V3 else "v2"
    out = json.loads(write_card(package, version, "json").data)  # type: ignore[arg-type]
    if whole is V1:
        assert {key: out["data"][key] for key in V1} == V1
    else:
        assert out == whole
    proof = await prove_package(tmp_path / "card")
    assert "Come in" in proof.reply or proof.reply


def test_the_package_of_a_card_has_its_texts_where_a_player_looks(tmp_path: Path) -> None:
    unpack(open_card(json.dumps(V2).encode(), "a.json"), tmp_path / "card")
    root = tmp_path / "card"
    assert (root / "intro.txt").read_text() == "Come in, the user.\n"
    prompt = (root / "system-prompt.txt").read_text()
    assert prompt == "Write as Hanne.\n\n%%CHARACTER_INSTRUCTIONS%%\n"
    instructions = (root / "instructions.txt").read_text()
    assert "## Who you are\n\nHanne keeps the light." in instructions
    assert "## Before every answer\n\nStay short." in instructions
    assert "The user knocks." in instructions
    assert (root / "context/lorebook.txt").read_text() == "It is 1930.\n"
    book = json.loads((root / "context/.lorebook.json").read_text())
    assert [entry["content"] for entry in book["entries"]] == ["Hanne saw it."]
    config = json.loads((root / "config.json").read_text())
    assert config["author"] == "Ines"
    assert config["agents"][0]["implementation"] == "studio.lorebook"


def test_what_is_changed_in_the_package_is_changed_in_the_card_and_nothing_else(
    tmp_path: Path,
) -> None:
    root = tmp_path / "card"
    unpack(open_card(json.dumps(V2).encode(), "a.json"), root)
    text = (root / "instructions.txt").read_text()
    (root / "instructions.txt").write_text(text.replace("dry", "kind"))
    (root / "context/.lorebook.json").write_text(
        (root / "context/.lorebook.json").read_text().replace("saw it", "found it")
    )
    (root / "context/town.txt").write_text("Graypoint.")
    out = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
    assert out["personality"] == "kind"
    same = set(DATA) - {"personality", "character_book"}
    assert {key: out[key] for key in same} == {key: DATA[key] for key in same}
    contents = [entry["content"] for entry in out["character_book"]["entries"]]
    assert contents == ["Hanne found it.", "It is 1930.", "Graypoint."]
    assert out["character_book"]["scan_depth"] == 3


async def test_a_character_that_was_made_here_becomes_a_card_and_what_stays_is_named(
    tmp_path: Path,
) -> None:
    from studio_qt.resources import copy_resources

    copy_resources("templates/confidant", tmp_path / "inn")
    package = load_package(tmp_path / "inn")
    out = write_card(package, "v3", "png")
    card = read_card(out.data, "inn.png")
    assert card.version == "v3"
    assert card.name == "The Salt Inn"
    assert card.text("first_mes") == (tmp_path / "inn/intro.txt").read_text().strip()
    assert set(read_texts(out.data, ("chara", "ccv3", "other"))) == {"chara", "ccv3"}
    assert any("studio.memory-store" in sentence for sentence in out.left)
    assert any("inn.marcus" in sentence for sentence in out.left)
    unpack(open_card(out.data, "inn.png"), tmp_path / "back")
    assert (await prove_package(tmp_path / "back")).reply


def test_a_charx_carries_picture_and_assets_back(tmp_path: Path) -> None:
    name, data, _ = FORMS["charx"]
    unpack(open_card(data, name), tmp_path / "card")
    out = write_card(load_package(tmp_path / "card"), "v3", "charx")
    again = read_card(out.data, "b.charx")
    assert again.whole == V3
    assert again.assets == ASSETS


async def test_the_exported_package_of_a_card_still_knows_the_card(tmp_path: Path) -> None:
    unpack(open_card(json.dumps(V2).encode(), "a.json"), tmp_path / "card")
    built = await build_package(plan_export(load_package(tmp_path / "card")))
    assert json.loads(built.files["card.json"]) == V2
    assert "agents/studio.lorebook.js" in built.files


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "cannot be read"),
        (b"{}", "no name"),
        (b'{"name": "x"', "cannot be read"),
        (png(), "without a card"),
        (png(chunk(b"tEXt", b"chara\0!!!")), "cannot be read"),
        (PNG + b"\0\0", "without a card"),
        (png(chunk(b"zTXt", b"chara\0\0damaged")), "without a card"),
        (charx(V3)[:-30], "not a zip"),
        (b"\x00\x01\xff" * 10, "no card"),
    ],
)
def test_what_is_no_card_is_told(data: bytes, why: str) -> None:
    with pytest.raises(PackageError, match=why):
        read_card(data, "a.png")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{char}} and {{user}}", "Han and the user"),
        ("{{User}} waits. <USER> sees <BOT>.", "The user waits. The user sees Han."),
        ("a {{// note}}b{{newline}}c", "a b\nc"),
        ("{{random:red,blue}} {{random::a::b}}", "red a"),
        ("{{time}} {{getvar::x}}", "{{time}} {{getvar::x}}"),
    ],
)
def test_macros_become_text_that_plays_everywhere(text: str, said: str) -> None:
    assert portable(text, "Han") == said


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
ENTRY = st.fixed_dictionaries(
    {
        "keys": st.lists(WORDS, max_size=2),
        "content": WORDS,
        "extensions": st.dictionaries(WORDS, st.integers(), max_size=1),
        "enabled": st.booleans(),
        "insertion_order": st.integers(0, 9),
    },
    optional={"constant": st.booleans(), "mine": WORDS},
)
TEXT_KEYS = (*V1, "creator_notes", "system_prompt", "post_history_instructions", "creator")


@settings(max_examples=40, deadline=None)
@given(
    st.fixed_dictionaries(
        dict.fromkeys((*TEXT_KEYS, "character_version"), WORDS)
        | {
            "alternate_greetings": st.lists(WORDS, max_size=2),
            "tags": st.lists(WORDS, max_size=2),
            "extensions": st.dictionaries(WORDS, WORDS, max_size=2),
        },
        optional={
            "character_book": st.fixed_dictionaries(
                {"entries": st.lists(ENTRY, max_size=3), "extensions": st.just({})}
            ),
            "unknown": st.lists(st.integers()),
        },
    )
)
def test_any_card_comes_back_with_every_field_it_had(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any]
) -> None:
    root = tmp_path_factory.mktemp("any") / "card"
    whole = {**V2, "data": {**data, "name": data["name"].strip() or "Someone"}}
    unpack(open_card(json.dumps(whole).encode(), "a.json"), root)
    assert json.loads(write_card(load_package(root), "v2", "json").data) == whole


def imported(tmp_path: Path, data: bytes, name: str = "a.json") -> Path:
    """Bring a card in; returns the folder."""
    unpack(open_card(data, name), tmp_path / "card")
    return tmp_path / "card"


def test_packed_texts_are_unpacked_only_as_far_as_a_card_can_be_large() -> None:
    bomb = zlib.compress(bytes(60 * 1024 * 1024), 9)
    foreign = chunk(b"zTXt", b"notes\0\0" + bomb)
    own = chunk(b"zTXt", b"chara\0\0" + bomb)
    texts = read_texts(png(*[foreign] * 50, *[own] * 50), ("chara", "ccv3"))
    assert [len(text) for text in texts["chara"]] == [60 * 1024 * 1024]


def test_a_picture_full_of_bombs_is_given_up_soon() -> None:
    bomb = chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(65 * 1024 * 1024)))
    good = chunk(b"zTXt", b"ccv3\0\0" + zlib.compress(packed(V3)))
    assert read_texts(png(*[bomb] * 7, good), ("chara", "ccv3")) == {"ccv3": [packed(V3)]}
    began = time.process_time()
    assert read_texts(png(*[bomb] * 400), ("chara", "ccv3")) == {}
    assert time.process_time() - began < 10  # all of them took a minute


def test_a_text_is_known_by_its_keyword_in_any_case_and_is_replaced(tmp_path: Path) -> None:
    old = png(chunk(b"tEXt", b"Chara\0" + packed(V2)))
    root = imported(tmp_path, old, "a.png")
    (root / "intro.txt").write_text("Well?")
    out = write_card(load_package(root), "v2", "png").data
    assert len(read_texts(out, ("chara",))["chara"]) == 1
    assert read_card(out, "b.png").text("first_mes") == "Well?"


@pytest.mark.parametrize("uri", ["x.js", "assets/icon/main", "a.b/c"])
def test_a_picture_has_the_name_of_a_picture(tmp_path: Path, uri: str) -> None:
    icon = {"type": "icon", "uri": f"embeded://{uri}", "name": "main", "ext": "png"}
    data = charx({**V3, "data": {**V3["data"], "assets": [icon]}}, **{uri: b"alert(1)"})
    root = imported(tmp_path, data, "a.charx")
    assert not [path for path in root.iterdir() if path.name.startswith("avatar")]


def test_files_that_would_have_one_place_lie_beside_each_other(tmp_path: Path) -> None:
    files = {
        "a.png": b"1",
        "assets/A.png": b"2",
        "x/a": b"3",
        "assets/x": b"4",
        "agents/a.js": b"5",
    }
    root = imported(tmp_path, charx(V3, **files), "a.charx")
    found = sorted(path.read_bytes() for path in (root / "assets").rglob("*") if path.is_file())
    assert found == [b"1", b"2", b"3", b"4", b"5"]
    assert not (root / "agents").exists()


def test_an_asset_that_leads_out_or_to_the_card_itself_changes_nothing(tmp_path: Path) -> None:
    assets: list[Any] = [{"uri": f"embeded://{uri}"} for uri in ("../../x", "card.json", "", "CON")]
    card = {**V3, "data": {**V3["data"], "assets": [*assets, None, 5]}}
    root = imported(tmp_path, charx(card, **{"assets/card.json": b"{}"}), "a.charx")
    again = read_card(write_card(load_package(root), "v3", "charx").data, "b.charx")
    assert again.whole == card
    assert again.assets["assets/card.json"] == b"{}"


def test_files_that_no_field_names_go_back_as_well(tmp_path: Path) -> None:
    root = imported(tmp_path, charx(V3, **{"assets/more/track.ogg": b"la"}), "a.charx")
    again = read_card(write_card(load_package(root), "v3", "charx").data, "b.charx")
    assert again.assets["assets/more/track.ogg"] == b"la"


def test_a_card_json_that_is_no_card_counts_for_nothing(tmp_path: Path) -> None:
    root = imported(tmp_path, json.dumps(V2).encode())
    for text in ('{"mine": 1}', "[]", '{"data": {"note": "x"}}', "{", '"x"'):
        (root / "card.json").write_text(text)
        data = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
        assert data["name"] == "Hanne"
        assert "mine" not in data
        assert "note" not in data


def test_orders_of_any_size_are_an_order(tmp_path: Path) -> None:
    orders = [10**400, 1, -(10**400), None, "x"]
    entries = [
        {"keys": [], "content": f"<{at}>", "constant": True, "insertion_order": order}
        for at, order in enumerate(orders)
    ]
    card = {**V2, "data": {**DATA, "character_book": {"entries": entries}}}
    text = (imported(tmp_path, json.dumps(card).encode()) / "context/lorebook.txt").read_text()
    assert text.split() == ["<2>", "<3>", "<4>", "<1>", "<0>"]


BLANK = {"keys": ["k"], "content": "Here.", "extensions": {}, "enabled": True, "insertion_order": 0}


@pytest.mark.parametrize("file", ["context/lorebook.txt", "context/.lorebook.json"])
def test_a_constant_entry_that_is_off_is_neither_lost_nor_doubled(
    tmp_path: Path, file: str
) -> None:
    off = {**BLANK, "constant": True, "enabled": False, "content": "Off."}
    entries = [BLANK, off, {**BLANK, "constant": True, "content": "Always."}]
    card = {**V2, "data": {**DATA, "character_book": {"entries": entries}}}
    root = imported(tmp_path, json.dumps(card).encode())
    place = root / file
    place.write_text(place.read_text().replace("Always.", "Ever.").replace("Here.", "There."))
    out = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
    found = sorted(entry["content"] for entry in out["character_book"]["entries"])
    changed = {"Always.": "Ever."} if "txt" in file else {"Here.": "There."}
    assert found == sorted(changed.get(text, text) for text in ("Always.", "Here.", "Off."))


def test_a_lorebook_that_is_broken_by_hand_is_told_and_not_dropped(tmp_path: Path) -> None:
    root = imported(tmp_path, json.dumps(V2).encode())
    (root / "context/.lorebook.json").write_text('{"entries": [')
    with pytest.raises(PackageError, match=r"lorebook\.json cannot go into a card"):
        write_card(load_package(root), "v2", "json")
    for text in (json.dumps([BLANK]), json.dumps({"entries": {"0": BLANK}})):
        (root / "context/.lorebook.json").write_text(text)
        out = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
        assert BLANK in out["character_book"]["entries"]


def test_words_above_and_headings_within_the_instructions_are_kept(tmp_path: Path) -> None:
    card = {**V2, "data": {**DATA, "description": "Keeps.\n\n## Likes\n\nOil."}}
    root = imported(tmp_path, json.dumps(card).encode())
    place = root / "instructions.txt"
    place.write_text(place.read_text().replace("You are Hanne.", "Be brief.").replace("dry", "wet"))
    out = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
    assert out["description"] == "Be brief.\n\nKeeps.\n\n## Likes\n\nOil."
    assert out["personality"] == "wet"
    assert out["scenario"] == DATA["scenario"]


def test_changed_examples_go_back_as_a_card_has_them(tmp_path: Path) -> None:
    root = imported(tmp_path, json.dumps(V2).encode())
    place = root / "context/example-dialogue.txt"
    place.write_text(place.read_text().replace("Hm.", "Hm!"))
    out = json.loads(write_card(load_package(root), "v2", "json").data)["data"]
    assert out["mes_example"] == "<START>\n{{user}}: Hi\nHanne: Hm!"


@pytest.mark.parametrize(
    "text",
    ["{{random:" + " " * 200_000, "{{user}} " * 100_000, "{{user}}" + " " * 200_000 + "{{user}}"],
    ids=["open choice", "many names", "far apart"],
)
def test_macros_cost_no_more_than_their_text_is_long(text: str) -> None:
    begun = time.thread_time()
    portable(text, "Hanne")
    assert time.thread_time() - begun < 5


def test_examples_of_nothing_but_line_breaks_cost_nothing(tmp_path: Path) -> None:
    begun = time.thread_time()
    examples = "a" + "\n" * 200_000 + "b"
    open_card(json.dumps({**V1, "mes_example": examples}).encode(), "a.json")
    assert time.thread_time() - begun < 5


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.sampled_from([*DATA, "nickname", "assets", "group_only_greetings"])
ENTRY = st.sampled_from(
    ["keys", "content", "enabled", "insertion_order", "constant", "extensions", "position"]
)


@settings(max_examples=60, deadline=None)
@given(
    fields=st.dictionaries(FIELDS, ODD, max_size=5),
    entries=st.lists(ODD | st.dictionaries(ENTRY, ODD), max_size=3),
    form=st.sampled_from(["json", "png", "charx"]),
)
def test_a_card_with_anything_in_any_field_comes_in_and_goes_out_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, fields: Any, entries: Any, form: Any
) -> None:
    card = {**V3, "data": {**DATA, "character_book": {"entries": entries}, **fields}}
    root = tmp_path_factory.mktemp("odd")
    try:
        imported(root, json.dumps(card).encode())
    except PackageError:
        return
    out = write_card(load_package(root / "card"), "v3", form).data
    again = read_card(out, f"b.{form}").whole
    assert {**again, "data": {**again["data"], "assets": None, "group_only_greetings": None}} == {
        **card,
        "data": {**card["data"], "assets": None, "group_only_greetings": None},
    }


@given(st.lists(st.tuples(st.sampled_from([b"tEXt", b"zTXt", b"iTXt", b"IDAT"]), st.binary())))
def test_a_picture_of_any_chunks_is_read_or_refused(parts: list[tuple[bytes, bytes]]) -> None:
    chunks = [chunk(kind, b"chara\0" + content) for kind, content in parts]
    for data in (png(*chunks), png(*chunks)[: -7 * len(chunks) or None]):
        with pytest.raises(PackageError):
            read_card(data, "a.png")


def test_a_lorebook_that_is_too_large_for_its_agent_is_told() -> None:
    entries = [{**BLANK, "content": "x" * 4_000_000} for _ in range(5)]
    card = {**V2, "data": {**DATA, "character_book": {"entries": entries}}}
    notes = open_card(json.dumps(card).encode(), "a.json").notes
    assert any("calls up nothing" in note for note in notes)
    assert "MAX_FILE = 16000000;" in resource_text("agents/studio.lorebook.js")
