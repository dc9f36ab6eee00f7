"""A zip that is the same to the byte for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from studio_qt.files.atomic import write_atomic

__all__ = ["write_zip", "zip_bytes"]

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16
_UNIX = 3


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of these files, by path: sorted, undated, the same for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _MODE
            entry.create_system = _UNIX
            archive.writestr(entry, files[path], compresslevel=9)
    return packed.getvalue()


def write_zip(place: Path, files: Mapping[str, bytes]) -> int:
    """Write such a zip, atomically; returns its size in bytes. Raises StorageError."""
    data = zip_bytes(files)
    write_atomic(place, data)
    return len(data)
