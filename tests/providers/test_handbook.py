"""The handbook's table of quirks names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from studio_qt.resources import resource_text

HERE = Path(__file__).parent


def test_every_quirk_of_the_handbook_names_tests_that_exist() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", resource_text("handbook/wire.md"))
    missing = [
        f"{file}::{name}"
        for file, name in named
        if f"def {name}(" not in (HERE / file).read_text(encoding="utf-8")
    ]
    assert missing == []
    assert len(named) > 60


def test_every_line_of_the_table_names_a_test() -> None:
    rows = [line for line in resource_text("handbook/wire.md").splitlines() if line[:2] == "| "]
    assert [row for row in rows if "::" not in row and "what servers do" not in row] == []
