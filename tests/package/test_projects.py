"""Projects from templates, and what a list says of them."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from studio_qt.errors import PackageError, StorageError, StudioError
from studio_qt.package import load_package, projects
from studio_qt.package.projects import make_project, outline, template_names, template_outline


@pytest.mark.parametrize("template", template_names())
def test_a_template_is_outlined_as_it_loads(template: str, tmp_path: Path) -> None:
    make_project(tmp_path / "made", template)
    told, loaded = template_outline(template), load_package(tmp_path / "made")
    kinds = [agent.sub_agent is not None for agent in loaded.agents]
    assert (told.name, told.agents, told.sub_agents) == (
        loaded.name,
        kinds.count(False),
        kinds.count(True),
    )
    assert told.description


def test_a_project_gets_the_name_that_was_chosen(tmp_path: Path) -> None:
    make_project(tmp_path / "made", "blank", name='Ada "the" Lämp')
    config = (tmp_path / "made" / "config.json").read_text(encoding="utf-8")
    assert json.loads(config)["name"] == 'Ada "the" Lämp'
    assert config.startswith('{\n  "name"')


def test_an_empty_folder_is_filled_even_when_it_is_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    make_project(Path(), "blank")
    assert (Path.cwd() / "config.json").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_nothing_is_written_into_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StudioError, match="not empty"):
        make_project(tmp_path / "file", "blank")
    with pytest.raises(StudioError, match="missing"):
        make_project(tmp_path / "new", "nosuch")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_project_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_up(folder: str, target: Path) -> None:
        target.mkdir()
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(projects, "copy_resources", fill_up)
    with pytest.raises(StorageError):
        make_project(tmp_path / "made", "blank")
    assert list(tmp_path.iterdir()) == []


def test_a_zip_is_outlined_too(tmp_path: Path) -> None:
    place = tmp_path / "ada.zip"
    with zipfile.ZipFile(place, "w") as zipped:
        zipped.writestr("config.json", '{"agents": ["a.b", "c.subagent.md", 3, {"id": "x"}]}')
        zipped.writestr("description.txt", "\n  A countess.\n")
    told = outline(place)
    assert (told.name, told.description) == ("ada", "A countess.")
    assert (told.agents, told.sub_agents) == (3, 1)


def test_what_is_no_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageError):
        outline(tmp_path / "nowhere")
    with pytest.raises(PackageError):
        outline(tmp_path)


def test_what_is_told_of_a_project_is_no_longer_than_a_list_can_show(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"name": "Kay " * 100_000}))
    (tmp_path / "description.txt").write_text("word\n" * 600_000)
    told = outline(tmp_path)
    assert (len(told.name), len(told.description)) == (200, 4_000)
    assert told.name.startswith("Kay Kay")
    assert told.name.endswith("…")
