"""The official TypeScript compiler, which the package `dukpy` carries as a file.

Only that file is used: nothing of the package is imported, so its native code never runs.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["DRIVER", "CompilerMissingError", "find_compiler", "fingerprint"]

DRIVER = Path(__file__).parent / "workers" / "typescript.js"
"""Our script that calls the compiler; it holds the options."""

_PACKAGE = "dukpy"
_FILE = Path("jsmodules", "typescriptServices.js")
_VERSION = re.compile(rb'^var version = "([^"]+)";', re.MULTILINE)
_OLDEST = 5  # dukpy before 0.6 carries 1.8, which does not know the language of today


class CompilerMissingError(Exception):
    """There is no compiler here that can be used; the text says why."""


def find_compiler() -> Path:
    """Return the path of the compiler; raises CompilerMissingError."""
    spec = find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (path := Path(folder) / _FILE).is_file():
            return path
    raise CompilerMissingError(
        f"the TypeScript compiler is missing: install the package {_PACKAGE}"
    )


def fingerprint() -> str:
    """Return what names compiler and options: other output means another fingerprint.

    Reads the compiler's file (9 MB) once. Raises CompilerMissingError and OSError.
    """
    path = find_compiler()
    stamp = path.stat()
    version = _version(path, stamp.st_mtime_ns, stamp.st_size)
    if int(version.partition(".")[0]) < _OLDEST:
        raise CompilerMissingError(
            f"the TypeScript compiler {version} is too old: install a newer {_PACKAGE}"
        )
    return f"{version} {hashlib.sha256(DRIVER.read_bytes()).hexdigest()}"


@lru_cache(maxsize=1)
def _version(path: Path, *_: int) -> str:
    found = _VERSION.search(path.read_bytes())
    if found is None or not found[1][:1].isdigit():
        raise CompilerMissingError(f"{path.name} of the package {_PACKAGE} tells no version")
    return found[1].decode("ascii", "replace")
