"""The list of conversations: rename, delete and undo, origin of forks, models, search."""

from __future__ import annotations

import asyncio
import json
import shutil
import unicodedata
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, StorageError, StudioError
from studio_qt.files import operations
from studio_qt.jsontext import JsonObject
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

COUNT = agent(
    "t.count",
    """export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;
       export function say(args, store, studio) { studio.log("A log of " + args); }""",
    tools=["count"],
    commands={"@say": "say"},
)
FILES = {"agents/t.count.js": COUNT}


@pytest.fixture
async def player(make_player: MakePlayer, model: ModelServer) -> CharacterPlayer:
    model.always = text("Aye.")
    return await make_player(FILES)


@pytest.fixture
def bin_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trash of the system, here in a folder."""
    place = tmp_path / "trash"
    place.mkdir()

    def to_trash(root: Path, path: str) -> None:
        (root / path).rename(place / path)

    monkeypatch.setattr(operations, "to_trash", to_trash)
    return place


async def talk(player: CharacterPlayer, *words: str) -> str:
    """Send into a new conversation and return its id."""
    made = await player.new_conversation()
    for word in words:
        await player.send(word)
    return made


async def titles(player: CharacterPlayer) -> dict[str, object]:
    return {str(one["id"]): one["title"] for one in await player.list_conversations()}


def files(tmp_path: Path) -> dict[str, bytes]:
    found = (tmp_path / "package/conversations").glob("conversation_*")
    return {path.name: path.read_bytes() for path in found}


# Titles


@pytest.mark.clause("PERS-01", "PERS-04")
async def test_a_title_is_kept_whether_its_conversation_is_open_or_not(
    player: CharacterPlayer, make_player: MakePlayer
) -> None:
    first, second = player.conversation_id, await talk(player, "Hello")
    heard: list[object] = []
    player.on("conversations", heard.append)
    await player.rename_conversation(first, "  First \n visit ")
    await player.rename_conversation(second, "Störm night 🌊")
    assert await titles(player) == {first: "First visit", second: "Störm night 🌊"}
    assert [said["conversationId"] for said in heard] == [first, second]  # type: ignore[index]
    await player.close()
    assert await titles(await make_player()) == {first: "First visit", second: "Störm night 🌊"}


@pytest.mark.clause("PERS-04")
async def test_a_title_is_in_the_journal_before_rename_returns(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    await player.rename_conversation(player.conversation_id, "Before the kill")
    journal = files(tmp_path)[f"{player.conversation_id}.journal.jsonl"].decode()
    assert "Before the kill" in journal


@pytest.mark.clause("PERS-04")
async def test_title_model_and_origin_are_there_after_a_kill(
    player: CharacterPlayer, tmp_path: Path, model: ModelServer
) -> None:
    model.models = ["test-model", "large"]
    await player.send("One")
    made = await player.fork(1)
    await player.load_conversation(made)
    await player.rename_conversation(made, "Before the kill")
    await player.choose_model("large")
    on_the_way = shutil.ignore_patterns(".*.tmp")  # files that are not in their place yet
    shutil.copytree(tmp_path / "package/conversations", tmp_path / "left", ignore=on_the_way)
    async with CharacterPlayer(tmp_path / "package", data_dir=tmp_path / "left") as again:
        told = {one["id"]: one for one in await again.list_conversations()}[made]
        assert (told["title"], told["model"]) == ("Before the kill", "large")
        assert told["origin"] == {"conversation": "conversation_01", "entry": "e2"}


@pytest.mark.clause("PERS-04")
@pytest.mark.parametrize("moved", [0, 1, 2, 3])
async def test_a_kill_while_deleting_leaves_all_of_it_or_nothing_in_the_list(
    player: CharacterPlayer,
    tmp_path: Path,
    bin_of: Path,
    make_player: MakePlayer,
    monkeypatch: pytest.MonkeyPatch,
    moved: int,
) -> None:
    made = await talk(player, "Hello")
    await player.new_conversation()
    taken: list[Path] = []

    def to_trash(root: Path, path: str) -> None:
        if len(taken) < moved:
            taken.append(root / path)
            (root / path).rename(bin_of / path)

    monkeypatch.setattr(operations, "to_trash", to_trash)
    await player.delete_conversation(made, keep_in=tmp_path / "kept")
    await player.close()
    again = await make_player()
    listed = await titles(again)
    assert (made in listed) is (moved == 0)
    if made in listed:
        assert [one["content"] for one in await again.conversation_entries(made)] == [
            "Hello",
            "Aye.",
        ]
    assert len(list((tmp_path / "kept").glob(f"*/{made}.json"))) == 1
    assert await again.new_conversation() != made


async def test_an_empty_title_takes_the_first_words_of_the_user(player: CharacterPlayer) -> None:
    made = await talk(player, "Can I cross tonight?", "And tomorrow?")
    await player.rename_conversation(made, "Crossing")
    await player.rename_conversation(made, " ")
    assert (await titles(player))[made] == "Can I cross tonight?"


async def test_renaming_makes_a_conversation_no_newer(player: CharacterPlayer) -> None:
    before = {one["id"]: one["updated"] for one in await player.list_conversations()}
    await player.rename_conversation(player.conversation_id, "Old")
    assert {one["id"]: one["updated"] for one in await player.list_conversations()} == before


@pytest.mark.parametrize("conversation", ["conversation_99", "../conversation_01", "", "x"])
async def test_what_is_no_conversation_can_be_neither_renamed_nor_deleted_nor_read(
    player: CharacterPlayer, conversation: str, bin_of: Path
) -> None:
    for work in (
        player.rename_conversation(conversation, "T"),
        player.delete_conversation(conversation),
        player.conversation_entries(conversation),
    ):
        with pytest.raises(StudioError, match="conversation"):
            await work


async def test_a_title_that_is_too_long_is_refused(player: CharacterPlayer) -> None:
    with pytest.raises(StudioError, match="shorter"):
        await player.rename_conversation(player.conversation_id, "x" * 201)


async def test_a_conversation_can_be_renamed_while_a_reply_is_written(
    player: CharacterPlayer,
) -> None:
    first = player.conversation_id
    second = await talk(player, "Hi")
    sending = asyncio.create_task(player.send("Again"))
    await player.rename_conversation(first, "One")
    await player.rename_conversation(second, "Two")
    assert (await sending)["content"] == "Aye."
    assert await titles(player) == {first: "One", second: "Two"}
    assert len(player) == 4


# Deleting


@pytest.mark.clause("PERS-01")
async def test_deleting_takes_every_file_of_it_and_undo_brings_all_back(
    player: CharacterPlayer, tmp_path: Path, bin_of: Path
) -> None:
    first = await talk(player, "Hello")
    await player.call_tool("count", {})
    second = await talk(player, "Another")
    before = files(tmp_path)
    removed = await player.delete_conversation(first, keep_in=tmp_path / "kept")
    assert first not in await titles(player)
    assert not [name for name in files(tmp_path) if name.startswith(f"{first}.")]
    assert {path.name for path in bin_of.iterdir()} == {
        name for name in before if name.startswith(f"{first}.")
    }
    await player.restore_conversation(removed)
    assert {name: data for name, data in files(tmp_path).items() if second not in name} == {
        name: data for name, data in before.items() if second not in name
    }
    await player.load_conversation(first)
    assert [entry["content"] for entry in player.get_conversation()] == ["Hello", "Aye."]
    assert player.store("t.count") == {"n": 1}


async def test_from_the_open_one_the_player_goes_to_the_latest_other(
    player: CharacterPlayer, bin_of: Path, tmp_path: Path
) -> None:
    first, second = player.conversation_id, await talk(player, "Hello")
    removed = await player.delete_conversation(second, keep_in=tmp_path / "kept")
    assert player.conversation_id == first
    await player.send("Still here?")
    await player.restore_conversation(removed)
    assert set(await titles(player)) == {first, second}


async def test_when_the_only_one_is_deleted_a_new_one_begins(
    player: CharacterPlayer, bin_of: Path, make_player: MakePlayer
) -> None:
    first = player.conversation_id
    await player.delete_conversation(first)
    assert player.conversation_id != first
    assert len(player) == 0
    await player.send("Hello")
    await player.close()
    again = await make_player()
    assert list(await titles(again)) == [again.conversation_id]


async def test_the_number_of_a_deleted_one_is_never_given_to_another(
    player: CharacterPlayer, bin_of: Path, make_player: MakePlayer, tmp_path: Path
) -> None:
    second = await talk(player, "Hello")
    removed = await player.delete_conversation(second, keep_in=tmp_path / "kept")
    third = await player.new_conversation()
    assert third != second
    await player.delete_conversation(third)
    await player.close()
    again = await make_player()
    assert await again.new_conversation() not in (second, third)
    await again.restore_conversation(removed)
    assert second in await titles(again)


async def test_where_there_is_no_trash_everything_stays_and_can_go_for_good(
    player: CharacterPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await talk(player, "Hello")
    before = await player.conversation_entries(made)
    gone: list[str] = []

    def refuse(root: Path, path: str) -> None:
        if gone:
            raise StorageError("There is no trash here.")
        gone.append(path)
        (root / path).unlink()  # the first file goes, the second does not

    monkeypatch.setattr(operations, "to_trash", refuse)
    with pytest.raises(StorageError, match="no trash"):
        await player.delete_conversation(made, keep_in=tmp_path / "kept")
    assert player.conversation_id == made
    assert player.get_conversation() == before
    await player.send("Still here?")
    await player.delete_conversation(made, trash=False)
    assert not [name for name in files(tmp_path) if name.startswith(f"{made}.")]


async def test_undo_puts_nothing_over_what_is_there_meanwhile(
    player: CharacterPlayer, bin_of: Path, tmp_path: Path
) -> None:
    made = await talk(player, "Hello")
    removed = await player.delete_conversation(made, keep_in=tmp_path / "kept")
    theirs = tmp_path / f"package/conversations/{made}.json"
    theirs.write_text("[]", encoding="utf-8")
    with pytest.raises(StorageError, match="already"):
        await player.restore_conversation(removed)
    assert theirs.read_text(encoding="utf-8") == "[]"
    assert [name for name in files(tmp_path) if name.startswith(f"{made}.")] == [theirs.name]


async def test_deleting_stops_the_reply_that_is_written(
    player: CharacterPlayer, bin_of: Path, tmp_path: Path
) -> None:
    made = await talk(player)
    sending = asyncio.create_task(player.send("Hello"))
    await asyncio.sleep(0)
    removed = await player.delete_conversation(made, keep_in=tmp_path / "kept")
    await sending
    assert player.conversation_id != made
    await player.restore_conversation(removed)
    assert (await player.conversation_entries(made))[0]["content"] == "Hello"


async def test_names_that_begin_alike_stay(
    player: CharacterPlayer, bin_of: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "package/conversations"
    (folder / "conversation_100.json").write_text("[]", encoding="utf-8")
    (folder / "conversation_10.json").write_text("[]", encoding="utf-8")
    await player.delete_conversation("conversation_10")
    assert "conversation_100" in await titles(player)
    assert [path.name for path in bin_of.iterdir()] == ["conversation_10.json"]


async def test_a_second_opener_changes_nothing(player: CharacterPlayer, bin_of: Path) -> None:
    made = player.conversation_id
    other = CharacterPlayer(player._argument, base_url="rehearsal:")
    async with other:
        for work in (
            other.rename_conversation(made, "Mine"),
            other.delete_conversation(made),
            other.choose_model("x"),
        ):
            with pytest.raises(StorageError, match="used by"):
                await work
    assert not list(bin_of.iterdir())


# Origin and lists


@pytest.mark.clause("PERS-05")
async def test_a_fork_tells_what_it_came_from(
    player: CharacterPlayer, make_player: MakePlayer, tmp_path: Path
) -> None:
    source = await talk(player, "One", "Two")
    entry = player.get_conversation()[1]["id"]
    made = await player.fork(1)
    for _ in range(2):
        listed = {one["id"]: one["origin"] for one in await player.list_conversations()}
        assert listed[made] == {"conversation": source, "entry": entry}
        assert listed[source] is None
        await player.close()
        player = await make_player()
    on_disk = json.loads(files(tmp_path)[f"{made}.json"])
    assert set(on_disk) == {"id", "title", "created", "updated", "package", "journal", "messages"}


async def test_a_foreign_file_with_odd_books_is_listed(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    folder = tmp_path / "package/conversations"
    odd = {"journal": ["x"], "messages": [], "title": "Odd"}
    (folder / "conversation_05.json").write_text(json.dumps(odd), encoding="utf-8")
    odd["journal"] = {"parent": "x", "mainModel": 3}  # type: ignore[assignment]
    (folder / "conversation_06.json").write_text(json.dumps(odd), encoding="utf-8")
    listed = {one["id"]: one for one in await player.list_conversations()}
    for name in ("conversation_05", "conversation_06"):
        assert (listed[name]["title"], listed[name]["origin"]) == ("Odd", None)
        assert listed[name]["model"] is None


async def test_a_list_is_made_anew_only_of_files_that_changed(
    player: CharacterPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "package/conversations"
    for number in range(10, 30):
        (folder / f"conversation_{number}.json").write_text("[]", encoding="utf-8")
    await player.list_conversations()
    read: list[str] = []
    real = Path.read_bytes

    def note(path: Path) -> bytes:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", note)
    changed = '{"messages": [], "title": "Changed"}'
    (folder / "conversation_12.json").write_text(changed, encoding="utf-8")
    (folder / "conversation_13.json").unlink()
    listed = await titles(player)
    assert [name for name in read if name.startswith("conversation_")] == ["conversation_12.json"]
    assert listed["conversation_12"] == "Changed"
    assert "conversation_13" not in listed


# Models


@pytest.mark.clause("PKG-15")
async def test_a_conversation_keeps_the_model_that_answers_in_it(
    player: CharacterPlayer, make_player: MakePlayer, model: ModelServer
) -> None:
    model.models = ["test-model", "large"]
    first = player.conversation_id
    await player.choose_model("large")
    assert (player.main_model, player.character.model_label) == ("large", "large")
    await player.send("Hi")
    second = await talk(player, "Hi")
    assert [request.body["model"] for request in model.requests] == ["large", "test-model"]
    listed = {one["id"]: one["model"] for one in await player.list_conversations()}
    assert listed == {first: "large", second: None}
    await player.close()
    player = await make_player()
    await player.load_conversation(first)
    await player.send("Again")
    assert model.requests[-1].body["model"] == "large"
    await player.choose_model(None)
    await player.send("And again")
    assert model.requests[-1].body["model"] == "test-model"


async def test_a_model_that_the_endpoint_has_no_more_is_passed_over(
    player: CharacterPlayer, make_player: MakePlayer, model: ModelServer
) -> None:
    model.models = ["test-model", "large"]
    await player.choose_model("large")
    await player.close()
    model.models = ["test-model"]
    player = await make_player()
    await player.send("Hi")
    assert model.requests[-1].body["model"] == "test-model"
    assert (player.main_model, player.character.model_label) == ("large", "test-model")


async def test_a_model_that_is_not_offered_cannot_be_chosen(
    player: CharacterPlayer, model: ModelServer
) -> None:
    model.models = ["small", "large"]
    with pytest.raises(StudioError, match=r"no model called huge.*small, large"):
        await player.choose_model("huge")
    assert player.main_model is None
    assert await player.offered_models() == ["small", "large"]


async def test_a_fork_takes_the_model_along(player: CharacterPlayer, model: ModelServer) -> None:
    model.models = ["test-model", "large"]
    await player.choose_model("large")
    await player.send("Hi")
    made = await player.fork(1)
    assert {one["id"]: one["model"] for one in await player.list_conversations()}[made] == "large"


# Search


async def found(player: CharacterPlayer, words: str, **where: object) -> list[tuple[str, ...]]:
    return [
        (one.conversation_id, one.role, one.before, one.match, one.after)
        async for batch in player.search_conversations(words, **where)  # type: ignore[arg-type]
        for one in batch
    ]


async def test_words_are_found_in_every_conversation_and_in_titles(
    player: CharacterPlayer,
) -> None:
    first = await talk(player, "The ROPE is long.")
    second = await talk(player, "No knots, but a rope.")
    await player.rename_conversation(second, "Rope refused")
    got = await found(player, "rope")
    assert (first, "user", "The ", "ROPE", " is long.") in got
    assert (second, "title", "", "Rope", " refused") in got
    assert (second, "user", "No knots, but a ", "rope", ".") in got
    assert len(got) == 3
    assert await found(player, "  ") == []


@pytest.mark.parametrize(
    ("said", "words", "match"),
    [
        ("Die STRASSE ist nass", "straße", "STRASSE"),
        ("Die Straße ist nass", "STRASSE", "Straße"),
        ("Ein " + unicodedata.normalize("NFD", "Café") + " am Eck", "CAFÉ", None),
        ("İstanbul at dawn", "dawn", "dawn"),
        ("Ὀδυσσεύς sails", "ὀδυσσεύσ", "Ὀδυσσεύς"),
        ("שלום עולם", "עולם", "עולם"),
        ("👩‍🚀 flies", "FLIES", "flies"),
        ("<b>&amp;\\n", "&AMP;\\N", "&amp;\\n"),
    ],
)
async def test_case_and_composition_do_not_matter(
    player: CharacterPlayer, said: str, words: str, match: str | None
) -> None:
    await talk(player, said)
    ((_, _, before, got, after),) = await found(player, words)
    assert got == (match or unicodedata.normalize("NFD", "Café"))
    assert f"{before}{got}{after}" == said


async def test_logs_and_tools_are_searched_when_asked_for(player: CharacterPlayer) -> None:
    await talk(player, "Hello")
    await player.command("@say herrings")
    assert await found(player, "herrings") == []
    assert [one[1] for one in await found(player, "HERRINGS", logs=True)] == ["log"]


async def test_what_was_put_aside_is_not_found(player: CharacterPlayer) -> None:
    await talk(player, "Hello")
    await player.reject(1)
    assert await found(player, "aye") == []


async def test_a_search_is_bounded_and_can_be_left(player: CharacterPlayer) -> None:
    for _ in range(3):
        await talk(player, "herring", "herring")
    assert len(await found(player, "herring", limit=4)) == 4
    async for batch in player.search_conversations("herring"):
        assert len({one.conversation_id for one in batch}) == 1
        break


async def test_what_cannot_be_read_keeps_no_search_from_going_on(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    (tmp_path / "package/conversations/conversation_77.json").write_text("{", encoding="utf-8")
    made = await talk(player, "herring")
    assert [one[0] for one in await found(player, "herring")] == [made]


async def test_five_hundred_conversations_stop_the_loop_no_longer_than_a_moment(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    folder = tmp_path / "package/conversations"
    said = [{"role": "user", "content": f"Herring {n} " + "and so on. " * 30} for n in range(20)]
    for number in range(100, 600):
        (folder / f"conversation_{number}.json").write_text(json.dumps(said), encoding="utf-8")
    longest = 0.0
    loop = asyncio.get_running_loop()

    async def beat() -> None:
        nonlocal longest
        while True:
            before = loop.time()
            await asyncio.sleep(0.002)
            longest = max(longest, loop.time() - before)

    task = asyncio.create_task(beat())
    assert len(await player.list_conversations()) == 501
    assert len(await found(player, "herring 19", limit=1_000)) == 500
    task.cancel()
    assert longest < 0.4


async def test_entries_from_elsewhere_become_a_conversation_that_can_be_played_on(
    player: CharacterPlayer, model: ModelServer
) -> None:
    here = player.conversation_id
    entries: list[JsonObject] = [
        {"role": "assistant", "content": "Come in."},
        {"role": "user", "content": "Thank you."},
        {"role": "assistant", "content": "Stand.", "rejected": True},
        {"role": "assistant", "content": "Sit."},
    ]
    made = await player.import_conversation(entries * 150, "From  elsewhere")
    assert player.conversation_id == here
    assert (await titles(player))[made] == "From elsewhere"
    await player.load_conversation(made)
    assert len(player) == 600
    assert len(player.alternatives(3)) == 2
    await player.send("And now?")
    said = [message["content"] for message in model.requests[-1].messages]
    assert said[-2:] == ["Sit.", "And now?"]
    assert "Stand." not in said
    assert player.store("t.count") == {}


async def test_entries_that_cannot_all_be_taken_over_leave_no_conversation(
    player: CharacterPlayer,
) -> None:
    before = await titles(player)
    good: JsonObject = {"role": "user", "content": "Hello."}
    bad: JsonObject = {"role": "user", "content": float("nan"), "odd": object()}  # type: ignore[dict-item]
    with pytest.raises((StudioError, ValueError, TypeError)):
        await player.import_conversation([good] * 450 + [bad])
    assert await titles(player) == before
