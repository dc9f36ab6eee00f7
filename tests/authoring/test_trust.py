"""Which code of a package is foreign, what it may do, and what is remembered of the answer."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from studio_qt.authoring.admission import hold_back, load_code
from studio_qt.authoring.foreigncode import CodeSnapshot, all_code, code_files, fingerprint
from studio_qt.authoring.permissions import describe, shown_name
from studio_qt.authoring.trust import TrustBook
from studio_qt.files import FolderSource, ZipSource
from studio_qt.files.birth import birth_of
from studio_qt.package.builtins import SUFFIXES
from studio_qt.resources import resource_path, resource_text

JS = "/**\n * @agent {id}\n * @tool {tool}\n{more} */\nexport function onToolCall() {{}}\n"
PY = '"""\n@agent a.py\n@api studio.web\n"""\n'


def agent(name: str, *more: str, tool: str = "act") -> str:
    """Return a small JavaScript agent."""
    return JS.format(id=name, tool=tool, more="".join(f" * {line}\n" for line in more))


def project(folder: Path, files: dict[str, str | bytes], agents: object = ()) -> Path:
    """Make a package of these files."""
    whole = {"config.json": json.dumps({"name": "Ada", "agents": agents}), **files}
    for name, content in whole.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def foreign(folder: Path) -> list[str]:
    """Return the paths of the foreign code of a folder."""
    return [file.path for file in code_files(FolderSource(folder))]


# Which code is foreign


@pytest.mark.clause("SUB-14")
@pytest.mark.parametrize(
    "path",
    [
        "agents/a.js",
        "agents/a.TS",
        "agents/a.Py",
        "agents/a.lua",
        "agents/lib/a.min.js",
        "agents/studio.memory-store.js",
    ],
)
def test_any_code_that_does_not_ship_is_foreign_whatever_its_name(
    tmp_path: Path, path: str
) -> None:
    assert foreign(project(tmp_path, {path: "1"})) == [path]


@pytest.mark.clause("SUB-14")
def test_only_sub_agents_and_texts_are_no_code(tmp_path: Path) -> None:
    files = {
        "agents/a.subagent.md": "---\ndescription: x\n---\nHi",
        "agents/notes.txt": "a.js",
        "context/a.js": "1",
        "agents/deeper/a.js": "nothing loads from here",
    }
    assert foreign(project(tmp_path, files, ["a.subagent.md"])) == []


@pytest.mark.clause("SUB-14")
def test_copies_of_built_ins_of_this_and_of_earlier_releases_are_not_foreign(
    tmp_path: Path,
) -> None:
    name = "studio.dice-roller.js"
    folder = project(tmp_path, {f"agents/{name}": resource_path(f"agents/{name}").read_bytes()})
    assert foreign(folder) == []
    assert len(all_code(FolderSource(folder))) == 1
    known = resource_text("agents/earlier.sha256").split()[0]
    (file,) = all_code(FolderSource(folder))
    assert type(file)(file.path, "javascript", known).is_shipped
    (folder / "agents" / name).write_text("// mine", encoding="utf-8")
    assert foreign(folder) == [f"agents/{name}"]


@pytest.mark.clause("SUB-14")
def test_every_version_of_a_built_in_is_on_the_list_that_later_releases_have() -> None:
    """Add a changed file's SHA-256 and name to resources/agents/earlier.sha256, keep the old."""
    listed = {line.split()[0] for line in resource_text("agents/earlier.sha256").splitlines()}
    folder = resource_path("agents")
    code = (file for file in folder.rglob("*") if file.suffix in SUFFIXES)
    missing = [
        f"{digest}  {file.relative_to(folder).as_posix()}"
        for file in code
        if (digest := hashlib.sha256(file.read_bytes()).hexdigest()) not in listed
    ]
    assert missing == []


