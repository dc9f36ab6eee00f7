"""Tokens, contrast, icons and the choice between light and dark."""

from __future__ import annotations

import ast
import gc
import re
import shutil
import weakref
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

import studio_qt.ui
from studio_qt.errors import StudioError
from studio_qt.resources import resource_names, resource_text
from studio_qt.ui.theme import theme as theme_module
from studio_qt.ui.theme.fonts import chat_font, editor_font
from studio_qt.ui.theme.icons import make_icon, make_pixmap
from studio_qt.ui.theme.pictures import icon_file
from studio_qt.ui.theme.style import stylesheet
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.theme.tokens import PLATES, SURFACES, TEXTS, contrast, load_tokens
from studio_qt.ui.widgets.basics import IconButton, give_icon

HIGH = ["high-contrast-dark", "high-contrast-light"]
THEMES = ["dark", "light", *HIGH]
SHAPES = ("accent", "ctl", "ring", "okfill", "warnfill")
LINES = (*SHAPES, "line", "line2", "btn")
ICONS = [name.removesuffix(".svg") for name in resource_names("icons")]
SVG = "{http://www.w3.org/2000/svg}"
POINTS = re.compile(r"(M[\d.]+ [\d.]+[hv]\.01)+")
UI = Path(studio_qt.ui.__file__).parent
ICON_PLACES = {
    "icon": 0,
    "living_icon": 0,
    "make_icon": 0,
    "make_pixmap": 0,
    "icon_file": 0,
    "set_icon": 0,
    "IconButton": 1,
    "IconView": 1,
    "EmptyState": 1,
    "give_icon": 2,
}
"""Which argument of each call is the name of an icon."""
FONT_SIZE = re.compile(r"font-size: (\d+)px")


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read_on_every_surface(name: str) -> None:
    tokens = load_tokens(name)
    least = 7.0 if tokens.high_contrast else 4.5
    pairs = [(text, surface) for text in TEXTS for surface in SURFACES]
    pairs += [(text, plate) for plate, texts in PLATES.items() for text in texts]
    poor = {
        (text, under): round(contrast(tokens[text], tokens[under]), 2)
        for text, under in pairs
        if contrast(tokens[text], tokens[under]) < least
    }
    assert poor == {}


@pytest.mark.parametrize("name", THEMES)
def test_shapes_that_carry_meaning_stand_out(name: str) -> None:
    tokens = load_tokens(name)
    for shape in SHAPES:
        for surface in ("bg0", "bg1", "bg2"):
            assert contrast(tokens[shape], tokens[surface]) >= 3, (shape, surface)


@pytest.mark.parametrize("name", HIGH)
def test_every_line_and_control_stands_out_in_high_contrast(name: str) -> None:
    tokens = load_tokens(name)
    for shape in LINES:
        for surface in SURFACES:
            assert contrast(tokens[shape], tokens[surface]) >= 4.5, (shape, surface)


def test_all_themes_have_the_same_tokens() -> None:
    first, *others = (load_tokens(name) for name in THEMES)
    for other in others:
        assert other.colours.keys() == first.colours.keys()
    assert [load_tokens(name).dark for name in THEMES] == [True, False, True, False]


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize("name", THEMES)
def test_the_stylesheet_names_known_tokens_only(name: str) -> None:
    assert "{{" not in stylesheet(load_tokens(name))


def test_a_line_below_a_frame_is_drawn() -> None:
    """Qt leaves it out where a rule has neither a background nor a border for the other sides."""
    rules = re.findall(r"[^{}]+\{[^{}]*\}", stylesheet(load_tokens("dark")))
    lone = [rule for rule in rules if "border-bottom:" in rule and "background" not in rule]
    assert [rule for rule in lone if "border:" not in rule] == []


def test_no_widget_spells_a_colour() -> None:
    assert re.findall(r"#[0-9a-f]{6}\b", stylesheet(load_tokens("dark")).lower())
    source = resource_text("themes/dark.json")
    assert len(re.findall(r"#[0-9a-f]{6}\b", source)) == len(load_tokens("dark").colours)


@pytest.mark.parametrize("icon", ICONS)
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


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0, 3.0])
def test_an_icon_is_sharp_on_every_screen(qapp: QApplication, ratio: float) -> None:
    picture = make_icon("send", "#ffffff", "#888888").pixmap(QSize(16, 16), ratio)
    assert (picture.width(), picture.devicePixelRatio()) == (round(16 * ratio), ratio)


