"""Hostile agents of every language: none gets through, and the session answers after each."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tests.hostile.attack import MUST_NOT, Attack
from tests.hostile.bed import SECRETS, assault
from tests.hostile.in_javascript import JAVASCRIPT
from tests.hostile.in_lua import LUA
from tests.hostile.in_python import PYTHON
from tests.hostile.in_typescript import TYPESCRIPT

TABLES = {"javascript": JAVASCRIPT, "typescript": TYPESCRIPT, "python": PYTHON, "lua": LUA}
AT_ONCE = 3


@pytest.fixture(autouse=True)
def canary(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret in the environment of the application."""
    monkeypatch.setenv("STUDIO_CANARY", SECRETS[1])


def test_the_table_has_every_kind_of_attack_in_every_language() -> None:
    attacks = [attack for table in TABLES.values() for attack in table]
    assert len(attacks) >= 150
    assert len({str(attack) for attack in attacks}) == len(attacks)
    assert {attack.must_not for attack in attacks} == {*MUST_NOT, "load"}
    for language, table in TABLES.items():
        kinds = Counter(attack.kind for attack in table)
        assert all(attack.language == language for attack in table)
        assert len(table) >= 25, language
        assert {"loop", "memory", "reach", "bridge", "result", "crash"} <= set(kinds), language
    assert sum(attack.slow for attack in attacks) <= 45


SOUND = {  # what each of these does is allowed, so each must be found out
    "finish": Attack(
        language="javascript", kind="", name="a", must_not="finish", source="return 1;"
    ),
    "reach": Attack(language="javascript", kind="", name="b", source="return 'a file';"),
    "ask": Attack(
        language="javascript",
        kind="",
        name="c",
        must_not="ask",
        apis=("history",),
        source="return await studio.history.search('x');",
    ),
    "pass": Attack(language="javascript", kind="", name="d", must_not="pass", source="return 1;"),
    "load": Attack(language="javascript", kind="", name="e", must_not="load", source="return 1;"),
    "state": Attack(
        language="javascript",
        kind="",
        name="f",
        must_not="crash",
        source="store.n = 5; return 1;",
    ),
    "secret": Attack(
        language="javascript",
        kind="",
        name="g",
        must_not="crash",
        source=f"console.log('{SECRETS[0]}');",
    ),
}


async def test_what_gets_through_is_found_out(tmp_path: Path) -> None:
    found = await assault(list(SOUND.values()), tmp_path)
    for attack in SOUND.values():
        assert any(fault.startswith(f"{attack}: ") for fault in found), attack


async def _run(attacks: list[Attack], folder: Path, sessions: int) -> None:
    batches = [attacks[start::sessions] for start in range(sessions)]
    folders = [folder / str(number) for number in range(sessions)]
    for made in folders:
        made.mkdir()
    found = await asyncio.gather(*map(assault, batches, folders))
    if faults := [fault for some in found for fault in some]:
        pytest.fail("\n".join(faults), pytrace=False)


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("language", TABLES)
async def test_code_without_end_is_stopped_and_the_session_goes_on(
    language: str, tmp_path: Path
) -> None:
    """Several sessions at once, because each of these waits for its time limit."""
    await _run([attack for attack in TABLES[language] if attack.slow], tmp_path, AT_ONCE)


@pytest.mark.clause("BOX-01", "BOX-02", "BR-09")
@pytest.mark.parametrize("language", TABLES)
async def test_no_attack_reaches_anything_and_the_session_goes_on(
    language: str, tmp_path: Path
) -> None:
    await _run([attack for attack in TABLES[language] if not attack.slow], tmp_path, 1)
