"""A desktop in a temporary folder, with an archive program of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio_qt.settings import home_folder
from studio_qt.terminal.associating import linux
from studio_qt.terminal.associating.defaults import Chosen, Folders, chosen
from studio_qt.terminal.associating.ledger import Ledger

__all__ = ["COMMAND", "Desktop"]

COMMAND = ("/opt/studio/bin/studio-qt",)


@dataclass(frozen=True, slots=True)
class Desktop:
    """The folders of one user and of the system, below one folder."""

    folders: Folders

    @property
    def environment(self) -> dict[str, str]:
        """What programs need to look there."""
        one = self.folders
        return {
            **os.environ,
            "XDG_DATA_HOME": str(one.data),
            "XDG_CONFIG_HOME": str(one.config),
            "XDG_DATA_DIRS": f"{one.system_data[0]}:/usr/share",
            "XDG_CONFIG_DIRS": str(one.system_config[0]),
        }

    def program(self, name: str, kinds: Sequence[str], *, folder: Path | None = None) -> Path:
        """Install a program that opens types, for all users unless a folder is given."""
        where = folder or self.folders.entries[1]
        where.mkdir(parents=True, exist_ok=True)
        entry = where / name
        entry.write_text(
            f"[Desktop Entry]\nType=Application\nName={name}\nExec=true %f\n"
            f"MimeType={';'.join(kinds)};\n"
        )
        cache = where / "mimeinfo.cache"
        lines = cache.read_text().splitlines() if cache.exists() else ["[MIME Cache]"]
        for kind in kinds:
            before = next((one for one in lines if one.startswith(f"{kind}=")), f"{kind}=")
            lines = [one for one in lines if one != before] + [f"{before}{name};"]
        cache.write_text("\n".join(lines) + "\n")
        return entry

    def say(self, text: str) -> Path:
        """Write the user's list of choices."""
        self.choices.parent.mkdir(parents=True, exist_ok=True)
        self.choices.write_text(text)
        return self.choices

    @property
    def choices(self) -> Path:
        """The user's list of choices."""
        return self.folders.config / "mimeapps.list"

    def install(self, command: Sequence[str] = COMMAND) -> list[str]:
        """Associate, as the command does."""
        return linux.install(Ledger.read(home_folder()), command, self.folders)

    def uninstall(self) -> list[str]:
        """Take it back."""
        return linux.uninstall(Ledger.read(home_folder()), self.folders)

    def opens(self, kind: str) -> Chosen | None:
        """What opens a type."""
        return chosen(self.folders, kind, without="")

    def asked(self, *words: str) -> str:
        """Ask a tool of the desktop."""
        if shutil.which(words[0]) is None:
            pytest.skip(f"{words[0]} is not there")
        done = subprocess.run(
            words, check=False, capture_output=True, text=True, env=self.environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def all_files(self) -> dict[str, bytes]:
        """Every file that the user has, but for what the tools of the desktop make."""
        made = ("mimeinfo.cache", "mime.cache")
        return {
            str(one): one.read_bytes()
            for top in (self.folders.data, self.folders.config)
            for one in top.rglob("*")
            if one.is_file()
            and one.name not in made
            and one.parent.name != "mime"
            and one.parent.parent.name != "mime"
        }


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """The desktop; the tools that a test starts by a command look there too."""
    top = tmp_path / "desktop"
    made = Desktop(
        Folders(
            top / "share",
            top / "config",
            (top / "usr",),
            (top / "etc",),
            ("gnome",),
        )
    )
    for name, value in made.environment.items():
        if name.startswith("XDG_"):
            monkeypatch.setenv(name, value)
    return made
