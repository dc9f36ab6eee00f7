"""Windows is told by values in the registry, which are computed before one of them is put."""

from __future__ import annotations

import pytest

from studio_qt.terminal.associating.windows import (
    OFFERED,
    PROGRAM,
    Value,
    install,
    uninstall,
    values,
)

pytestmark = pytest.mark.clause("STU-11")

COMMAND = ("C:\\Program Files\\Studio\\pythonw.exe", "-P", "-m", "studio_qt")
RUNS = '"C:\\Program Files\\Studio\\pythonw.exe" -P -m studio_qt "%1"'


class Kept:
    """A registry in memory."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        self.told = 0

    def read(self, key: str, name: str) -> str | None:
        return self.texts.get((key, name))

    def write(self, value: Value) -> None:
        self.texts[value.key, value.name] = value.text

    def remove(self, key: str, name: str) -> None:
        self.texts.pop((key, name), None)

    def remove_tree(self, key: str) -> None:
        inside = [one for one in self.texts if f"{one[0]}\\".startswith(f"{key}\\")]
        for one in inside:
            del self.texts[one]

    def changed(self) -> None:
        self.told += 1


def test_the_command_has_its_file_in_quotes_and_names_the_program() -> None:
    made = {(one.key, one.name): one.text for one in values(COMMAND, "C:\\a b\\studio-qt.ico")}
    assert made[f"{PROGRAM}\\shell\\open\\command", ""] == RUNS
    assert made["Applications\\studio-qt.exe\\shell\\open\\command", ""] == RUNS
    assert made["Applications\\studio-qt.exe", "FriendlyAppName"] == "Character Studio"
    assert made[f"{PROGRAM}\\DefaultIcon", ""] == '"C:\\a b\\studio-qt.ico",0'


def test_cards_open_with_it_and_other_types_only_offer_it() -> None:
    registry = Kept()
    told = install(registry, COMMAND)
    assert registry.texts[".charx", ""] == PROGRAM
    for ending in OFFERED:
        assert (ending, "") not in registry.texts
        assert registry.texts[f"{ending}\\OpenWithProgids", PROGRAM] == ""
    assert told[0] == "Files that end in .charx open in Character Studio."
    assert registry.told == 1


def test_a_program_that_has_the_type_keeps_it() -> None:
    registry = Kept()
    registry.texts[".charx", ""] = "Other.Cards"
    told = install(registry, COMMAND)
    assert registry.texts[".charx", ""] == "Other.Cards"
    assert registry.texts[".charx\\OpenWithProgids", PROGRAM] == ""
    assert "stay with the program that opens them now" in told[0]


def test_twice_is_once_and_removal_leaves_what_others_have_put_there() -> None:
    registry = Kept()
    registry.texts[".zip", ""] = "CompressedFolder"
    registry.texts[".zip\\OpenWithProgids", "7-Zip.zip"] = ""
    before = dict(registry.texts)
    install(registry, COMMAND)
    once = dict(registry.texts)
    install(registry, COMMAND)
    assert registry.texts == once
    uninstall(registry)
    assert registry.texts == before
    install(registry, COMMAND)
    registry.texts[".charx", ""] = "Other.Cards"
    uninstall(registry)
    assert registry.texts == {**before, (".charx", ""): "Other.Cards"}
