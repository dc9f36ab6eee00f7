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
_HEAD = 1 << 18  # the version stands near the beginning of 9 MB
_OLDEST = 5  # dukpy before 0.6 carries 1.8, which does not know the language of today


class CompilerMissingError(Exception):
    """There is no compiler here that can be used; the text says why."""


def find_compiler() -> tuple[Path, str]:
    """Return the path of the compiler and its version; raises CompilerMissingError."""
    spec = find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / _FILE
        try:
            stamp = path.stat()
            return path, _version(path, stamp.st_mtime_ns, stamp.st_size)
        except OSError:
            continue
    raise CompilerMissingError(
        f"the TypeScript compiler is missing: install the package {_PACKAGE}"
    )


def fingerprint() -> str:
    """Return what names compiler and options: other output means another fingerprint.

    Raises CompilerMissingError and OSError.
    """
    _, version = find_compiler()
    return f"{version} {hashlib.sha256(DRIVER.read_bytes()).hexdigest()}"


@lru_cache(maxsize=8)
def _version(path: Path, *_: int) -> str:
    with path.open("rb") as file:
        found = _VERSION.search(file.read(_HEAD))
    version = found[1].decode("ascii", "replace") if found is not None else "of unknown version"
    if not version[:1].isdigit() or int(version.partition(".")[0]) < _OLDEST:
        raise CompilerMissingError(
            f"the TypeScript compiler {version} cannot be used: install a newer {_PACKAGE}"
        )
    return version
