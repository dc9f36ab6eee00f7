"""The one stylesheet, made from `resources/themes/style/` and a token table."""

from __future__ import annotations

import re

from studio_qt.resources import resource_text
from studio_qt.ui.theme.fonts import BASE_SIZE, mono_families, scaled
from studio_qt.ui.theme.pictures import icon_file
from studio_qt.ui.theme.tokens import Tokens

__all__ = ["frame_sheet", "stylesheet"]

_SHEETS = ("base", "buttons", "fields", "views", "bars", "pages")
_ICON = re.compile(r"\{\{icon:([\w-]+):(\w+)\}\}")
_FONT_SIZE = re.compile(r"font-size: (\d+)px")


def stylesheet(tokens: Tokens, interface_size: int = BASE_SIZE) -> str:
    """Return the stylesheet of the application in the colours of `tokens`.

    `{{token}}` is a colour, `{{mono}}` the monospaced faces, `{{icon:name:token}}` the file of an
    icon in a colour. Font sizes are written for an interface size of 13 px, and grow with it.
    """
    names = (*_SHEETS, "contrast") if tokens.high_contrast else _SHEETS
    sheet = "\n".join(resource_text(f"themes/style/{name}.qss") for name in names)
    sheet = _ICON.sub(lambda found: _url(found[1], tokens[found[2]]), sheet)
    sheet = _FONT_SIZE.sub(
        lambda found: f"font-size: {scaled(int(found[1]), interface_size)}px", sheet
    )
    faces = ", ".join(f'"{family}"' for family in mono_families())
    return tokens.fill(sheet.replace("{{mono}}", faces))


def frame_sheet() -> str:
    """Return the sheet of what holds the parts of a window, the same in every theme and size."""
    return resource_text("themes/style/frame.qss")


def _url(name: str, colour: str) -> str:
    return f'url("{icon_file(name, colour).as_posix()}")'
