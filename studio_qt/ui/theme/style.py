"""The stylesheets, made from `resources/themes/style/` and a token table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio_qt.resources import resource_text
from studio_qt.ui.theme.fonts import BASE_SIZE, mono_families, scaled
from studio_qt.ui.theme.pictures import icon_file
from studio_qt.ui.theme.tokens import Tokens

__all__ = ["SHEETS", "Sheets", "frame_sheet", "stylesheet"]

SHEETS = ("base", "texts", "buttons", "fields", "views", "bars", "chat", "pages")
"""What the stylesheet consists of, in its order; high contrast adds one."""

_ICON = re.compile(r"\{\{icon:([\w-]+):(\w+)\}\}")
_FONT_SIZE = re.compile(r"font-size: (\d+)px")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class Sheets:
    """The stylesheet in the colours of `tokens`, whole or as much of it as a part needs.

    Reading it takes as long as dressing twenty widgets, and each part reads its own: there are no
    comments and few blanks in it, and small parts say which of `SHEETS` they need.
    """

    def __init__(self, tokens: Tokens, interface_size: int = BASE_SIZE) -> None:
        self._tokens, self._size = tokens, interface_size
        self._made: dict[tuple[str, ...], str] = {}

    def of(self, names: Sequence[str] = SHEETS) -> str:
        """Return some of the sheets, or all of them, as one."""
        wanted = tuple(name for name in SHEETS if name in names)
        if wanted not in self._made:
            self._made[wanted] = "\n".join(map(self._sheet, (*wanted, *self._added)))
        return self._made[wanted]

    @property
    def _added(self) -> tuple[str, ...]:
        return ("contrast",) if self._tokens.high_contrast else ()

    def _sheet(self, name: str) -> str:
        if (name,) not in self._made:
            self._made[name,] = self._make(name)
        return self._made[name,]

    def _make(self, name: str) -> str:
        """Fill in one of the files.

        `{{token}}` is a colour, `{{mono}}` the monospaced faces, `{{icon:name:token}}` the file of
        an icon in a colour. Font sizes are written for an interface size of 13 px, and grow.
        """
        sheet = _COMMENT.sub("", resource_text(f"themes/style/{name}.qss"))
        sheet = _ICON.sub(lambda found: _url(found[1], self._tokens[found[2]]), sheet)
        sheet = _FONT_SIZE.sub(
            lambda found: f"font-size: {scaled(int(found[1]), self._size)}px", sheet
        )
        faces = ", ".join(f'"{family}"' for family in mono_families())
        sheet = self._tokens.fill(sheet.replace("{{mono}}", faces))
        sheet = " ".join(sheet.split())
        for sign in "{};,":  # a pattern would take ten times as long, at each start
            sheet = sheet.replace(f" {sign}", sign).replace(f"{sign} ", sign)
        return sheet


def stylesheet(tokens: Tokens, interface_size: int = BASE_SIZE) -> str:
    """Return the stylesheet of the application in the colours of `tokens`."""
    return Sheets(tokens, interface_size).of()


def frame_sheet() -> str:
    """Return the sheet of what holds the parts of a window, the same in every theme and size."""
    return resource_text("themes/style/frame.qss")


def _url(name: str, colour: str) -> str:
    return f'url("{icon_file(name, colour).as_posix()}")'
