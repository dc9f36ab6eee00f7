"""The screens of the registry, in all themes, at two sizes, at 100 and 200 %."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import studio_qt
from tests.ui.look.screens import SCREENS
from tests.ui.look.showing import FEW, LOOKS, walk_screen

ROOT = Path(studio_qt.__file__).parents[1]


WALKED = [name for name, screen in SCREENS.items() if screen.walked != "no"]
WHOLE = [name for name in WALKED if SCREENS[name].walked == "all"]


@pytest.mark.qt_loop
@pytest.mark.parametrize("name", WALKED)
async def test_a_screen_has_nothing_clipped_faint_nameless_or_out_of_reach(
    name: str, tmp_path: Path
) -> None:
    looks = LOOKS if name in WHOLE else FEW
    assert await walk_screen(SCREENS[name], tmp_path, looks) == []


@pytest.mark.parametrize("names", [WHOLE[::2], WHOLE[1::2]], ids=["even", "odd"])
def test_screens_have_no_fault_at_twice_the_scale(names: list[str]) -> None:
    command = [sys.executable, "-m", "tests.ui.look.showing", *names, "--crossed"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "QT_SCALE_FACTOR": "2"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {name: faults for name, faults in json.loads(done.stdout).items() if faults} == {}
