"""The words of a card behind the text that was made of them: macros, for the way back."""

from __future__ import annotations

from collections.abc import Iterable

from studio_qt.authoring.cards.macros import portable

__all__ = ["Originals"]


class Originals:
    """Texts of a card, and what `portable` made of each of them and of each of their lines."""

    def __init__(self, texts: Iterable[str], character: str) -> None:
        self._whole: dict[str, str] = {}
        self._lines: dict[str, str] = {}
        for text in texts:
            self._whole.setdefault(portable(text, character).strip(), text)
            for line in _plain(text).split("\n"):
                made = portable(line, character)
                if made.strip() and "\n" not in made:
                    self._lines.setdefault(made, line)

    def back(self, text: str) -> str:
        """Return a text of the package as the card had it; of a changed one its other lines."""
        plain = _plain(text)
        if not plain.strip():
            return plain
        whole = self._whole.get(plain.strip())
        if whole is not None:
            return whole
        return "\n".join(self._lines.get(line, line) for line in plain.split("\n"))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
