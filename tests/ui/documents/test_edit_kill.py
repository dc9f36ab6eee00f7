"""A process that is killed while it edits damages no file and loses two seconds at most."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.edit_killing import kill_edits


@pytest.mark.timeout(120)
@pytest.mark.clause("STU-01", "PERS-04")
def test_unsaved_text_and_files_outlive_four_kills(tmp_path: Path) -> None:
    edits, _ = kill_edits(tmp_path, rounds=4, seed=3)
    assert edits > 20
