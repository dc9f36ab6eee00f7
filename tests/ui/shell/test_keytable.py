"""The handbook's list of keys is that of the window."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.window import write_package
from tests.ui.conftest import OpenStage
from tests.ui.shell.keytable import PAGE, page_of


@pytest.mark.qt_loop
@pytest.mark.skipif(sys.platform != "linux", reason="each system has keys of its own")
async def test_the_handbook_lists_the_keys_of_the_window(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    window = (await stage_on(write_package(tmp_path / "ada"))).window
    written = PAGE.read_text(encoding="utf-8")
    assert written == page_of(window), "Run python -m tests.ui.shell.keytable."
