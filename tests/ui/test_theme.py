"""Tokens, contrast, icons and the choice between light and dark."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from studio_qt.resources import resource_names, resource_text
from studio_qt.ui.theme.icons import make_icon, make_pixmap
from studio_qt.ui.theme.style import stylesheet
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.theme.tokens import PLATES, SURFACES, TEXTS, contrast, load_tokens

THEMES = ["dark", "light"]
SHAPES = ("accent", "ctl", "ring", "okfill", "warnfill")


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read_on_every_surface(name: str) -> None:
    tokens = load_tokens(name)
    pairs = [(text, surface) for text in TEXTS for surface in SURFACES]
    pairs += [(text, plate) for plate, texts in PLATES.items() for text in texts]
    poor = {
        (text, under): round(contrast(tokens[text], tokens[under]), 2)
        for text, under in pairs
        if contrast(tokens[text], tokens[under]) < 4.5
    }
    assert poor == {}


@pytest.mark.parametrize("name", THEMES)
def test_shapes_that_carry_meaning_stand_out(name: str) -> None:
    tokens = load_tokens(name)
    for shape in SHAPES:
        for surface in ("bg0", "bg1", "bg2"):
            assert contrast(tokens[shape], tokens[surface]) >= 3, (shape, surface)


def test_both_themes_have_the_same_tokens() -> None:
    dark, light = load_tokens("dark"), load_tokens("light")
    assert dark.colours.keys() == light.colours.keys()
    assert (dark.dark, light.dark) == (True, False)


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize("name", THEMES)
def test_the_stylesheet_names_known_tokens_only(name: str) -> None:
    assert "{{" not in stylesheet(load_tokens(name))


def test_no_widget_spells_a_colour() -> None:
    assert re.findall(r"#[0-9a-f]{6}\b", stylesheet(load_tokens("dark")).lower())
    source = resource_text("themes/dark.json")
    assert len(re.findall(r"#[0-9a-f]{6}\b", source)) == len(load_tokens("dark").colours)


@pytest.mark.parametrize("icon", [name.removesuffix(".svg") for name in resource_names("icons")])
def test_every_icon_is_drawn_in_the_colour_asked_for(qapp: QApplication, icon: str) -> None:
    picture = make_pixmap(icon, "#ff0000", 16, 2.0).toImage()
    assert (picture.width(), picture.devicePixelRatio()) == (32, 2.0)
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(32)
        for y in range(32)
        if picture.pixelColor(x, y).alpha() == 255
    }
    assert colours <= {"#ff0000"}
    assert any(picture.pixelColor(x, y).alpha() for x in range(32) for y in range(32))


def test_an_icon_has_pictures_for_sharp_screens(qapp: QApplication) -> None:
    sizes = {size.width() for size in make_icon("send", "#ffffff", "#888888", 16).availableSizes()}
    assert {16, 32, 48} <= sizes


def test_a_choice_dresses_the_whole_application(qapp: QApplication) -> None:
    theme = Theme("light")
    theme.apply()
    assert qapp.palette().window().color() == QColor(load_tokens("light")["bg1"])
    theme.choose("dark")
    assert qapp.palette().window().color() == QColor(load_tokens("dark")["bg1"])
    assert theme.colour("fg") == QColor(load_tokens("dark")["fg"])


def test_the_environment_decides_over_the_setting(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_QT_THEME", "Dark")
    assert Theme("light").choice == "dark"
    monkeypatch.setenv("STUDIO_QT_THEME", "sepia")
    assert Theme("light").choice == "light"


def test_an_unknown_theme_is_refused(qapp: QApplication) -> None:
    with pytest.raises(ValueError, match="sepia"):
        Theme("sepia")


def test_the_system_theme_follows_the_desktop(qapp: QApplication) -> None:
    theme = Theme("system")
    theme.apply()
    assert theme.tokens.name in THEMES
