#!/usr/bin/env python3
"""Check that every dependency of the program can be installed as a wheel where it is to run.

    python packaging/check_wheels.py             a table; exit code 1 when a wheel is missing
    python packaging/check_wheels.py --markdown  the same as rows for the handbook

pip resolves the dependencies, with all that they bring, for each system and each Python, as if it
ran there; nothing is installed. What has no wheel must stand in EXCEPTIONS with the reason. It
needs `packaging`, which the extra `test` brings.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12")

# The tags that pip on such a system would take, the best first. PySide6 asks for glibc 2.39 on
# arm64; 2.28 is what it asks for on x86-64.
_OLD = ("2_31", "2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")
_NEW = ("2_39", "2_38", "2_35", "2_34", *_OLD)
_MACS = tuple(str(version) for version in range(15, 10, -1))
PLATFORMS: Mapping[str, tuple[str, ...]] = {
    "Linux x86-64": (
        *(f"manylinux_{glibc}_x86_64" for glibc in _NEW),
        *("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"),
    ),
    "Linux arm64": (*(f"manylinux_{glibc}_aarch64" for glibc in _NEW), "manylinux2014_aarch64"),
    "macOS arm64": (
        *(f"macosx_{mac}_0_{arch}" for mac in _MACS for arch in ("arm64", "universal2")),
        *("macosx_10_13_universal2", "macosx_10_9_universal2"),
    ),
    "Windows x64": ("win_amd64",),
}
_MARKERS: Mapping[str, Mapping[str, str]] = {
    "Linux x86-64": {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
    },
    "Linux arm64": {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "aarch64",
    },
    "macOS arm64": {
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "platform_machine": "arm64",
    },
    "Windows x64": {
        "sys_platform": "win32",
        "platform_system": "Windows",
        "platform_machine": "AMD64",
    },
}

# What is of no use without its native part; some have a wheel "for any system" that lacks it.
NATIVE = {"PySide6-Essentials", "resiliparse", "msgspec", "quickjs-ng", "lupa", "wasmtime"}

# Dependency and platform, with the reason why no wheel is needed there.
EXCEPTIONS: Mapping[tuple[str, str], str] = {}


Versions = dict[str, str | None]


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 when something has no wheel where it needs one."""
    wanted = requirements()
    places = [(place, python) for place in PLATFORMS for python in PYTHONS]
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(places, pool.map(lambda at: look(wanted, *at), places), strict=True))
    missing: list[str] = []
    direct = list(dict.fromkeys(need.name for need in wanted))
    brought = sorted({name for versions in found.values() for name in versions} - set(direct))
    rows = {
        name: [cell(found, name, place, missing) for place in PLATFORMS]
        for name in (*direct, *brought)
    }
    print(table(rows, markdown="--markdown" in arguments))
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing else 0


def requirements() -> list[Requirement]:
    """Return the dependencies of the program; one that is pinned by Python stands there twice."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(text) for text in project["dependencies"]]


def look(wanted: Sequence[Requirement], place: str, python: str) -> Versions:
    """Return what pip would take there, with what the dependencies bring; None has no wheel."""
    surroundings = {
        **_MARKERS[place],
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    needs = [need for need in wanted if need.marker is None or need.marker.evaluate(surroundings)]
    whole = resolve(needs, place, python)
    if whole is not None:
        return whole
    each: Versions = {}
    for need in needs:
        each |= resolve([need], place, python) or {need.name: None}
    return each


def resolve(needs: Sequence[Requirement], place: str, python: str) -> Versions | None:
    """Return names and versions that pip would install, None when it finds no way."""
    tags = [word for tag in PLATFORMS[place] for word in ("--platform", tag)]
    command = [
        *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"),
        *("--report", "-", "--target", str(ROOT), "--only-binary", ":all:"),
        *("--disable-pip-version-check", "--python-version", python, "--implementation", "cp"),
        *(*tags, *(f"{need.name}{need.specifier}" for need in needs)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    names = {canonicalize_name(need.name): need.name for need in needs}
    taken: Versions = {}
    for item in json.loads(done.stdout)["install"]:
        told = item["metadata"]
        name = names.get(canonicalize_name(told["name"]), told["name"])
        empty = name in NATIVE and item["download_info"]["url"].endswith("-none-any.whl")
        taken[name] = None if empty else told["version"]
    return taken


def cell(
    found: Mapping[tuple[str, str], Versions], name: str, place: str, missing: list[str]
) -> str:
    """Return what the table says of a dependency on a system; gaps are added to `missing`."""
    there = {python: versions for (at, python), versions in found.items() if at == place}
    gaps = [python for python, versions in there.items() if versions.get(name, "") is None]
    if not gaps:
        taken = [str(versions[name]) for versions in there.values() if name in versions]
        return ", ".join(dict.fromkeys(taken)) or "not needed"
    if reason := EXCEPTIONS.get((name, place)):
        return f"none: {reason}"
    missing.append(f"{name} has no wheel for {place} on Python {' and '.join(gaps)}.")
    return "MISSING"


def table(rows: Mapping[str, Sequence[str]], *, markdown: bool) -> str:
    """Return the rows as text in columns, or as Markdown."""
    lines = [["library", *PLATFORMS], *([name, *cells] for name, cells in rows.items())]
    if markdown:
        lines.insert(1, ["---"] * len(lines[0]))
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