@pytest.mark.clause("SUB-14")
def test_a_fingerprint_depends_on_content_and_names_alone(tmp_path: Path) -> None:
    one = project(tmp_path / "one", {"agents/a.js": "1", "agents/b.js": "2"})
    other = project(tmp_path / "other", {"agents/b.js": "2", "agents/a.js": "1", "x.txt": "x"})
    before = fingerprint(code_files(FolderSource(one)))
    assert before == fingerprint(code_files(FolderSource(other)))
    (other / "agents" / "a.js").write_text("3", encoding="utf-8")
    assert before != fingerprint(code_files(FolderSource(other)))
    assert fingerprint(()) == ""


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_out_of_the_package_is_code_that_nobody_can_agree_to(tmp_path: Path) -> None:
    (tmp_path / "evil.js").write_text("1", encoding="utf-8")
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    (folder / "agents" / "b.js").symlink_to(tmp_path / "evil.js")
    (folder / "agents" / "c.js").symlink_to(folder / "agents" / "a.js")
    found = {file.path: file.digest for file in code_files(FolderSource(folder))}
    assert found["agents/b.js"] == ""
    assert found["agents/c.js"] == found["agents/a.js"] != ""
    book = TrustBook(tmp_path / "home")
    book.agree(folder, code_files(FolderSource(folder)))
    trusted = [book.record(folder).trusts(one) for one in code_files(FolderSource(folder))]
    assert trusted == [True, False, True]


def test_what_is_loaded_is_what_was_hashed_also_where_the_file_changes_meanwhile(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path, {"agents/a.js": agent("a")}, ["a"])

    class Turning(FolderSource):
        """Gives other bytes with each read."""

        reads = 0

        def read_bytes(self, path: str) -> bytes:
            content = super().read_bytes(path)
            if path.endswith(".js"):
                self.reads += 1
                content += b"// %d" % self.reads
            return content

    loaded = load_code(Turning(folder))
    (file,) = loaded.files
    assert loaded.package.agents[0].source.encode() == file.content
    assert describe(loaded).files == (file,)


def test_ten_thousand_files_of_code_are_told(tmp_path: Path) -> None:
    place = tmp_path / "many.zip"
    with zipfile.ZipFile(place, "w") as made:
        made.writestr("config.json", "{}")
        for number in range(9_000):
            made.writestr(f"agents/{number:05}-{'x' * 90}.js", agent("a"))
    told = describe(load_code(ZipSource(place)))
    assert len(told.files) == len(told.agents) == 9_000
    assert all(one.unlisted for one in told.agents)


# What it may do


def test_permissions_are_what_manifests_declare_agent_by_agent(tmp_path: Path) -> None:
    lines = ("@api studio.history", "@hook afterResponse", "@command @note note", "@lib pick")
    folder = project(
        tmp_path,
        {
            "agents/a.js": agent("a", *lines, "@preload true"),
            "agents/b.py": PY,
            "agents/c.lua": "--[[\n@agent c\n]]",
            "agents/lib/pick.js": "this.pick = 1",
            "agents/m.subagent.md": "---\ndescription: x\n---\nHi",
        },
        ["a", "b", "m.subagent.md", "studio.dice-roller"],
    )
    told = describe(load_code(FolderSource(folder)))
    first, _, third = told.agents
    assert (first.id, first.tools, first.commands) == ("a", ("act",), ("@note",))
    assert (first.apis, first.hooks) == (("studio.history",), ("afterResponse",))
    assert first.preload
    assert first.libraries == ("pick",)
    assert told.web_agents == ("b",)
    assert third.unlisted
    assert third.language == "lua"
    assert (told.built_in, told.sub_agents) == (1, 1)
    assert told.languages == ("JavaScript", "Lua", "Python")
    assert len(told.files) == 4


def test_private_agents_and_a_sub_agent_of_ones_own_are_told(tmp_path: Path) -> None:
    entry = {
        "id": "x.m",
        "implementation": "studio.sub-agent",
        "promptFile": "m.subagent.md",
        "private-agents": ["a"],
    }
    folder = project(
        tmp_path,
        {
            "agents/a.js": agent("a"),
            "agents/studio.sub-agent.js": agent("studio.sub-agent"),
            "agents/m.subagent.md": "---\ndescription: x\n---\nHi",
        },
        [entry],
    )
    loaded = load_code(FolderSource(folder))
    assert [file.path for file in loaded.files] == ["agents/a.js", "agents/studio.sub-agent.js"]
    assert [one.id for one in describe(loaded).agents] == ["x.m", "x.m.a"]


