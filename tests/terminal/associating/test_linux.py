"""A Linux desktop opens cards with the Studio, and everything else as before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from studio_qt.errors import StudioError
from studio_qt.settings import home_folder
from studio_qt.terminal.associating.defaults import Chosen, Folders, with_default, without_default
from studio_qt.terminal.associating.entry import exec_line, exec_words, with_values
from studio_qt.terminal.associating.launching import launcher
from studio_qt.terminal.associating.linux import parts
from tests.terminal.associating.conftest import COMMAND, Desktop
from tests.ui.incoming.parcels import FILES, packed

pytestmark = [
    pytest.mark.clause("STU-11"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="files of Linux desktops"),
]

CHARX, ZIP, PNG = "application/x-charx", "application/zip", "image/png"


# What is written


def test_the_entry_is_valid_and_the_card_opens_with_it(desktop: Desktop, tmp_path: Path) -> None:
    desktop.program("archiver.desktop", [ZIP])
    told = desktop.install(launcher())
    entry = desktop.folders.entries[0] / "studio-qt.desktop"
    assert desktop.asked("desktop-file-validate", str(entry)) == ""
    (tmp_path / "hanne.charx").write_bytes(b"PK\x03\x04")
    assert desktop.asked("xdg-mime", "query", "filetype", str(tmp_path / "hanne.charx")) == (
        f"{CHARX}\n"
    )
    assert "Default application for “application/x-charx”: studio-qt.desktop" in desktop.asked(
        "gio", "mime", CHARX
    )
    assert told[0] == "Files that end in .charx open in Character Studio."


def test_the_icon_comes_in_every_size(desktop: Desktop) -> None:
    icons = {
        place.parent.parent.name: part.data
        for place, part in parts(COMMAND, desktop.folders.data, ()).items()
        if place.suffix == ".png"
    }
    for size in (16, 24, 32, 48, 64, 128, 256):
        data = icons[f"{size}x{size}"]
        assert data[16:24] == size.to_bytes(4, "big") * 2  # the size in the head of a PNG


def test_a_command_with_every_awkward_letter_comes_out_as_it_went_in() -> None:
    command = ('/opt/My $tudio `x` "q" back\\slash 100%/bin/studio-qt', "-P", "-m", "it's ; & |")
    line = exec_line(command)
    assert exec_words(line, "/tmp/a b.zip") == [*command, "/tmp/a b.zip"]
    assert exec_line(COMMAND) == "/opt/studio/bin/studio-qt %f"
    assert with_values("[X]\nA=1\nAB=2\n", {"A": "3", "C": "4"}) == "[X]\nA=3\nAB=2\nC=4\n"


def test_awkward_commands_are_read_by_the_desktop_itself(desktop: Desktop, tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" $c `d`'
    folder.mkdir()
    script = folder / "show"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/got"\n')
    script.chmod(0o755)
    desktop.install((str(script), "two words, 100% \\ $x"))
    entry = desktop.folders.entries[0] / "studio-qt.desktop"
    zipped = tmp_path / "ü & kay's $HOME.zip"
    zipped.touch()
    desktop.asked(
        "gio", "launch", str(entry), str(zipped)
    )  # ends with the program, whose output it is
    assert (tmp_path / "got").read_text().splitlines() == ["two words, 100% \\ $x", str(zipped)]


def test_what_the_entry_runs_opens_the_zip_in_a_player(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.install(launcher())
    entry = (desktop.folders.entries[0] / "studio-qt.desktop").read_text()
    line = next(one for one in entry.splitlines() if one.startswith("Exec="))
    plain = {**FILES, "config.json": json.dumps({"name": "Kay"})}
    zipped = packed(tmp_path / "a zip of kay's.zip", plain)
    words = exec_words(line.removeprefix("Exec="), str(zipped))
    monkeypatch.chdir("/")  # as desktops do
    picture = tmp_path / "kay.png"
    done = subprocess.run(
        [*words, "--screenshot", str(picture)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    conversations = list(home_folder().rglob("conversation_*.json"))
    assert len(conversations) == 1  # the player has begun one


# What opens types of others


def test_a_default_that_nobody_has_said_is_kept_and_the_studio_is_offered(
    desktop: Desktop,
) -> None:
    desktop.program("archiver.desktop", [ZIP])
    assert desktop.opens(ZIP) == Chosen("archiver.desktop", explicit=False)
    told = desktop.install(launcher())
    assert desktop.opens(ZIP) == Chosen("archiver.desktop", explicit=True)
    shown = desktop.asked("gio", "mime", ZIP)
    assert "Default application for “application/zip”: archiver.desktop" in shown
    assert "studio-qt.desktop" in shown.partition("Registered applications")[2]
    assert "For .zip it is offered by “Open with”" in told[1]


def test_a_default_that_was_said_is_not_touched(desktop: Desktop) -> None:
    desktop.program("archiver.desktop", [ZIP])
    desktop.program("other.desktop", [ZIP])
    text = f"# mine\n[Default Applications]\n{ZIP}=other.desktop\n"
    choices = desktop.say(text)
    desktop.install(launcher())
    assert choices.read_text() == text
    assert "application/zip”: other.desktop" in desktop.asked("gio", "mime", ZIP)
    assert "application/x-charx”: studio-qt.desktop" in desktop.asked("gio", "mime", CHARX)


def test_a_user_who_takes_the_studio_for_zips_has_it(desktop: Desktop) -> None:
    desktop.program("archiver.desktop", [ZIP])
    desktop.install()
    desktop.say(f"[Default Applications]\n{ZIP}=studio-qt.desktop\n")
    desktop.install()
    assert desktop.opens(ZIP) == Chosen("studio-qt.desktop", explicit=True)


def test_where_nothing_opens_a_type_the_studio_does_not_take_it(desktop: Desktop) -> None:
    told = desktop.install()
    assert desktop.opens(ZIP) is None
    assert "No program opens .zip, .png and .json files here yet" in told[1]
    desktop.program("archiver.desktop", [ZIP])  # installed later
    assert desktop.opens(ZIP) == Chosen("archiver.desktop", explicit=False)
    desktop.install()
    assert desktop.opens(ZIP) == Chosen("archiver.desktop", explicit=True)


def test_choices_are_read_in_the_order_of_the_specification(desktop: Desktop) -> None:
    folders = desktop.folders
    for name in ("a.desktop", "b.desktop", "c.desktop"):
        desktop.program(name, [PNG])
    assert desktop.opens(PNG) == Chosen("a.desktop", explicit=False)
    desktop.say(f"[Added Associations]\n{PNG}=gone.desktop;b.desktop;\n")
    assert desktop.opens(PNG) == Chosen("b.desktop", explicit=False)
    desktop.say(f"[Removed Associations]\n{PNG}=a.desktop;\n")
    assert desktop.opens(PNG) == Chosen("b.desktop", explicit=False)
    (folders.entries[1] / "gnome-mimeapps.list").write_text(
        f"[Default Applications]\n{PNG}=gone.desktop;c.desktop\n"
    )
    assert desktop.opens(PNG) == Chosen("c.desktop", explicit=True)
    desktop.say(f"[Default Applications]\n{PNG}=b.desktop;\n")
    assert desktop.opens(PNG) == Chosen("b.desktop", explicit=True)


def test_folders_come_from_the_environment_where_they_are_whole(tmp_path: Path) -> None:
    said = {"XDG_DATA_HOME": "relative", "XDG_DATA_DIRS": "/a:b:/c", "XDG_CURRENT_DESKTOP": "KDE:X"}
    folders = Folders.of(said, tmp_path)
    assert folders.data == tmp_path / ".local/share"
    assert folders.config == tmp_path / ".config"
    assert folders.system_data == (Path("/a"), Path("/c"))
    assert folders.desktops == ("kde", "x")


def test_a_list_of_choices_keeps_everything_else() -> None:
    text = "# mine\n[Added Associations]\na/b=c.desktop;\n\n[Default Applications]\nx/y=z.desktop\n"
    with_one = with_default(text, ZIP, "archiver.desktop")
    assert with_one == text.replace(
        "[Default Applications]\n", f"[Default Applications]\n{ZIP}=archiver.desktop;\n"
    )
    assert without_default(with_one, ZIP, "archiver.desktop") == text
    assert without_default(with_one, ZIP, "another.desktop") == with_one
    added = f"[Added Associations]\n{ZIP}=archiver.desktop;\n"
    assert without_default(added, ZIP, "archiver.desktop") == added
    assert with_default("", ZIP, "a.desktop") == f"[Default Applications]\n{ZIP}=a.desktop;\n"


# Again, and back


def test_a_second_time_changes_nothing_and_removal_leaves_nothing(desktop: Desktop) -> None:
    desktop.program("archiver.desktop", [ZIP, PNG])
    desktop.say("[Default Applications]\nx/y=archiver.desktop;\n")
    before = desktop.all_files()
    desktop.install()
    once = desktop.all_files()
    desktop.install()
    assert desktop.all_files() == once
    assert desktop.uninstall() == []
    assert desktop.all_files() == before
    assert not (desktop.folders.data / "icons").exists()
    assert desktop.uninstall() == []


def test_a_choice_that_the_user_has_changed_since_stays(desktop: Desktop) -> None:
    desktop.program("archiver.desktop", [ZIP])
    desktop.program("other.desktop", [ZIP])
    desktop.install()
    choices = desktop.say(f"[Default Applications]\n{ZIP}=other.desktop;\n")
    desktop.uninstall()
    assert choices.read_text() == f"[Default Applications]\n{ZIP}=other.desktop;\n"


def test_files_of_others_are_never_written_over(desktop: Desktop) -> None:
    own = desktop.program("studio-qt.desktop", [ZIP], folder=desktop.folders.entries[0])
    before = desktop.all_files()
    with pytest.raises(StudioError, match=r"studio-qt\.desktop is there already"):
        desktop.install()
    assert desktop.all_files() == before
    own.unlink()
    desktop.install()
    own.write_text(own.read_text() + "# changed by hand\n")
    with pytest.raises(StudioError, match="not what this command wrote"):
        desktop.install(("/elsewhere/studio-qt",))
    assert desktop.uninstall() == [f"{own} was changed by somebody and is left."]
    assert own.exists()


def test_another_installation_takes_over(desktop: Desktop) -> None:
    desktop.install()
    desktop.install(("/elsewhere/studio-qt",))
    entry = (desktop.folders.entries[0] / "studio-qt.desktop").read_text()
    assert "Exec=/elsewhere/studio-qt %f\n" in entry
    desktop.uninstall()
    assert not desktop.all_files()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 7}', '{"files": {}, "folders": 3}'])
def test_a_damaged_memory_of_it_takes_nothing_away(desktop: Desktop, text: str) -> None:
    desktop.install()
    (home_folder() / "associated.json").write_text(text)
    desktop.install()  # the files are what would be written, so that they are ours
    desktop.uninstall()
    assert not desktop.all_files()


def test_without_the_desktops_tools_it_is_said(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    told = desktop.install()
    assert [one.split()[0] for one in told[2:]] == [
        "update-mime-database",
        "update-desktop-database",
    ]
    assert "Install desktop-file-utils." in told[-1]
