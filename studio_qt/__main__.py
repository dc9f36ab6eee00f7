"""`python -m studio_qt`, the installed command, and the executable of a frozen bundle.

A bundle starts its agent workers as itself with `--agent-worker`, and what reads a web page with
`--page-reader`: both are looked at before anything else is imported, so that a worker never loads
the command line or Qt.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Become an agent worker, or do what the command line says; returns the exit code."""
    if sys.argv[1:2] == ["--agent-worker"]:
        from studio_qt.sandbox.workers.boot import main as work

        role, parent, *given = sys.argv[2:]
        work(role, int(parent), *given)
        return 0
    if sys.argv[1:2] == ["--page-reader"]:
        from studio_qt.web.child import main as read

        read()
        return 0
    from studio_qt.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
