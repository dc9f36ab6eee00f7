from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.files import UnsafePathError, find_inside, safe_path, same_name

UNSAFE = [
    "/etc/passwd",
    "//server/share/x",
    "\\\\server\\share\\x",
    "\\\\?\\C:\\x",
    "C:/x",
    "c:x",
    "C:\\x",
    "..",
    "../x",
    "a/../x",
    "a/..",
    "..\\x",
    "a\\b",
    "a\0b",
    "...",
    ".. /x",
    "con",
    "sub/NUL",
    "Aux.txt",
    "com1.tar.gz",
    "lpt¹",
    "no\udcfftext",
    "trailing.",
    "trailing ",
]


@pytest.mark.clause("PKG-04", "PKG-14")
@pytest.mark.parametrize("path", UNSAFE)
def test_a_path_that_leads_out_or_names_no_file_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(UnsafePathError, match=r"it|package|/"):
        safe_path(path)
    with pytest.raises(UnsafePathError):
        find_inside(tmp_path, path)


@pytest.mark.clause("PKG-04")
@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a/b.txt", "a/b.txt"),
        ("./a//b/", "a/b"),
        ("", ""),
        (".", ""),
        ("..a/b..c", "..a/b..c"),
        (".cars.json", ".cars.json"),
        ("a b/ü 世.txt", "a b/ü 世.txt"),
        ("console.txt", "console.txt"),
        ("~/x", "~/x"),
        ("%2e%2e/x", "%2e%2e/x"),
    ],
)
def test_an_ordinary_path_is_only_tidied(path: str, plain: str) -> None:
    assert safe_path(path) == plain


@pytest.mark.clause("PKG-04")
@given(st.text(alphabet="ab./\\:~ \0C", max_size=12))
def test_whatever_passes_stays_below_the_root(path: str) -> None:
    root = Path("/some/root")
    try:
        relative = safe_path(path)
    except UnsafePathError:
        return
    place = Path(os.path.normpath(root / relative))
    assert place == root or root in place.parents


@pytest.mark.clause("PKG-04")
def test_a_link_out_of_the_root_is_refused_and_one_inside_is_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "in/file.txt").write_text("inside")
    (tmp_path / "secret.txt").write_text("outside")
    (root / "bad").symlink_to(tmp_path)
    (root / "good").symlink_to(root / "in")
    with pytest.raises(UnsafePathError, match="link"):
        find_inside(root, "bad/secret.txt")
    assert find_inside(root, "good/file.txt").read_text() == "inside"


@pytest.mark.clause("PKG-04")
def test_a_sibling_whose_name_begins_like_the_root_is_outside(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root-2").mkdir()
    (tmp_path / "root/link").symlink_to(tmp_path / "root-2")
    with pytest.raises(UnsafePathError):
        find_inside(tmp_path / "root", "link/x")


@pytest.mark.clause("PKG-11")
def test_a_name_is_found_in_either_composition_of_its_accents(tmp_path: Path) -> None:
    apart = unicodedata.normalize("NFD", "façade/é.txt")
    (tmp_path / apart).parent.mkdir()
    (tmp_path / apart).write_text("found")
    assert find_inside(tmp_path, "façade/é.txt").read_text() == "found"
    assert find_inside(tmp_path, apart).read_text() == "found"


def test_names_are_the_same_whatever_their_case_and_composition() -> None:
    assert same_name("É") == same_name("e\u0301")
    assert same_name("Straße") == same_name("STRASSE")
    assert same_name("a") != same_name("b")
