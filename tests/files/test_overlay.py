from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.files import FolderSource, OverlaySource, Source, UnsafePathError


@pytest.fixture
def below(tmp_path: Path) -> FolderSource:
    (tmp_path / "context").mkdir()
    (tmp_path / "intro.txt").write_text("saved")
    (tmp_path / "context/a.txt").write_text("a")
    return FolderSource(tmp_path)


@pytest.mark.clause("STU-01")
def test_unsaved_text_wins_and_follows_its_owner(below: FolderSource) -> None:
    buffers = {"intro.txt": "unsaved"}
    source = OverlaySource(buffers, below)
    assert isinstance(source, Source)
    assert source.read_bytes("./intro.txt") == b"unsaved"
    buffers["intro.txt"] = "later ü"
    assert source.read_bytes("intro.txt").decode() == "later ü"
    del buffers["intro.txt"]
    assert source.read_bytes("intro.txt") == b"saved"


def test_a_new_buffer_is_a_file_of_its_folder(below: FolderSource) -> None:
    source = OverlaySource({"context/new.txt": "n", "context/deep/x.txt": "x"}, below)
    assert source.list_folder("context") == ("a.txt", "new.txt")
    assert source.list_folder("") == ("intro.txt",)
    assert source.list_folder("context/deep") == ("x.txt",)
    assert source.exists("context/new.txt")
    assert source.name == below.name


@pytest.mark.clause("PKG-04")
def test_an_unsafe_path_is_refused_above_the_files_too(below: FolderSource) -> None:
    source = OverlaySource({"../x": "out"}, below)
    for ask in (source.exists, source.read_bytes, source.list_folder):
        with pytest.raises(UnsafePathError):
            ask("../x")


@pytest.mark.clause("PKG-11")
def test_a_buffer_is_found_in_either_composition_of_its_accents(below: FolderSource) -> None:
    (below.root / "e\u0301.txt").write_text("saved")
    source = OverlaySource({"e\u0301.txt": "unsaved"}, below)
    assert source.read_bytes("é.txt") == b"unsaved"
    assert source.list_folder("") == ("e\u0301.txt", "intro.txt")


def test_a_lone_surrogate_in_an_editor_does_not_break_reading(below: FolderSource) -> None:
    assert OverlaySource({"x": "a\ud800b"}, below).read_bytes("x") == b"a?b"
