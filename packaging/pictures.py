"""Takes the pictures of the window: every screen, light and dark, at 100 and 200 %.

    python packaging/pictures.py                     all, to build/pictures, and the handbook's
    python packaging/pictures.py main start          only these
    python packaging/pictures.py --out FOLDER        there alone; the handbook stays as it is

Run it with the Python of the environment that has the test extra (`.venv`). The screens are those
of `tests/ui/look/screens.py`. They are built on real windows without a display, with Rehearsal,
fixed times and the fonts Inter and JetBrains Mono, so that two runs make the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
HANDBOOK = ROOT / "resources" / "handbook" / "images"
MOST_KB = 200
"""What a picture in the handbook may weigh: the wheel carries it."""

_FOREIGN = ("STUDIO_", "QT_", "OPENAI_")
_FIXED = {
    "QT_QPA_PLATFORM": "offscreen",
    "QT_API": "pyside6",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures; returns 1 when one could not be taken or is too large."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="screens; all without any")
    parser.add_argument("--out", type=Path, help="a folder for all pictures")
    parser.add_argument(
        "--scales", nargs="+", type=int, default=[100, 200], help="percent; 100 and 200"
    )
    options = parser.parse_args(arguments)
    out = (options.out or ROOT / "build" / "pictures").resolve()
    out.mkdir(parents=True, exist_ok=True)
    taken = {scale: _take(options.names, scale, out) for scale in options.scales}
    for names in taken.values():
        for name in names:
            print(f"{(out / name).stat().st_size // 1024:5} KB  {name}")
    return 0 if options.out is not None else _give_handbook(taken.get(100, []), out)


def _take(names: Sequence[str], scale: int, out: Path) -> list[str]:
    """Run the screens in a process at a scale, which Qt reads at its start."""
    command = [sys.executable, "-m", "tests.ui.look.showing", *names, "--out", str(out)]
    environment = {**_clean(os.environ), **_FIXED, "QT_SCALE_FACTOR": str(scale / 100)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    told: dict[str, list[str]] = json.loads(done.stdout)
    return [name for names in told.values() for name in names]


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith(_FOREIGN)}


def _give_handbook(names: Sequence[str], out: Path) -> int:
    """Copy what the handbook shows; pictures that it no longer has are left for a human."""
    HANDBOOK.mkdir(parents=True, exist_ok=True)
    heavy = 0
    for name in names:
        if not (HANDBOOK / name).exists() and not _is_shown(name):
            continue
        shutil.copyfile(out / name, HANDBOOK / name)
        kilobytes = (out / name).stat().st_size // 1024
        if kilobytes > MOST_KB:
            print(f"{name} has {kilobytes} KB; the handbook takes up to {MOST_KB}.")
            heavy = 1
    return heavy


def _is_shown(name: str) -> bool:
    """Whether a page of the handbook, or the README, names a picture."""
    pages = [ROOT / "README.md", *sorted(HANDBOOK.parent.glob("*.md"))]
    return any(name in page.read_text(encoding="utf-8") for page in pages if page.exists())


if __name__ == "__main__":
    sys.exit(main())