def test_an_icon_is_drawn_when_it_is_seen_and_once(qapp: QApplication) -> None:
    """A change of theme makes all icons anew, of which few are on the screen."""
    make_pixmap.cache_clear()
    icon = make_icon("send", "#ff0001", "#ff0002")
    assert make_pixmap.cache_info().misses == 0
    for _ in range(2):
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected, QIcon.Mode.Disabled):
            assert not icon.pixmap(QSize(16, 16), 1.0, mode).isNull()
    assert make_pixmap.cache_info().misses == 2


def test_the_icons_of_controls_have_the_colours_in_force_and_are_not_made_anew(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme, asked = Theme("dark"), list[str]()
    theme.apply()
    one, other = IconButton(theme, "send", "Send", name="send"), QPushButton()
    give_icon(theme, other, "send", size=16)
    try:
        with monkeypatch.context() as patch:
            for name in ("icon", "living_icon"):
                patch.setattr(Theme, name, lambda _theme, icon, *_: asked.append(icon))
            theme.choose("light")
        expected = theme.icon("send").pixmap(QSize(16, 16)).toImage()
        assert [b.icon().pixmap(QSize(16, 16)).toImage() for b in (one, other)] == [expected] * 2
        assert asked == []
    finally:
        theme.choose("dark")
        one.deleteLater()
        other.deleteLater()


def test_an_icon_leaves_room_at_its_right(qapp: QApplication) -> None:
    icon = make_icon("send", "#ff0000", "#888888", 16, 4)
    assert icon.actualSize(QSize(20, 16)) == QSize(20, 16)
    drawn = icon.pixmap(QSize(20, 16), 1.0).toImage()
    assert drawn.size() == QSize(20, 16)
    assert not any(drawn.pixelColor(x, y).alpha() for x in range(16, 20) for y in range(16))


def test_a_copy_of_an_icon_may_be_changed(qapp: QApplication) -> None:
    for _ in range(20):
        copy = QIcon(make_icon("send", "#ff0000", "#888888"))
        copy.setIsMask(True)  # Qt makes a copy of what draws it
        gc.collect()
        assert not copy.pixmap(QSize(16, 16), 1.0).isNull()


def test_an_unknown_icon_is_told_where_it_is_asked_for(qapp: QApplication) -> None:
    with pytest.raises(StudioError):
        make_icon("no such icon", "#ffffff", "#888888")


def test_a_theme_and_a_size_dress_the_application_once(qapp: QApplication) -> None:
    """Each time takes half a second in a full window."""
    theme, dressed = Theme("light"), []
    theme.changed.connect(lambda: dressed.append((theme.tokens.name, theme.interface_size)))
    for _ in range(2):
        theme.take("dark", 16)
    assert dressed == [("dark", 16)]
    with pytest.raises(ValueError, match="pink"):
        theme.take("pink", 16)


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


def test_the_contrast_theme_follows_the_scheme_of_the_desktop(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme = Theme("contrast")
    for scheme, name in (("Dark", "high-contrast-dark"), ("Light", "high-contrast-light")):
        hints = StubHints(Qt.ColorScheme[scheme])
        monkeypatch.setattr(theme_module.QGuiApplication, "styleHints", lambda hints=hints: hints)
        theme.apply()
        assert theme.tokens.name == name


def test_a_desktop_that_wants_contrast_gets_it_unless_the_user_chose_otherwise(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, light = Theme("system"), Theme("light")
    hints = StubHints(Qt.ColorScheme.Dark, wants=True)
    monkeypatch.setattr(theme_module.QGuiApplication, "styleHints", lambda: hints)
    system.apply()
    assert system.tokens.name == "high-contrast-dark"
    light.apply()
    assert light.tokens.name == "light"


class StubHints:
    """A desktop's wishes."""

    def __init__(self, scheme: Qt.ColorScheme, *, wants: bool = False) -> None:
        self._scheme, self._wants = scheme, wants

    def colorScheme(self) -> Qt.ColorScheme:
        return self._scheme

    def setColorScheme(self, scheme: Qt.ColorScheme) -> None: ...

    def unsetColorScheme(self) -> None: ...

    def accessibility(self) -> StubHints:
        return self

    def contrastPreference(self) -> object:
        preference = Qt.ContrastPreference
        return preference.HighContrast if self._wants else preference.NoPreference


@pytest.mark.parametrize("size", [10, 13, 18, 24])
def test_every_font_size_follows_the_interface_size(size: int) -> None:
    tokens = load_tokens("dark")
    at_13 = [int(pixels) for pixels in FONT_SIZE.findall(stylesheet(tokens))]
    there = [int(pixels) for pixels in FONT_SIZE.findall(stylesheet(tokens, size))]
    assert there == [max(8, round(pixels * size / 13)) for pixels in at_13]
    assert "font-size: 12px" in stylesheet(tokens)


def test_another_interface_size_reaches_faces_icons_and_lengths(qapp: QApplication) -> None:
    theme = Theme("dark")
    theme.apply()
    button = IconButton(theme, "search", "Search", name="search")
    try:
        theme.set_sizes(26)
        assert qapp.font().pixelSize() == 26
        assert theme.font(11).pixelSize() == 22
        assert theme.mono(12).pixelSize() == 24
        assert button.iconSize().width() == 32
    finally:
        theme.set_sizes(13)
        button.deleteLater()


def test_a_face_that_is_chosen_leads_and_the_usual_ones_follow(qapp: QApplication) -> None:
    assert chat_font("Cochin", 16).families()[:2] == ["Cochin", "Inter"]
    assert editor_font("", 15).families()[0] == "JetBrains Mono"
    assert (chat_font().pixelSize(), editor_font("", 15).pixelSize()) == (14, 15)


def test_pictures_of_the_sheet_are_files_that_name_their_content(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_QT_CACHE", str(tmp_path))
    red = icon_file("check", "#ff0000")
    assert red != icon_file("check", "#00ff00")
    assert "#ff0000" in red.read_text(encoding="utf-8")
    assert not QIcon(str(red)).pixmap(12, 12).isNull()


def test_a_cache_that_cannot_be_written_does_not_spoil_the_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("STUDIO_QT_CACHE", str(tmp_path / "file"))
    elsewhere = icon_file("minus", "#123456")
    assert "#123456" in elsewhere.read_text(encoding="utf-8")
    assert icon_file("plus", "#123456").parent == elsewhere.parent
    shutil.rmtree(elsewhere.parent)


def test_a_picture_that_was_cleaned_away_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_QT_CACHE", str(tmp_path))
    first = icon_file("check", "#ff0000")
    first.unlink()
    assert icon_file("check", "#ff0000").exists()


@pytest.mark.parametrize("icon", ICONS)
def test_every_icon_is_a_stroke_drawing_on_the_common_grid(icon: str) -> None:
    root = ElementTree.fromstring(resource_text(f"icons/{icon}.svg"))
    assert root.get("viewBox") == "0 0 24 24"
    common = {"fill": "none", "stroke": "currentColor", "stroke-width": "1.7"}
    round_ends = {"stroke-linecap": "round", "stroke-linejoin": "round"}
    assert {name: root.get(name) for name in (*common, *round_ends)} == {**common, **round_ends}
    for shape in root:
        assert shape.tag.removeprefix(SVG) in {"path", "circle", "ellipse", "rect"}
        assert shape.get("fill") is None or icon == "stop"
        if width := shape.get("stroke-width"):  # a point: thicker, and without length
            assert float(width) > 1.7
            assert POINTS.fullmatch(shape.get("d", "")), "only points may be thicker"


@pytest.mark.parametrize("theme", THEMES)
def test_every_icon_can_be_seen_in_every_theme(qapp: QApplication, theme: str) -> None:
    tokens = load_tokens(theme)
    for icon in ICONS:
        picture = make_pixmap(icon, tokens["fg2"], 16, 1.0).toImage()
        strong = [
            (x, y) for x in range(16) for y in range(16) if picture.pixelColor(x, y).alpha() > 120
        ]
        assert len(strong) >= 3, icon
        assert picture.pixelColor(*strong[0]).lightness() == pytest.approx(
            QColor(tokens["fg2"]).lightness(), abs=3
        )


def test_every_icon_that_is_named_in_the_code_exists() -> None:
    names = {name: place for place, name in _named_icons()}
    assert len(names) > 15
    assert {name: place for name, place in names.items() if name not in ICONS} == {}


def _named_icons() -> Iterator[tuple[str, str]]:
    """Yield the icons that calls and sheets name, each with its file."""
    for sheet in resource_names("themes/style"):
        for name in re.findall(r"\{\{icon:([\w-]+):", resource_text(f"themes/style/{sheet}")):
            yield sheet, name
    for file in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = ICON_PLACES.get(called)
            if place is not None and len(node.args) > place:
                value = node.args[place]
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield file.name, value.value


def test_icons_outlive_the_theme_that_gave_them() -> None:
    theme = Theme("dark")
    button = QToolButton()
    button.setIcon(theme.living_icon("folder"))
    ended = weakref.ref(theme)
    del theme
    gc.collect()
    assert ended() is None
    assert not button.icon().pixmap(16).isNull()
    button.deleteLater()
