"""A window that is killed comes back with its texts, tabs and message, two seconds old at most."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.window_killing import kill_windows


@pytest.mark.timeout(180)
@pytest.mark.clause("STU-01", "PERS-04")
def test_texts_tabs_and_the_half_written_message_outlive_three_kills(tmp_path: Path) -> None:
    done, _ = kill_windows(tmp_path, rounds=3, seed=5)
    assert done > 10
