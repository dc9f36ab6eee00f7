from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.files import OverlaySource
from studio_qt.package import CharacterPackage, load_package
from tests.package.conftest import Load, messages

ALL: dict[str, str | bytes] = {
    "instructions.txt": "default instructions",
    "system-prompt.txt": "default system",
    "description.txt": "default description",
    "intro.txt": "default intro",
    "context/a.txt": "default context",
}
KEYS = ["Instructions", "System Prompt", "Description", "Introduction"]


def root_of(package: CharacterPackage) -> Path:
    return package.source.root  # type: ignore[attr-defined]


@pytest.mark.clause("PKG-02")
def test_without_mappings_the_default_files_are_read(load: Load) -> None:
    texts = load(ALL).read_texts()
    assert texts.instructions == "default instructions"
    assert texts.system_prompt == "default system"
    assert texts.description == "default description"
    assert texts.introduction == "default intro"
    assert [(file.name, file.text) for file in texts.context] == [("a.txt", "default context")]


@pytest.mark.clause("PKG-02")
def test_absent_files_are_none_and_no_problem(load: Load) -> None:
    texts = load().read_texts()
    assert texts.system_prompt is None and texts.description is None
    assert texts.introduction is None and texts.context == () and texts.problems == ()


@pytest.mark.clause("PKG-03")
@pytest.mark.parametrize("key", KEYS)
def test_each_mapping_overrides_its_own_default_alone(load: Load, key: str) -> None:
    package = load({**ALL, "texts/mine é.txt": "mapped"}, fileMappings={key: "texts/mine é.txt"})
    texts = package.read_texts()
    found = [texts.instructions, texts.system_prompt, texts.description, texts.introduction]
    assert [text == "mapped" for text in found] == [name == key for name in KEYS]
    assert package.problems == ()


@pytest.mark.clause("PKG-03", "BR-05")
def test_the_context_folder_can_be_mapped_with_or_without_a_slash(load: Load) -> None:
    files: dict[str, str | bytes] = {**ALL, "world/lore/b.md": "mapped"}
    for path in ("world/lore/", "./world/lore", "world//lore"):
        package = load(files, fileMappings={"ContextDirectory": path})
        assert [file.name for file in package.read_texts().context] == ["b.md"]
        assert package.read_context_file("b.md") == "mapped"
        assert package.read_context_file("a.txt") is None


@pytest.mark.clause("PKG-03")
def test_a_null_mapping_is_an_absent_one(load: Load) -> None:
    package = load(ALL, fileMappings={"Instructions": None})
    assert package.read_texts().instructions == "default instructions"
    assert package.problems == ()


@pytest.mark.clause("PKG-04")
@pytest.mark.parametrize("key", [*KEYS, "ContextDirectory"])
@pytest.mark.parametrize(
    "path", ["../out", "/out", "C:/out", "C:\\out", "\\\\srv\\x", "//srv/x", "a/../../out", "a\0"]
)
def test_a_mapping_that_leads_out_is_refused_and_no_default_read_in_its_place(
    load: Load, key: str, path: str
) -> None:
    package = load(ALL, fileMappings={key: path})
    texts = package.read_texts()
    found = [texts.instructions, texts.system_prompt, texts.description, texts.introduction]
    absent = dict(zip([*KEYS, "ContextDirectory"], [*found, texts.context or None], strict=True))
    assert [name for name, value in absent.items() if value is None] == [key]
    assert f'"{key}"' in messages(package)[0] and package.problems[0].severity == "error"
    assert package.problems[0].line == 3


@pytest.mark.clause("PKG-04", "PKG-14")
@pytest.mark.parametrize("key", KEYS)
def test_a_text_that_is_a_link_out_counts_as_absent(load: Load, tmp_path: Path, key: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    root = root_of(load(ALL))
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    package = load(ALL, fileMappings={key: "link.txt"})
    assert "secret" not in repr(package.read_texts())
    assert f'"{key}"' in messages(package)[0] and "link" in messages(package)[0]


@pytest.mark.clause("PKG-04")
def test_a_default_file_that_is_a_link_out_is_a_problem_too(load: Load, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (root_of(load()) / "intro.txt").symlink_to(tmp_path / "secret.txt")
    package = load()
    assert package.read_texts().introduction is None
    assert '"Introduction"' in messages(package)[0]


@pytest.mark.clause("PKG-04", "BR-05")
def test_a_context_folder_that_is_a_link_out_is_empty(load: Load, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("secret")
    (root_of(load()) / "lore").symlink_to(tmp_path / "outside")
    package = load(fileMappings={"ContextDirectory": "lore"})
    assert package.read_texts().context == ()
    assert package.read_context_file("secret.txt") is None
    assert '"ContextDirectory"' in messages(package)[0]


@pytest.mark.clause("PKG-04")
def test_the_package_itself_cannot_be_the_context_folder(load: Load) -> None:
    package = load(ALL, fileMappings={"ContextDirectory": "./"})
    assert package.read_texts().context == ()
    assert "whole package" in messages(package)[0]


@pytest.mark.clause("PKG-03", "PKG-10")
def test_a_mapped_file_that_is_missing_is_a_problem_and_not_replaced(load: Load) -> None:
    package = load(ALL, fileMappings={"Introduction": "hello.txt", "ContextDirectory": "none"})
    assert package.read_texts().introduction is None
    assert [problem.line for problem in package.problems] == [3, 4]
    assert all("mapped to" in line for line in messages(package))


@pytest.mark.clause("PKG-10")
def test_a_mapping_of_a_wrong_type_counts_as_absent(load: Load) -> None:
    package = load(ALL, fileMappings={"Introduction": 3, "Description": ""})
    texts = package.read_texts()
    assert texts.introduction is None and texts.description is None
    assert len(package.problems) == 2


@pytest.mark.clause("PKG-03")
def test_unsaved_text_is_read_through_the_same_resolver(load: Load) -> None:
    source = load(ALL, fileMappings={"Introduction": "hello.txt"}).source
    buffers = {"hello.txt": "one", "context/.data.json": "{}"}
    package = load_package(OverlaySource(buffers, source))
    assert package.read_texts().introduction == "one"
    buffers["hello.txt"] = "two"
    assert package.read_texts().introduction == "two"
    assert package.read_context_file(".data.json") == "{}"
