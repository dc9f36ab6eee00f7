"""The settings as their declarations tell them: what a row needs to show one and to change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType
from typing import Literal, get_args, get_type_hints

from studio_qt.errors import StudioError
from studio_qt.settings import PlayerSettings, Setting
from studio_qt.ui.preferences import Preferences, WindowSettings

__all__ = ["Declared", "declared", "read_number", "shown"]

Owner = Literal["window", "player"]
_CLASSES: tuple[tuple[Owner, type], ...] = (("window", WindowSettings), ("player", PlayerSettings))


@dataclass(frozen=True, slots=True)
class Declared:
    """One setting: whose it is, its name, what is said of it, its types and its default."""

    owner: Owner
    name: str
    setting: Setting
    kinds: tuple[type, ...]
    default: object

    @property
    def kind(self) -> type:
        """The type of a value that is not None."""
        return next(kind for kind in self.kinds if kind is not NoneType)

    @property
    def optional(self) -> bool:
        """Whether None is a value."""
        return NoneType in self.kinds

    @property
    def words(self) -> str:
        """Everything that a search looks at."""
        choices = " ".join(words for _, words in self.setting.choices)
        return f"{self.setting.label} {self.setting.help} {choices}".casefold()

    def value(self, preferences: Preferences) -> object:
        """Return the value in force."""
        return getattr(getattr(preferences, self.owner), self.name)

    def take(self, preferences: Preferences, value: object) -> None:
        """Let a value be in force; raises StudioError with a sentence for people."""
        try:
            if self.owner == "window":
                preferences.change_window(**{self.name: value})
            else:
                preferences.change_player(**{self.name: value})
        except StudioError as error:
            raise StudioError(self._refused(value)) from error

    def _refused(self, value: object) -> str:
        low, high = self.setting.low, self.setting.high
        if isinstance(value, (int, float)) and low is not None and value < low:
            return f"It must be {shown(low)} or more."
        if isinstance(value, (int, float)) and high is not None and value > high:
            return f"It must be {shown(high)} or less."
        return "This cannot be used here."


@cache
def declared(group: str | None = None) -> Sequence[Declared]:
    """Return the settings of a group in the order of their declaration; all without a group."""
    found = []
    for owner, kind in _CLASSES:
        hints = get_type_hints(kind, include_extras=True)
        for each in fields(kind):
            hint, setting = get_args(hints[each.name])
            assert each.default is not MISSING
            if group in (None, setting.group):
                kinds = get_args(hint) or (hint,)
                found.append(Declared(owner, each.name, setting, kinds, each.default))
    return tuple(found)


def read_number(text: str, kind: type) -> int | float:
    """Return the number that people write as "32,000", "32 000" or "0,7".

    Raises StudioError with what is expected.
    """
    plain = "".join(text.split()).replace("_", "").replace("’", "").replace("'", "")
    if kind is float:
        plain = plain.replace(",", ".")
    elif plain.count(",") and all(len(part) == 3 for part in plain.split(",")[1:]):
        plain = plain.replace(",", "")
    try:
        number = kind(plain)
    except ValueError:
        example = "0.7" if kind is float else "12"
        raise StudioError(f"This is no number. Write one like {example}.") from None
    assert isinstance(number, (int, float))
    return number


def shown(value: object) -> str:
    """Return a value as a field shows it: numbers with groups of three digits, None as ""."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.10g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
