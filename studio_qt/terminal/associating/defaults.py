"""Which program a Linux desktop opens a type of files with, and how that is made to stay so.

After the XDG specification of MIME associations: what `mimeapps.list` says counts first; where it
says nothing, the most special folder that has a program for a type decides, which is the user's
own. A program that installs itself there would take a type from all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Chosen", "Folders", "chosen", "with_default", "without_default"]

_DEFAULTS, _ADDED, _REMOVED = "Default Applications", "Added Associations", "Removed Associations"
_CACHE = "MIME Cache"


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of the user (`data`, `config`), those of the system, and the desktops' names."""

    data: Path
    config: Path
    system_data: tuple[Path, ...]
    system_config: tuple[Path, ...]
    desktops: tuple[str, ...]

    @classmethod
    def of(cls, environment: Mapping[str, str], home: Path) -> Folders:
        """Return those of an environment; a path that is not absolute does not count."""

        def folders(name: str, usual: str) -> tuple[Path, ...]:
            listed = (environment.get(name) or usual).split(":")
            return tuple(Path(one) for one in listed if one.startswith("/"))

        data = folders("XDG_DATA_HOME", str(home / ".local/share"))
        config = folders("XDG_CONFIG_HOME", str(home / ".config"))
        desktops = environment.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
        return cls(
            data[0] if data else home / ".local/share",
            config[0] if config else home / ".config",
            folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
            folders("XDG_CONFIG_DIRS", "/etc/xdg"),
            tuple(one for one in desktops if one),
        )

    @property
    def entries(self) -> tuple[Path, ...]:
        """Where programs are described, the folder that counts most first."""
        return tuple(one / "applications" for one in (self.data, *self.system_data))

    @property
    def lists(self) -> Iterator[Path]:
        """The files of choices, the one that counts most first; some are not there."""
        for folder in (self.config, *self.system_config, *self.entries):
            yield from (folder / f"{one}-mimeapps.list" for one in self.desktops)
            yield folder / "mimeapps.list"
        yield from (folder / "defaults.list" for folder in self.entries[1:])


@dataclass(frozen=True, slots=True)
class Chosen:
    """The desktop entry that opens a type; `explicit` when somebody has said so."""

    program: str
    explicit: bool


def chosen(folders: Folders, kind: str, *, without: str) -> Chosen | None:
    """Return what opens a type, as if the program `without` had not put itself among others."""
    lists = [_read(place) for place in folders.lists]
    for listed in lists:
        for program in listed.get(_DEFAULTS, {}).get(kind, ()):
            if _is_there(folders, program):
                return Chosen(program, explicit=True)
    removed = {one for listed in lists for one in listed.get(_REMOVED, {}).get(kind, ())}
    for program in _candidates(folders, lists, kind):
        if program not in removed | {without} and _is_there(folders, program):
            return Chosen(program, explicit=False)
    return None


def with_default(text: str, kind: str, program: str) -> str:
    """Return a `mimeapps.list` that says by which program a type is opened."""
    lines = text.splitlines()
    head = f"[{_DEFAULTS}]"
    if head not in lines:
        lines += ([""] if lines and lines[-1] else []) + [head]
    at = lines.index(head)
    lines.insert(at + 1, f"{kind}={program};")
    return "\n".join(lines) + "\n"


def without_default(text: str, kind: str, program: str) -> str:
    """Return a `mimeapps.list` without what `with_default` has put in, where that still stands."""
    line, section, kept = f"{kind}={program};", "", []
    for one in text.splitlines():
        if one.startswith("["):
            section = one
        if one.rstrip(";") != line.rstrip(";") or section != f"[{_DEFAULTS}]":
            kept.append(one)
    return "\n".join(kept) + "\n" if kept else ""


def _candidates(
    folders: Folders, lists: list[dict[str, dict[str, tuple[str, ...]]]], kind: str
) -> Iterator[str]:
    for listed in lists:
        yield from listed.get(_ADDED, {}).get(kind, ())
    for folder in folders.entries:
        yield from _read(folder / "mimeinfo.cache").get(_CACHE, {}).get(kind, ())


def _is_there(folders: Folders, program: str) -> bool:
    """Whether a program is described; `kde-x.desktop` may lie at `kde/x.desktop`."""
    names = {program, program.replace("-", "/", 1)}
    return any((folder / name).is_file() for folder in folders.entries for name in names)


def _read(place: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the lists of programs in a file, by section and type."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    section: dict[str, tuple[str, ...]] = {}
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found  # it is not there, or not ours to read
    for line in lines:
        name, has_value, value = line.partition("=")
        if line.startswith("[") and line.rstrip().endswith("]"):
            section = found.setdefault(line.strip()[1:-1], {})
        elif has_value and not line.startswith("#"):
            programs = tuple(one.strip() for one in value.split(";") if one.strip())
            section.setdefault(name.strip(), programs)
    return found
