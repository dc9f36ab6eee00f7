"""The one accessor for shipped files."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import resources
from studio_qt.errors import StudioError
from studio_qt.resources import copy_resources, resource_names, resource_path, resource_text


def test_texts_and_folders_are_found() -> None:
    assert "index.md" in resource_names("handbook")
    assert resource_text("handbook/index.md").startswith("#")
    assert resource_path("handbook").is_dir()


@pytest.mark.clause("PKG-14")
@pytest.mark.parametrize("name", ["../a", "/etc/passwd", "C:/x", "a\\..\\b", "a/../.."])
def test_a_path_that_leads_out_is_refused(name: str) -> None:
    with pytest.raises(StudioError, match="inside resources"):
        resource_path(name)


def test_a_missing_file_and_a_file_for_a_folder_say_what_to_do() -> None:
    with pytest.raises(StudioError, match="install it again"):
        resource_text("handbook/no-such-page.md")
    with pytest.raises(StudioError, match="name the folder"):
        resource_names("handbook/index.md")


def test_a_copy_leaves_behind_what_installers_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "_resources" / "templates" / "x" / "agents"
    (made / "__pycache__").mkdir(parents=True)
    (made / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"\0")
    (made / "x.py").write_text("pass\n", encoding="utf-8")
    monkeypatch.setattr(resources, "_HERE", tmp_path)
    (tmp_path / "new").mkdir()
    copy_resources("templates/x", tmp_path / "new")
    assert [path.name for path in (tmp_path / "new" / "agents").iterdir()] == ["x.py"]
