"""The token table of a theme: names of colours, read from `resources/themes/`.

A widget never spells a colour; it names a token, so that light and dark come from one table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from studio_qt.resources import resource_text

__all__ = ["PLATES", "SURFACES", "TEXTS", "Tokens", "contrast", "load_tokens"]

SURFACES = ("bg0", "bg1", "bg2", "bg3", "code", "hover")
"""What any text may stand on; a second tuple, `PLATES`, is for the texts that are named there."""

TEXTS = (
    *("fg", "fg2", "fg3", "accent2", "ok", "warn", "err", "info", "quote", "em"),
    *("key", "st", "nu", "kw", "fn", "co"),
)

PLATES: Mapping[str, tuple[str, ...]] = {
    "sel": ("fg", "fg2", "fg3", "accent2", "warn"),
    "user": ("fg", "fg2", "quote", "em", "accent2"),
    "violetbg": ("fg", "fg2", "accent2"),
    "greenbg": ("fg", "fg2", "ok"),
    "amberbg": ("fg", "fg2", "warn"),
    "redbg": ("fg", "fg2", "err"),
    "bluebg": ("fg", "fg2", "info"),
    "btn": ("onaccent",),
    "macrobg": ("macro",),
}
"""The texts that may stand on each coloured plate."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme as `#rrggbb`; `tokens["fg"]` raises KeyError for no such name."""

    name: str
    dark: bool
    colours: Mapping[str, str]

    @property
    def high_contrast(self) -> bool:
        """Whether this is one of the pair for whoever needs stronger contrast."""
        return self.name.startswith("high-contrast")

    def __getitem__(self, token: str) -> str:
        return self.colours[token]

    def fill(self, template: str) -> str:
        """Return `template` with each `{{token}}` replaced by its colour."""
        return re.sub(r"\{\{(\w+)\}\}", lambda found: self.colours[found[1]], template)


@cache
def load_tokens(name: str) -> Tokens:
    """Return a theme by the name of its file (`dark`, `high-contrast-light`, …).

    Raises StudioError where the file is missing.
    """
    table = json.loads(resource_text(f"themes/{name}.json"))
    colours = {
        token: colour for group in table["tokens"].values() for token, colour in group.items()
    }
    return Tokens(name=name, dark=contrast(colours["bg1"], "#ffffff") > 4.5, colours=colours)


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours after WCAG 2, from 1 to 21."""
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
