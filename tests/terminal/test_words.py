"""Which words the command line takes, and how it ends on others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminal.conftest import Studio


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("play",), "PACKAGE"),
        (("play", "x", "--api-key", "k"), "--api-key"),
        (("call", "x", "count", "{by: 1}"), "not a JSON object"),
        (("call", "x", "count", "[1]"), "not a JSON object"),
        (("new", "x", "--template", "nosuch"), "lantern-keeper"),
        (("--no-such-option",), "--no-such-option"),
    ],
)
def test_words_that_are_off_end_with_2_and_one_line(
    studio: Studio, words: tuple[str, ...], complaint: str
) -> None:
    done = studio(*words)
    assert (done.code, done.out) == (2, "")
    assert complaint in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("play", "nosuch"),
        ("validate", "nosuch"),
        ("call", "nosuch", "t", "{}"),
        ("nosuch",),
        ("nosuch" * 99,),
    ],
)
def test_a_package_that_is_not_there_ends_with_1_and_one_line(
    studio: Studio, words: tuple[str, ...]
) -> None:
    done = studio(*words)
    assert (done.code, done.out) == (1, "")
    assert "nosuch" in done.err
    assert len(done.err.splitlines()) == 1


def test_debug_adds_the_traceback_wherever_it_stands(studio: Studio) -> None:
    for words in (("--debug", "validate", "nosuch"), ("validate", "nosuch", "--debug")):
        done = studio(*words)
        assert done.code == 1
        assert done.err.startswith("Traceback")
        assert done.err.splitlines()[-1].startswith("studio-qt: ")


def test_without_a_display_the_window_says_so(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    done = studio()
    assert done.code == 1
    assert "no display" in done.err


def test_help_names_every_command(studio: Studio) -> None:
    done = studio("--help")
    assert done.code == 0
    for word in ("play", "new", "validate", "call", "--screenshot", "--debug"):
        assert word in done.out


def test_a_folder_named_as_a_command_is_opened_by_its_path(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "play").mkdir()
    (tmp_path / "play" / "config.json").write_text("{", encoding="utf-8")
    done = studio("validate", "play")
    assert done.code == 1
    assert "config.json" in done.err


def test_a_fault_of_the_program_is_one_line_and_whole_in_the_log(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "import studio_qt.resources as r\nr.resource_names = lambda folder: 1 / 0\n"
    (tmp_path / "sitecustomize.py").write_text(broken, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = studio("new", "x")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert "ZeroDivisionError" in done.err
    log = Path(os.environ["STUDIO_QT_HOME"]) / "logs" / "studio-qt.log"
    assert str(log) in done.err
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert "Traceback" in studio("new", "x", "--debug").err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_finds_no_room_is_told_and_is_no_fault_of_the_program(counter: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        words = [sys.executable, "-m", "studio_qt", "validate", str(counter)]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="closes a stream by the shell")
def test_a_command_without_an_output_does_its_work(counter: Path) -> None:
    call = f"'{sys.executable}' -m studio_qt validate '{counter}' >&-"
    done = subprocess.run(call, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