def test_names_that_turn_or_hide_letters_are_written_out() -> None:
    assert shown_name("a\u202egpj.js") == "a\\u202egpj.js"
    assert shown_name("a\nb\u200bc") == "a\\u000ab\\u200bc"
    assert shown_name("<b>Ünï 字</b>") == "<b>Ünï 字</b>"
    assert len(shown_name("x" * 9_000)) < 81


# What is held back


def test_a_changed_agent_goes_on_as_it_was_and_a_new_one_waits(tmp_path: Path) -> None:
    folder = project(tmp_path, {"agents/a.js": agent("a"), "agents/b.js": agent("b", tool="b")})
    config = folder / "config.json"
    config.write_text('{"agents": ["a"]}', encoding="utf-8")
    running = load_code(FolderSource(folder)).package
    config.write_text('{"agents": ["a", "b", "studio.dice-roller"]}', encoding="utf-8")
    (folder / "agents" / "a.js").write_text(agent("a", "@api studio.web"), encoding="utf-8")
    new = load_code(FolderSource(folder)).package
    held = hold_back(new, running, {"agents/a.js", "agents/b.js"})
    assert [spec.id for spec in held.agents] == ["a", "studio.dice-roller"]
    assert held.agents[0] == running.agents[0]
    assert "b" not in held.registration.tools
    assert {one.file for one in held.problems} >= {"agents/a.js", "agents/b.js"}


def test_a_changed_library_holds_its_agent_back(tmp_path: Path) -> None:
    files = {"agents/a.js": agent("a", "@lib pick"), "agents/lib/pick.js": "1"}
    folder = project(tmp_path, files, ["a"])
    running = load_code(FolderSource(folder)).package
    (folder / "agents" / "lib" / "pick.js").write_text("2", encoding="utf-8")
    held = hold_back(load_code(FolderSource(folder)).package, running, {"agents/lib/pick.js"})
    assert held.agents[0].libraries[0].source == "1"


def test_a_sub_agent_loses_a_grant_that_waits_and_keeps_its_private_one(tmp_path: Path) -> None:
    entry = {
        "id": "x.m",
        "implementation": "studio.sub-agent",
        "promptFile": "m.subagent.md",
        "shared-agents": ["b"],
        "private-agents": ["a"],
    }
    files = {
        "agents/a.js": agent("a"),
        "agents/b.js": agent("b", tool="b"),
        "agents/m.subagent.md": "---\ndescription: x\n---\nHi",
    }
    folder = project(tmp_path, files, [entry])
    running = load_code(project_source := FolderSource(folder)).package
    (folder / "config.json").write_text(json.dumps({"agents": [entry, "b"]}), encoding="utf-8")
    held = hold_back(load_code(project_source).package, running, {"agents/b.js"})
    (spec,) = held.agents
    assert spec.sub_agent is not None
    assert spec.sub_agent.shared == ()
    assert [one.id for one in spec.sub_agent.private] == ["x.m.a"]


# What is remembered


def test_agreement_holds_for_these_bytes_at_this_place(tmp_path: Path) -> None:
    one = project(tmp_path / "one", {"agents/a.js": "1"})
    book = TrustBook(tmp_path / "home")
    files = code_files(FolderSource(one))
    assert not book.record(one).trusts(files[0])
    book.agree(one, files)
    again = TrustBook(tmp_path / "home").record(one)
    assert again.trusts(files[0])
    assert again.fingerprint == fingerprint(files)
    (one / "agents" / "a.js").write_text("2", encoding="utf-8")
    assert not again.trusts(code_files(FolderSource(one))[0])
    other = project(tmp_path / "other", {"agents/a.js": "1"})
    assert not book.record(other).trusts(files[0])
    book.withdraw(one)
    assert not book.record(one).trusts(files[0])


