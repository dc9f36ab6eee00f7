"""What a package holds: all that it needs, nothing private, the same bytes for the same project."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path

import pytest

from studio_qt.authoring.exporting import (
    ExportPlan,
    Fields,
    Progress,
    build_package,
    export_package,
    goes_in,
    plan_export,
    stays_here,
    write_zip,
    zip_bytes,
)
from studio_qt.engine.proving import prove_package
from studio_qt.errors import PackageError, StorageError
from studio_qt.package import load_package
from studio_qt.resources import copy_resources
from tests.support.packages import agent

pytestmark = pytest.mark.clause("STU-11")

TYPED = agent(
    "k.maps",
    "export const onToolCall = (n: string, a: {}, s: any) => `${(s.n = 1)}`;",
    tools=["maps"],
    tags="@lib weighted-choice",
)
FILES: dict[str, str | bytes] = {
    "config.json": json.dumps(
        {
            "name": "Kay",
            "mine": 1.5,
            "fileMappings": {"Introduction": "texts/hello.txt", "ContextDirectory": "lore"},
            "agents": [
                "k.maps",
                {
                    "id": "k.sea",
                    "implementation": "studio.context-access",
                    "contextFile": ".sea.txt",
                },
                {
                    "id": "k.ann",
                    "implementation": "studio.sub-agent",
                    "promptFile": "ann.subagent.md",
                    "private-agents": ["studio.memory-store"],
                },
            ],
        }
    ),
    "instructions.txt": "Be Kay.",
    "texts/hello.txt": "Hello.",
    "texts/unused.txt": "No.",
    "lore/world.md": "World.",
    "lore/.sea.txt": "Sea.",
    "lore/deep/more.txt": "More.",
    "lore/.git/config": "private",
    "agents/k.maps.ts": TYPED,
    "agents/not-listed.js": agent("k.not", "export const onLoad = () => '';"),
    "agents/ann.subagent.md": "---\ndescription: Ann knows.\n---\nBe Ann.",
    "k.ann.studio.memory-store.agent.json": '{"notes": [{"toolCallId": 4, "text": "x"}]}',
    "avatar.png": b"\x89PNG",
    "LICENSE": "CC0",
    "conversations/conversation_01.json": "{}",
    ".env": "KEY=1",
    ".idea/x.xml": "x",
    "notes.md": "to do",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "kay"
    for path, content in FILES.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def plan_of(root: Path, **options: object) -> ExportPlan:
    return plan_export(load_package(root), **options)  # type: ignore[arg-type]


def test_all_that_is_used_goes_in_and_nothing_else(root: Path) -> None:
    plan = plan_of(root)
    assert {file.path: file.kind for file in plan.files} == {
        "config.json": "config",
        "instructions.txt": "text",
        "texts/hello.txt": "text",
        "lore/world.md": "context",
        "lore/.sea.txt": "context",
        "lore/deep/more.txt": "context",
        "agents/k.maps.js": "agent",
        "agents/lib/weighted-choice.js": "library",
        "agents/ann.subagent.md": "subagent",
        "agents/studio.sub-agent.js": "builtin",
        "agents/studio.context-access.js": "builtin",
        "agents/studio.memory-store.js": "builtin",
        "k.ann.studio.memory-store.agent.json": "default",
        "avatar.png": "picture",
        "LICENSE": "text",
    }
    assert plan.sources == ("agents/k.maps.ts",)
    assert plan.faults == ()


def test_rows_for_people_tell_what_goes_in_and_what_stays(root: Path) -> None:
    plan = plan_of(root)
    rows = {row.title: row.details for row in goes_in(plan)}
    assert rows["lore/"] == "3 files, 2 hidden from the prompt"
    assert rows["agents/"] == "1 own; k.maps.ts becomes k.maps.js"
    assert rows["Sub-agents"] == "ann"
    assert rows["Built-ins copied"] == "context-access, memory-store, sub-agent"
    stays = [(row.title, row.details) for row in stays_here(plan)]
    assert stays[0] == ("1 conversation with stores and journals", "")
    assert "texts/unused.txt" in stays[1][1]
    assert stays[2][0].startswith(".env, .idea")


async def test_the_zip_plays_and_is_the_same_twice(root: Path, tmp_path: Path) -> None:
    built = await build_package(plan_of(root))
    place = tmp_path / "kay.zip"
    size = write_zip(place, built.files)
    assert place.stat().st_size == size
    again = await build_package(plan_of(root))
    assert zip_bytes(again.files) == place.read_bytes()
    assert set(built.sources) == {"agents/k.maps.ts"}
    assert not any(name.endswith(".ts") for name in zipfile.ZipFile(place).namelist())
    loaded = load_package(place)
    assert [spec.id for spec in loaded.agents] == ["k.maps", "k.sea", "k.ann"]
    assert loaded.agents[0].manifest == load_package(root).agents[0].manifest
    proof = await prove_package(place)
    assert proof.reply


async def test_call_ids_of_one_conversation_are_taken_out_of_defaults(root: Path) -> None:
    built = await build_package(plan_of(root))
    default = json.loads(built.files["k.ann.studio.memory-store.agent.json"])
    assert default == {"notes": [{"text": "x"}]}
    assert built.files["config.json"] == (root / "config.json").read_bytes()


async def test_author_version_and_licence_are_written_and_the_rest_stays(root: Path) -> None:
    fields = Fields(author="Ada", version="1.2", license="CC0-1.0")
    built = await build_package(plan_of(root, fields=fields))
    config = json.loads(built.files["config.json"])
    assert (config["author"], config["version"], config["license"]) == ("Ada", "1.2", "CC0-1.0")
    assert config["mine"] == 1.5


def test_a_large_file_that_no_agent_reads_is_told_and_can_be_left_out(root: Path) -> None:
    (root / "lore/.log.txt").write_text("x" * 70_000)
    (root / "lore/.sea.txt").write_text("x" * 70_000)
    (warning,) = plan_of(root).warnings
    assert warning.path == "lore/.log.txt"
    assert "no agent reads it" in warning.sentence
    left = plan_of(root, leave_out=frozenset({"lore/.log.txt"}))
    assert "lore/.log.txt" not in {file.path for file in left.files}
    assert left.warnings == ()


def test_what_looks_like_a_key_is_told(root: Path) -> None:
    (root / "lore/world.md").write_text("use sk-or-" + "a1B2" * 10)
    (warning,) = plan_of(root).warnings
    assert "lore/world.md holds what looks like a key" in warning.sentence


def test_errors_of_the_project_are_faults(root: Path) -> None:
    (root / "agents/ann.subagent.md").write_text("no frontmatter")
    assert [fault.file for fault in plan_of(root).faults] == ["agents/ann.subagent.md"]


async def test_a_package_that_does_not_answer_is_no_proof(root: Path, tmp_path: Path) -> None:
    (root / "config.json").write_text('{"agents": ["k.gone"]}')
    with pytest.raises(PackageError, match=r"k\.gone"):
        await prove_package(root)


@pytest.mark.parametrize(
    "template", ["blank", "confidant", "lantern-keeper", "lorekeeper", "name-finder"]
)
async def test_every_template_is_packed_and_packs_itself_again(
    template: str, tmp_path: Path
) -> None:
    copy_resources(f"templates/{template}", tmp_path / "project")
    built = await build_package(plan_of(tmp_path / "project"))
    write_zip(tmp_path / "a.zip", built.files)
    again = await build_package(plan_of(tmp_path / "a.zip"))
    assert again.files == built.files


async def test_steps_are_told_and_the_file_is_there_when_all_is_proved(
    root: Path, tmp_path: Path
) -> None:
    told: list[Progress] = []
    place = tmp_path / "out" / "kay.zip"
    place.parent.mkdir()
    done = await export_package(plan_of(root), place, with_sources=True, told=told.append)
    ended = [progress.step for progress in told if progress.seconds is not None]
    assert ended == ["check", "build", "pack", "prove"]
    assert done.size == place.stat().st_size
    assert done.sources == tmp_path / "out" / "kay-sources.zip"
    assert zipfile.ZipFile(done.sources).namelist() == ["agents/k.maps.ts"]


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("agents/ann.subagent.md", "no frontmatter", r"agents/ann\.subagent\.md, line 1"),
        ("agents/k.maps.ts", TYPED + "\nlet x = ;", r"k\.maps\.ts"),
        ("agents/k.maps.ts", TYPED + "\nthrow new Error('at load');", "at load"),
    ],
)
async def test_what_does_not_play_is_not_written_and_what_was_there_stays(
    root: Path, tmp_path: Path, path: str, text: str, why: str
) -> None:
    place = tmp_path / "kay.zip"
    place.write_bytes(b"older")
    (root / path).write_text(text)
    with pytest.raises(PackageError, match=why):
        await export_package(plan_of(root), place)
    assert place.read_bytes() == b"older"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["kay", "kay.zip"]


@pytest.mark.parametrize("folder", ["conversations", "./conversations/", "link"])
def test_conversations_are_not_packed_wherever_they_are_mapped_to(root: Path, folder: str) -> None:
    (root / "link").symlink_to(root / "conversations")
    config = json.loads((root / "config.json").read_text())
    config["fileMappings"]["ContextDirectory"] = folder
    (root / "config.json").write_text(json.dumps(config))
    with pytest.raises(PackageError, match="conversations/, which is never packed"):
        plan_of(root)


def test_a_link_to_a_conversation_is_not_packed(root: Path) -> None:
    (root / "lore/old.txt").symlink_to(root / "conversations/conversation_01.json")
    with pytest.raises(PackageError, match=r"lore/old\.txt cannot be packed: it lies in conv"):
        plan_of(root)


def test_a_key_in_typescript_is_told_and_what_tools_leave_stays(root: Path) -> None:
    code = root / "agents/k.maps.ts"
    code.write_text(code.read_text() + f'const key: string = "sk-ant-{"a" * 40}";\n')
    for path in ("lore/__pycache__/a.pyc", "lore/node_modules/b/c.js"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("x")
    plan = plan_of(root)
    assert "agents/k.maps.ts holds what looks like a key" in plan.warnings[0].sentence
    assert not [file for file in plan.files if "node_" in file.path or "__py" in file.path]


@pytest.mark.parametrize(
    ("path", "content"), [("config.json", b"{"), ("agents/k.maps.ts", b"\xff\xfe")]
)
async def test_a_file_that_breaks_while_it_is_packed_is_named(
    root: Path, path: str, content: bytes
) -> None:
    plan = plan_of(root, fields=Fields(author="Ines"))
    (root / path).write_bytes(content)
    with pytest.raises(PackageError, match=f"{path} was changed meanwhile"):
        await build_package(plan)


async def test_where_there_is_no_room_to_prove_it_that_folder_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    with pytest.raises(StorageError, match="full cannot be written"):
        await export_package(plan_export(load_package(root)), tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()
