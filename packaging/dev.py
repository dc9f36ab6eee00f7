#!/usr/bin/env python3
"""Run, test or check Character Studio from a checkout; needs Python 3.11 and nothing else.

    python3 packaging/dev.py run              open the Studio on the sample character
    python3 packaging/dev.py test [args]      run the whole suite without a display
    python3 packaging/dev.py check            run the linter, the type checker and the import rules

Each makes `.venv`, installs what is needed, and is quick when nothing has changed since. On Linux
Qt needs some system libraries: missing ones are named, and `--system` installs them on Debian and
its relatives. Further arguments go to the Studio or to pytest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List  # noqa: UP035

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "studio-stamp.json"

# What the Qt wheels take from the system, with the Debian package that holds it.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libzstd.so.1": "libzstd1",
}
# What it takes besides to show a window on a desktop.
WAYLAND_LIBRARIES = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
X11_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
FONTS = ("fonts-dejavu-core", "fonts-inter", "fonts-jetbrains-mono")

# Runs in the virtual environment: which of the named libraries do not load, what Qt says when it
# is imported, and whether it finds any font.
PROBE = """
import ctypes, json, sys
found = {"missing": [], "error": "", "fonts": True}
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError:
        found["missing"].append(name)
if not found["missing"]:
    try:
        from PySide6.QtGui import QFontDatabase, QGuiApplication
        from PySide6 import QtSvg, QtWidgets
        app = QGuiApplication(["probe"])
        found["fonts"] = bool(QFontDatabase.families())
    except ImportError as error:
        found["error"] = str(error)
print(json.dumps(found))
"""

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("mypy", "packaging/dev.py"),
    ("lint-imports",),
)


Stamp = Dict[str, List[str]]  # noqa: UP006  (this line must also load in older Pythons)


class SetupError(Exception):
    """The checkout cannot be made ready; the text says what to do."""


def main(argv: list[str]) -> int:
    """Do what the words ask for; return the exit code: 2 when they are off."""
    commands = {"run": run, "test": test, "check": check}
    if argv[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if not argv or argv[0] not in commands:
        print(f"usage: dev.py {{{','.join(commands)}}} [--system] [arguments]", file=sys.stderr)
        return 2
    rest = [word for word in argv[1:] if word != "--system"]
    try:
        require_python(sys.version_info[:2])
        return commands[argv[0]](rest, system="--system" in argv)
    except SetupError as error:
        print(f"dev.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run(arguments: list[str], *, system: bool) -> int:
    """Open the Studio; without a project among the arguments, on the sample character."""
    prepare((), {**QT_LIBRARIES, **desktop_libraries()}, system=system)
    return call("-m", "studio_qt", "--sample", *arguments)


def test(arguments: list[str], *, system: bool) -> int:
    """Run the suite, on every core unless the arguments say what to run."""
    prepare(("test",), QT_LIBRARIES, system=system)
    spread = () if arguments else ("-n", str(cores() + 1), "--dist", "worksteal")
    return call("-m", "pytest", *spread, *arguments, QT_QPA_PLATFORM="offscreen")


def check(arguments: list[str], *, system: bool) -> int:  # noqa: ARG001  (as the others)
    """Run every check that is not a test; the exit code is that of the first that fails."""
    install(("test",))
    scripts = venv_python().parent
    codes = []
    for tool, *words in CHECKS:
        print(f"$ {tool} {' '.join(words)}".rstrip(), flush=True)
        codes.append(subprocess.call([str(scripts / tool), *words], cwd=ROOT, env=clean_env()))
    return next(filter(None, codes), 0)


def cores() -> int:
    """Return how many cores there are for us; tests that wait leave room for one more worker."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def desktop_libraries() -> dict[str, str]:
    """Return what a window needs on this desktop; nothing where a Qt platform is chosen."""
    if "QT_QPA_PLATFORM" in os.environ:
        return {}
    if "WAYLAND_DISPLAY" in os.environ:
        return WAYLAND_LIBRARIES
    return X11_LIBRARIES if "DISPLAY" in os.environ else {}


def require_python(version: tuple[int, ...]) -> None:
    """Raise SetupError when this Python is too old for the product."""
    if version < OLDEST:
        raise SetupError(
            "Character Studio needs Python {}.{} or newer; this is {}.{}. Call this script with "
            "a newer one, for example python3.12 packaging/dev.py".format(*OLDEST, *version)
        )


