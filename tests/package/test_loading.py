from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
import zipfile
from pathlib import Path

import pytest

from studio_qt.errors import PackageError
from studio_qt.files import FolderSource, OverlaySource
from studio_qt.package import CharacterPackage, load_package
from studio_qt.resources import resource_path
from tests.package.conftest import Files, Load, js, messages

FILES: Files = {
    "system-prompt.txt": "%%CHARACTER_INSTRUCTIONS%%",
    "context/a.txt": "a",
    "context/.b.json": "{}",
    "agents/my.a.js": js("my.a", "@tool t"),
    "my.a.agent.json": '{"count": 1}',
}


def zip_folder(root: Path, target: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(root.rglob("*")):
            archive.write(file, prefix + file.relative_to(root).as_posix())
    return target


def root_of(package: CharacterPackage) -> Path:
    return package.source.root  # type: ignore[attr-defined]


@pytest.mark.clause("PKG-01", "PKG-13")
@pytest.mark.parametrize("prefix", ["", "Aria/"])
def test_a_zip_and_its_folder_are_the_same_character(
    load: Load, tmp_path: Path, prefix: str
) -> None:
    folder = load(FILES, agents=["my.a"])
    zipped = load_package(zip_folder(root_of(folder), tmp_path / "other.zip", prefix))
    assert zipped.agents == folder.agents and zipped.config == folder.config
    assert zipped.read_texts() == folder.read_texts()
    assert zipped.read_context_file(".b.json") == "{}"
    assert zipped.default_store("my.a") == '{"count": 1}'
    assert zipped.hash == folder.hash
    assert (folder.name, zipped.name) == ("Aria", "other")


@pytest.mark.clause("PKG-01")
def test_a_package_is_given_as_text_path_or_source(load: Load) -> None:
    root = root_of(load(FILES, agents=["my.a"]))
    for where in (str(root), root, FolderSource(root), OverlaySource({}, FolderSource(root))):
        assert load_package(where).agents[0].id == "my.a"


@pytest.mark.clause("PKG-13", "PKG-10")
def test_a_file_that_is_no_zip_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_text("hello")
    with pytest.raises(PackageError, match="not a zip"):
        load_package(tmp_path / "x.zip")


@pytest.mark.clause("PKG-01")
def test_a_zip_without_config_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("a")
    with pytest.raises(PackageError, match=r"has no config\.json"):
        load_package(zip_folder(tmp_path / "in", tmp_path / "x.zip"))


def test_loading_twice_gives_the_same_package(load: Load) -> None:
    package = load(FILES, agents=["my.a", "none", 3])
    again = load_package(root_of(package))
    assert (again.agents, again.problems, again.hash) == (
        package.agents,
        package.problems,
        package.hash,
    )


@pytest.mark.parametrize(
    "path",
    ["config.json", "instructions.txt", "context/a.txt", "agents/my.a.js", "my.a.agent.json"],
)
def test_the_hash_changes_with_every_file_that_loading_reads(load: Load, path: str) -> None:
    package = load(FILES, agents=["my.a"])
    file = root_of(package) / path
    file.write_bytes(file.read_bytes() + b"\n")
    assert load_package(root_of(package)).hash != package.hash


def test_the_hash_is_over_the_sorted_pairs_and_nothing_else(load: Load) -> None:
    package = load({"config.json": "{}", "unread.txt": "x", "agents/unlisted.js": "x"})
    pairs = ""
    for path in ("config.json", "instructions.txt"):
        content = hashlib.sha256((root_of(package) / path).read_bytes()).hexdigest()
        pairs += f"{path}\0{content}\n"
    assert package.hash == hashlib.sha256(pairs.encode()).hexdigest()


@pytest.mark.clause("PKG-09")
def test_a_default_store_is_the_text_of_its_file(load: Load) -> None:
    package = load({**FILES, "my.a.agent.json": '\ufeff{ "n": 1 }\r\n'}, agents=["my.a"])
    assert package.default_store("my.a") == '{ "n": 1 }\r\n'
    assert package.default_store("my.b") is None
    (root_of(package) / "my.a.agent.json").write_text('{"later": true}')
    assert package.default_store("my.a") == '{"later": true}'


@pytest.mark.clause("PKG-09", "PKG-10")
@pytest.mark.parametrize(
    ("content", "line"),
    [('{\n"a": }', 2), ("[1]", None), (b"\xff", 1), ("", 1), ('{"a": NaN}', None)],
)
def test_a_default_store_that_is_no_object_is_a_problem_and_none(
    load: Load, content: str | bytes, line: int | None
) -> None:
    package = load({**FILES, "my.a.agent.json": content}, agents=["my.a"])
    assert package.default_store("my.a") is None
    [problem] = package.problems
    assert (problem.severity, problem.file, problem.line) == ("error", "my.a.agent.json", line)


@pytest.mark.clause("PKG-14", "PKG-09")
@pytest.mark.parametrize("agent_id", ["../outside", "/outside", "sub/x", "..\\outside", "a\0"])
def test_a_default_store_is_never_read_from_elsewhere(
    load: Load, tmp_path: Path, agent_id: str
) -> None:
    (tmp_path / "outside.agent.json").write_text("{}")
    assert load({"sub/x.agent.json": "{}"}).default_store(agent_id) is None


@pytest.mark.clause("SUB-14")
def test_only_code_that_does_not_ship_with_the_program_is_foreign(load: Load) -> None:
    package = load(agents=["studio.dice-roller"])
    assert package.foreign_languages == frozenset()
    agents = root_of(package) / "agents"
    (agents / "lib").mkdir(parents=True)
    for name in ("studio.dice-roller.js", "lib/weighted-choice.js"):
        shutil.copy(resource_path(f"agents/{name}"), agents / name)
    (agents / "x.subagent.md").write_text("---\n---")
    assert load_package(root_of(package)).foreign_languages == frozenset()


@pytest.mark.clause("SUB-14")
@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("agents/studio.dice-roller.js", "javascript"),
        ("agents/lib/x.js", "javascript"),
        ("agents/x.ts", "typescript"),
        ("agents/x.py", "python"),
        ("agents/x.lua", "lua"),
    ],
)
def test_any_other_code_is_foreign_whatever_its_name(load: Load, path: str, language: str) -> None:
    assert load({path: "x"}).foreign_languages == {language}


