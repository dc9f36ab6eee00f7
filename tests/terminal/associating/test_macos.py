"""The application for macOS: what it says of itself, and what it starts."""

from __future__ import annotations

import os
import plistlib
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from studio_qt import __version__
from studio_qt.errors import StudioError
from studio_qt.terminal.associating.ledger import Ledger
from studio_qt.terminal.associating.macos import APPLICATION, information, install, uninstall

pytestmark = pytest.mark.clause("STU-11")

COMMAND = ("/opt/a b/it's/python3", "-P", "-m", "studio_qt")


def test_cards_are_its_own_and_zips_an_alternative() -> None:
    said = plistlib.loads(information())
    own, others = said["CFBundleDocumentTypes"]
    assert own["LSHandlerRank"] == "Owner"
    assert others["LSHandlerRank"] == "Alternate"
    assert "public.zip-archive" in others["LSItemContentTypes"]
    (exported,) = said["UTExportedTypeDeclarations"]
    assert own["LSItemContentTypes"] == [exported["UTTypeIdentifier"]]
    assert exported["UTTypeTagSpecification"]["public.filename-extension"] == ["charx"]
    assert said["CFBundleShortVersionString"] == __version__
    assert (said["CFBundleExecutable"], said["CFBundlePackageType"]) == ("studio-qt", "APPL")


@pytest.mark.skipif(os.name != "posix", reason="a shell starts it")
def test_it_starts_the_command_with_what_it_is_given(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s a "folder" of $HOME'
    folder.mkdir()
    program = folder / "show"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    install(Ledger(tmp_path / "home"), (str(program), "-m", "two words"), tmp_path)
    starts = tmp_path / APPLICATION / "Contents/MacOS/studio-qt"
    done = subprocess.run([starts, "a b.zip"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["-m", "two words", "a b.zip"]


def test_its_icon_has_pictures_of_each_size(tmp_path: Path) -> None:
    install(Ledger(tmp_path / "home"), COMMAND, tmp_path)
    data = (tmp_path / APPLICATION / "Contents/Resources/studio-qt.icns").read_bytes()
    kind, length = struct.unpack(">4sI", data[:8])
    assert (kind, length) == (b"icns", len(data))
    at, kinds = 8, []
    while at < len(data):
        name, size = struct.unpack(">4sI", data[at : at + 8])
        assert data[at + 8 : at + 12] == b"\x89PNG"
        kinds.append(name)
        at += size
    assert {b"ic07", b"ic08", b"ic09"} <= set(kinds)


@pytest.mark.skipif(sys.platform == "darwin", reason="it would really be registered")
def test_it_is_made_again_and_removed_whole_and_never_over_another(tmp_path: Path) -> None:
    home, applications = tmp_path / "home", tmp_path / "Applications"
    told = install(Ledger.read(home), COMMAND, applications)
    assert "opens files that end in .charx" in told[0]
    assert "macOS learns of it" in told[-1]  # there is no Launch Services here
    install(Ledger.read(home), ("/elsewhere/studio-qt",), applications)
    assert uninstall(Ledger.read(home), applications) == []
    assert not applications.exists()
    (applications / APPLICATION / "Contents").mkdir(parents=True)
    (applications / APPLICATION / "Contents/Info.plist").write_text("of somebody")
    with pytest.raises(StudioError, match="is there already"):
        install(Ledger.read(home), COMMAND, applications)
    assert not (applications / APPLICATION / "Contents/MacOS").exists()
