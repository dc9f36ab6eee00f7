"""Where the program's own log goes: a file in the user's folder, and stderr with `--debug`."""

from __future__ import annotations

import logging
import sys
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from studio_qt.settings import home_folder

__all__ = ["keep_log"]

_BYTES = 1_000_000
_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def keep_log(*, debug: bool) -> Path:
    """Send warnings and worse of this process to `logs/studio-qt.log`; returns the file's path.

    The file is made when there is something to write; one older file is kept. With `debug` stderr
    shows everything from INFO on as well.
    """
    target = home_folder() / "logs" / "studio-qt.log"
    root = logging.getLogger()
    handlers: list[logging.Handler] = [_LogFile(target)]
    handlers[0].setLevel(logging.WARNING)
    if debug:
        handlers.append(logging.StreamHandler())
        root.setLevel(logging.INFO)
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORM))
        root.addHandler(handler)
    return target


class _LogFile(RotatingFileHandler):
    """Makes its folder when the first record comes, and never breaks what is logged about."""

    def __init__(self, target: Path) -> None:
        super().__init__(target, maxBytes=_BYTES, backupCount=1, encoding="utf-8", delay=True)
        self._target = target

    def _open(self) -> TextIOWrapper:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, ARG002  (of logging)
        reason = sys.exc_info()[1]
        sys.stderr.write(f"The log {self._target} cannot be written ({reason}).\n")
