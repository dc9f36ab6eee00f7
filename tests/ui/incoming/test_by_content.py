"""What a file is called does not decide what it is: cards in a zip's name, a zip in none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.authoring.test_cards import FORMS
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, drop, packed, reason, said

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11")]

CARDS = [("charx", "hanne.zip"), ("charx", "hanne"), ("tEXt", "hanne"), ("tEXt", "hanne.zip"),
         ("v2 json with a mark", "hanne.json")]  # fmt: skip


@pytest.mark.parametrize(("form", "name"), CARDS)
async def test_a_card_by_any_name_leads_to_the_sheet(
    form: str, name: str, stage_on: OpenStage, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(FORMS[form][1])
    stage = await stage_on(tmp_path / name, elsewhere=True)
    await until(lambda: bool(stage.all("importOpen")))
    assert "Import Han" in said(stage)
    assert stage.window.session.place is None


async def test_a_zip_without_an_ending_plays(stage_on: OpenStage, tmp_path: Path) -> None:
    plain = {**FILES, "config.json": json.dumps({"name": "Kay"})}
    stage = await stage_on(packed(tmp_path / "kay", plain))
    assert stage.window.session.player is not None
    assert stage.window.windowTitle() == "Kay – Character Studio"


@pytest.mark.parametrize(("form", "name"), CARDS)
async def test_dropped_on_the_window_it_is_shown_and_what_is_open_stays(
    form: str, name: str, stage_on: OpenStage, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(FORMS[form][1])
    project = write_package(tmp_path / "ada")
    stage = await stage_on(project)
    assert drop(stage.window, tmp_path / name)
    await until(lambda: bool(stage.all("importOpen")) or bool(reason(stage)))
    assert "Import Han" in said(stage)
    assert stage.window.session.place == project