def test_the_same_bytes_as_another_language_are_other_code(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book = TrustBook(tmp_path / "home")
    book.agree(folder, code_files(FolderSource(folder)))
    (folder / "agents" / "a.js").rename(folder / "agents" / "a.py")
    assert not book.record(folder).trusts(code_files(FolderSource(folder))[0])


def test_a_folder_that_took_the_place_of_one_made_here_is_asked_about(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book = TrustBook(tmp_path / "home")
    book.made_here(folder)
    assert book.record(folder).made_here
    folder.rename(tmp_path / "gone")
    project(folder, {"agents/a.js": "2"})
    assert not book.record(folder).made_here


@pytest.mark.clause("SUB-14")
def test_a_folder_with_the_number_of_one_that_was_made_here_is_asked_about(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book = TrustBook(tmp_path / "home")
    book.made_here(folder)
    born, number = birth_of(folder), folder.stat().st_ino
    if not born:
        pytest.skip("this file system does not tell when a folder was made")
    for _ in range(2_000):  # until the clock of the file system goes on
        shutil.rmtree(folder)
        project(folder, {"agents/a.js": "2"})
        if folder.stat().st_ino == number and birth_of(folder) != born:
            break
    assert not book.record(folder).made_here
    book.made_here(folder)
    (folder / "agents/a.js").write_text("3", encoding="utf-8")
    folder.rename(tmp_path / "q")
    (tmp_path / "q").rename(folder)
    assert book.record(folder).made_here


def test_two_windows_that_note_something_at_once_lose_nothing(tmp_path: Path) -> None:
    books = [TrustBook(tmp_path / "home") for _ in range(4)]
    places = [project(tmp_path / f"p{number}", {}) for number in range(24)]

    def note(at: int) -> None:
        for place in places[at::4]:
            books[at].made_here(place)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(note, range(4)))
    assert [place for place in places if not books[0].record(place).made_here] == []


def test_a_book_that_cannot_be_read_is_set_aside_and_never_lost(tmp_path: Path) -> None:
    (tmp_path / "trust.json").write_text("{ broken", encoding="utf-8")
    book = TrustBook(tmp_path)
    assert not book.record(tmp_path / "p").made_here
    (aside,) = tmp_path.glob("trust-*.json")
    assert aside.read_text(encoding="utf-8") == "{ broken"
    assert aside.name in book.notice


@pytest.mark.parametrize(
    "kept",
    [
        "[]",
        '{"places": 3}',
        '{"places": {"x": 3}}',
        "[" * 100_000,
        '{"places": {"x": {"agreed": 3}}}',
    ],
)
def test_odd_contents_of_the_book_give_no_trust_and_break_nothing(
    tmp_path: Path, kept: str
) -> None:
    (tmp_path / "trust.json").write_text(kept, encoding="utf-8")
    assert TrustBook(tmp_path).record(tmp_path).agreed == ()


def test_no_package_brings_its_own_agreement(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book = TrustBook(tmp_path / "home")
    book.agree(folder, code_files(FolderSource(folder)))
    shutil.copy(tmp_path / "home" / "trust.json", folder / "trust.json")
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    assert not book.record(copy).trusts(code_files(FolderSource(copy))[0])
    assert not TrustBook(copy).record(tmp_path / "other").agreed


MOVES = pytest.mark.skipif(
    birth_of(Path(__file__)) == 0, reason="this file system does not tell when a folder was made"
)


@MOVES
@pytest.mark.clause("SUB-14")
def test_a_folder_that_was_moved_is_the_same_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    book = TrustBook(tmp_path / "home")
    mine = project(tmp_path / "mine", {"agents/a.js": "1"})
    theirs = project(tmp_path / "theirs", {"agents/a.js": "1"})
    book.made_here(mine)
    book.agree(theirs, code_files(FolderSource(theirs)))
    book.allow_web(theirs, True)
    (tmp_path / "deep").mkdir()
    mine, theirs = mine.rename(tmp_path / "deep/x"), theirs.rename(tmp_path / "deep/y")
    again = TrustBook(tmp_path / "home")
    assert again.record(mine).made_here
    known = again.record(theirs)
    assert known.web is True
    assert known.trusts(code_files(FolderSource(theirs))[0])
    (theirs / "agents/a.js").write_text("2", encoding="utf-8")
    assert not again.record(theirs).trusts(code_files(FolderSource(theirs))[0])
    (tmp_path / "deep").rename(tmp_path / "deeper")
    assert again.record(tmp_path / "deeper/x").made_here


@MOVES
@pytest.mark.clause("SUB-14")
def test_what_is_known_of_a_moved_folder_outlasts_its_next_change(tmp_path: Path) -> None:
    book = TrustBook(tmp_path / "home")
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book.agree(folder, code_files(FolderSource(folder)))
    moved = folder.rename(tmp_path / "q")
    book.record(moved)
    book.allow_web(moved, True)
    assert book.record(moved).trusts(code_files(FolderSource(moved))[0])


@MOVES
@pytest.mark.clause("SUB-14")
def test_the_same_code_in_another_folder_is_asked_about_also_where_the_first_is_gone(
    tmp_path: Path,
) -> None:
    """Another config.json may grant and combine the same code otherwise."""
    book = TrustBook(tmp_path / "home")
    folder = project(tmp_path / "p", {"agents/a.js": "1"}, ["a"])
    book.agree(folder, code_files(FolderSource(folder)))
    book.allow_web(folder, True)
    other = project(tmp_path / "q", {"agents/a.js": "1"}, ["a", "studio.sub-agent"])
    shutil.rmtree(folder)
    assert book.record(other).web is None
    assert not book.record(other).trusts(code_files(FolderSource(other))[0])


@MOVES
@pytest.mark.clause("SUB-14")
def test_what_comes_to_the_place_of_a_folder_that_was_moved_is_asked_about(tmp_path: Path) -> None:
    book = TrustBook(tmp_path / "home")
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book.made_here(folder)
    moved = folder.rename(tmp_path / "q")
    project(folder, {"agents/a.js": "1"})
    assert not book.record(folder).made_here
    assert book.record(moved).made_here
    book.allow_web(folder, True)
    assert not book.record(folder).made_here
    assert not book.record(folder).trusts(code_files(FolderSource(folder))[0])


@pytest.mark.parametrize("known", [{"folder": 1, "born": 0}, {"folder": 0, "born": 0}, {}])
def test_a_number_alone_makes_no_folder_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: dict[str, int]
) -> None:
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    (file,) = code_files(FolderSource(folder))
    monkeypatch.setattr("studio_qt.authoring.trust.birth_of", lambda _place: 0)
    monkeypatch.setattr("studio_qt.authoring.trust._identity", lambda _place: 1)
    kept = {"version": 1, "places": {str(tmp_path / "gone"): {"agreed": [file.key], **known}}}
    (tmp_path / "trust.json").write_text(json.dumps(kept), encoding="utf-8")
    assert not TrustBook(tmp_path).record(folder).trusts(file)


@MOVES
def test_a_folder_of_another_disk_is_another_whatever_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = TrustBook(tmp_path / "home")
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    book.made_here(folder)
    moved = folder.rename(tmp_path / "stick")
    monkeypatch.setattr("studio_qt.authoring.trust._disk", lambda place: 2 if place == moved else 1)
    assert not book.record(moved).made_here


def test_agreements_of_before_have_no_folder_and_count_at_their_place_alone(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path / "p", {"agents/a.js": "1"})
    (file,) = code_files(FolderSource(folder))
    kept = {"version": 1, "places": {str(folder.resolve()): {"agreed": [file.key]}}}
    (tmp_path / "trust.json").write_text(json.dumps(kept), encoding="utf-8")
    book = TrustBook(tmp_path)
    assert book.record(folder).trusts(file)
    assert not book.record(folder.rename(tmp_path / "q")).trusts(file)


def test_a_choice_of_web_access_is_kept_with_the_place(tmp_path: Path) -> None:
    book = TrustBook(tmp_path)
    assert book.record(tmp_path).web is None
    for choice in (True, False, None):
        book.allow_web(tmp_path, choice)
        assert TrustBook(tmp_path).record(tmp_path).web is choice


def test_a_snapshot_passes_other_files_through(tmp_path: Path) -> None:
    folder = project(tmp_path, {"intro.txt": "one"})
    snapshot = CodeSnapshot(FolderSource(folder))
    assert snapshot.read_bytes("intro.txt") == b"one"
    (folder / "intro.txt").write_text("two", encoding="utf-8")
    assert snapshot.read_bytes("intro.txt") == b"two"
    assert snapshot.name == folder.name
    assert snapshot.code("intro.txt") is None