def prepare(extras: tuple[str, ...], libraries: dict[str, str], *, system: bool) -> None:
    """Make the environment and see that Qt finds its system libraries, once for each state."""
    install(extras)
    if not sys.platform.startswith("linux"):
        return
    stamp = read_stamp()
    seen = set(stamp.get("libraries", []))
    if seen.issuperset(libraries):
        return
    packages = missing_packages(libraries)
    for _ in range(2):  # fonts can be looked for only when the libraries are there
        if packages:
            get_packages(packages, system=system)
            packages = missing_packages(libraries)
    if packages:
        raise SetupError(f"still missing after the installation: {' '.join(packages)}")
    write_stamp({**stamp, "libraries": sorted(seen.union(libraries))})


def install(extras: tuple[str, ...]) -> None:
    """Make `.venv` and install the project into it, unless the stamp says that it is done."""
    stamp = read_stamp()
    state = fingerprint()
    if stamp.get("state") != [state]:
        stamp = {"state": [state]}
        make_venv()
    have = set(stamp.get("extras", []))
    if "extras" in stamp and have.issuperset(extras):
        return
    print("Installing what Character Studio needs into .venv; this happens once.", flush=True)
    wanted = sorted(have.union(extras))
    target = f"{ROOT}[{','.join(wanted)}]" if wanted else str(ROOT)
    if call("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", target):
        raise SetupError("pip could not install the project; its message is above. Try again.")
    write_stamp({**stamp, "extras": wanted})


def make_venv() -> None:
    """Make `.venv` anew unless a working one of this Python version is there."""
    if venv_python().exists():
        probe = [str(venv_python()), "-c", "import sys, pip; print(sys.version_info[:2])"]
        said = subprocess.run(probe, capture_output=True, text=True, check=False, env=clean_env())
        if said.stdout.strip() == str(sys.version_info[:2]):
            return
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        print(made.stdout + made.stderr, file=sys.stderr)
        raise SetupError(
            "the virtual environment could not be made. On Debian and its relatives install it "
            "with: apt-get install python3-venv"
        )


def missing_packages(libraries: dict[str, str]) -> list[str]:
    """Return the Debian packages that Qt still needs; raises SetupError for anything else."""
    said = subprocess.run(
        [str(venv_python()), "-c", PROBE, *libraries],
        capture_output=True,
        text=True,
        check=False,
        env={**clean_env(), "QT_QPA_PLATFORM": "offscreen"},
    )
    try:
        found = json.loads(said.stdout)
    except ValueError:
        raise SetupError(f"Qt could not be tried out: {said.stderr.strip()}") from None
    if found["error"]:
        raise SetupError(f"Qt cannot be imported: {found['error']}")
    packages = {libraries[name] for name in found["missing"]}
    return sorted(packages if found["fonts"] else packages.union(FONTS))


def get_packages(packages: list[str], *, system: bool) -> None:
    """Install Debian packages, or raise SetupError with the command that does."""
    apt = shutil.which("apt-get")
    root = [] if os.geteuid() == 0 else ["sudo"]
    command = " ".join([*root, "apt-get install --no-install-recommends", *packages])
    if apt is None:
        raise SetupError(
            "Qt needs system libraries that are missing. Install what your system calls these "
            f"Debian packages: {' '.join(packages)}"
        )
    if not system:
        raise SetupError(
            f"Qt needs system libraries that are missing. Install them with: {command}\n"
            "or say it again with --system."
        )
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.call([*root, apt, "update", "-qq"], env=env)
    words = [*root, apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    if subprocess.call(words, env=env):
        raise SetupError(f"apt-get failed; its message is above. Try: {command}")


def fingerprint() -> str:
    """Return what an installation depends on: the place, the Python, and what is declared."""
    parts = (str(ROOT), sys.version, (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp() -> Stamp:
    """Return what has been made ready before; {} when nothing, or when the stamp is broken."""
    with contextlib.suppress(OSError, ValueError):
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
        if isinstance(stamp, dict) and venv_python().exists():
            return stamp
    return {}


def write_stamp(stamp: Stamp) -> None:
    """Remember what is ready."""
    STAMP.write_text(json.dumps(stamp, indent=1), encoding="utf-8")


def venv_python() -> Path:
    """Return the interpreter of `.venv`, whether it exists or not."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def clean_env() -> dict[str, str]:
    """Return the environment without what would lead Python out of `.venv`, or slow it down.

    Images of containers often forbid bytecode; then each of the many processes that the suite
    starts would compile the product anew.
    """
    leads = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    slows = ("PYTHONDONTWRITEBYTECODE",)
    return {name: value for name, value in os.environ.items() if name not in leads + slows}


def call(*words: str, **env: str) -> int:
    """Run the interpreter of `.venv` in the checkout and return its exit code."""
    return subprocess.call([str(venv_python()), *words], cwd=ROOT, env={**clean_env(), **env})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
