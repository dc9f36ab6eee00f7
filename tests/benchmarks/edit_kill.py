"""Kills an editing process, and a whole window: `python edit_kill.py [ROUNDS [SEED [WINDOWS]]]`.

100 rounds without a window and 40 with one, unless told otherwise.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from tests.support.edit_killing import kill_edits
from tests.support.window_killing import kill_windows


def main() -> None:
    """Print what held; an AssertionError names the round where something was lost."""
    given = [int(word) for word in sys.argv[1:]]
    rounds, seed, windows = (given + [100, 1, 40][len(given) :])[:3]
    _kill("kills of open texts", kill_edits, rounds, seed)
    _kill("kills of a window", kill_windows, windows, seed)


def _kill(
    what: str, kill: Callable[[Path, int, int], tuple[int, float]], rounds: int, seed: int
) -> None:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(STUDIO_QT_HOME=f"{folder}/home", QT_QPA_PLATFORM="offscreen")
        edits, worst = kill(Path(folder), rounds, seed)
    seconds = time.monotonic() - started
    print(f"{rounds} {what}, {edits} edits, no file damaged, {seconds:.0f} s")
    print(f"unsaved text that was lost: {worst:.2f} s at most, 2 are allowed")


if __name__ == "__main__":
    main()