@pytest.mark.clause("PKG-10")
def test_many_faults_at_once_are_all_told_and_the_rest_plays(load: Load) -> None:
    files: Files = {
        **FILES,
        "context/bad.txt": b"\xff",
        "agents/broken.js": "no manifest",
        "agents/good.js": js("good", "@tool fine", "@tool bad", "@tool-params ["),
    }
    mappings = {"Introduction": "../x"}
    entries = ["broken", "missing", 7, "good", "my.a"]
    package = load(files, name=5, agents=entries, fileMappings=mappings)
    assert [agent.id for agent in package.agents] == ["good", "my.a"]
    assert list(package.registration.tools) == ["fine", "t"]
    named = {problem.file for problem in package.problems}
    assert named == {"config.json", "context/bad.txt", "agents/broken.js", "agents/good.js"}
    assert len(messages(package)) == 7
    assert all(problem.message.endswith(".") for problem in package.problems)


@pytest.mark.clause("PKG-11")
def test_a_folder_with_an_odd_name_is_opened(tmp_path: Path) -> None:
    root = tmp_path / "Ärger & 世界 (1) #%"
    root.mkdir()
    (root / "config.json").write_text("{}")
    (root / "instructions.txt").write_text("x")
    assert load_package(root).name == "Ärger & 世界 (1) #%"


@pytest.mark.clause("PKG-10", "PKG-11")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are no text")
def test_a_file_name_that_is_no_text_is_a_problem(load: Load) -> None:
    root = root_of(load(FILES, agents=["my.a"]))
    name = os.fsdecode(b"caf\xe9.txt")
    (root / "context" / name).write_text("x")
    package = load_package(root)
    assert [file.name for file in package.read_texts().context] == ["a.txt"]
    assert "not UTF-8; rename it" in messages(package)[0].encode().decode()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are no files on Windows")
def test_a_pipe_is_no_package(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(PackageError, match="no file"):
        load_package(tmp_path / "pipe.zip")


@pytest.mark.clause("MAN-01", "PKG-10")
def test_a_manifest_of_thousands_of_tags_does_not_hold_the_host(load: Load) -> None:
    tags = [f"@tool t{number}" for number in range(9000)] + ["@tool-params {}"] * 5000
    started = time.process_time()
    package = load({"agents/my.a.js": js("my.a", *tags)}, agents=["my.a"])
    assert len(package.agents[0].tools) == 9000
    assert time.process_time() - started < 4
