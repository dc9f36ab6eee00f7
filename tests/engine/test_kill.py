"""A process that is killed while it plays loses nothing that it acknowledged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.killing import kill_rounds


@pytest.mark.timeout(300)
@pytest.mark.clause("PERS-04", "PERS-01", "LOOP-06")
def test_nothing_acknowledged_is_lost_in_twenty_kills(tmp_path: Path) -> None:
    assert kill_rounds(tmp_path, rounds=20, seed=7) > 20
