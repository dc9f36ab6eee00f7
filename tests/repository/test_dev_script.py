"""`packaging/dev.py`: what it decides, without making an environment."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "dev.py"


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, with a checkout of its own in `tmp_path`."""
    spec = importlib.util.spec_from_file_location("dev", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "pyproject.toml").write_text("[project]", encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "studio-stamp.json")
    return module


@pytest.fixture
def calls(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What would be run in the environment; a fake interpreter stands there."""
    made: list[tuple[str, ...]] = []

    def make_venv() -> None:
        made.append(("venv",))
        dev.venv_python().parent.mkdir(parents=True, exist_ok=True)
        dev.venv_python().touch()

    monkeypatch.setattr(dev, "make_venv", make_venv)
    monkeypatch.setattr(dev, "call", lambda *words, **env: made.append(words) or 0)
    monkeypatch.setattr(dev, "missing_packages", lambda libraries: [])
    return made


@pytest.mark.parametrize("words", [(), ("nonsense",), ("--system",)])
def test_words_that_it_does_not_know_end_with_2(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"run,test,check" in done.stderr


def test_an_old_python_is_told_so(dev: ModuleType, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert dev.main(["run"]) == 1
    assert "3.11 or newer; this is 3.10" in capsys.readouterr().err


def test_the_second_time_nothing_is_installed(dev: ModuleType, calls: list) -> None:
    assert dev.main(["test", "-k", "x"]) == 0
    installs = [words for words in calls if "pip" in words]
    assert installs[0][-1].endswith("[test]")
    calls.clear()
    dev.main(["test", "-k", "x"])
    dev.main(["run", "--screenshot", "x.png"])
    assert calls == [
        ("-m", "pytest", "-k", "x"),
        ("-m", "studio_qt", "--sample", "--screenshot", "x.png"),
    ]


def test_a_changed_pyproject_installs_again(dev: ModuleType, calls: list, tmp_path: Path) -> None:
    dev.main(["run"])
    calls.clear()
    (tmp_path / "pyproject.toml").write_text("[project]\n# more", encoding="utf-8")
    dev.main(["run"])
    assert any("pip" in words for words in calls)


def test_the_whole_suite_is_spread_over_the_cores(
    dev: ModuleType, calls: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "cores", lambda: 2)
    dev.main(["test"])
    assert calls[-1] == ("-m", "pytest", "-n", "3", "--dist", "worksteal")


def test_what_is_compiled_once_is_kept_for_the_next_process(dev: ModuleType, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in dev.clean_env()


def test_a_broken_stamp_counts_as_none(dev: ModuleType, calls: list) -> None:
    dev.main(["run"])
    dev.STAMP.write_text('["half', encoding="utf-8")
    calls.clear()
    dev.main(["run"])
    assert ("venv",) in calls


def test_a_failed_installation_is_tried_again(dev: ModuleType, calls: list, monkeypatch) -> None:
    monkeypatch.setattr(dev, "call", lambda *words, **env: 1)
    assert dev.main(["run"]) == 1
    assert not dev.STAMP.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="system libraries of Linux")
def test_missing_libraries_are_named_with_the_command_that_installs_them(
    dev: ModuleType, calls: list, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(dev, "missing_packages", lambda libraries: ["libegl1", "libgl1"])
    monkeypatch.setattr(dev.shutil, "which", lambda name: "/usr/bin/apt-get")
    assert dev.main(["test"]) == 1
    said = capsys.readouterr().err
    assert "apt-get install --no-install-recommends libegl1 libgl1\n" in said
    assert "--system" in said


def test_system_libraries_are_installed_when_that_is_asked_for(
    dev: ModuleType, calls: list, monkeypatch
) -> None:
    found = iter([["libegl1"], ["fonts-dejavu-core"], []])
    installed: list[list[str]] = []
    monkeypatch.setattr(dev, "missing_packages", lambda libraries: next(found))
    monkeypatch.setattr(
        dev, "get_packages", lambda packages, system: installed.append((packages, system))
    )
    assert dev.main(["test", "--system", "-k", "x"]) == 0
    assert installed == [(["libegl1"], True), (["fonts-dejavu-core"], True)]
    assert calls[-1] == ("-m", "pytest", "-k", "x")


def test_the_probe_tells_which_libraries_do_not_load(dev: ModuleType, monkeypatch) -> None:
    monkeypatch.setattr(dev, "venv_python", lambda: Path(sys.executable))
    assert dev.missing_packages({"libnosuch.so.9": "libnosuch9"}) == ["libnosuch9"]
    assert dev.missing_packages({}) == []


def test_the_probe_knows_every_library_that_qt_needs(dev: ModuleType) -> None:
    declared = {**dev.QT_LIBRARIES, **dev.X11_LIBRARIES, **dev.WAYLAND_LIBRARIES}
    assert all(name.startswith("lib") and ".so." in name for name in declared)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(package in script for package in dev.QT_LIBRARIES.values())


def test_the_stamp_is_plain_json(dev: ModuleType, calls: list) -> None:
    dev.main(["run"])
    assert json.loads(dev.STAMP.read_text(encoding="utf-8"))["extras"] == []
