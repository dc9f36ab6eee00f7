"""Keys of providers: in the system's keychain, or where the user wants them instead.

A key is in no project, no log, no diagnostics and no message. Everything here blocks (a locked
keychain asks its user first) and may be called from any thread.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from studio_qt.errors import StudioError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.jsontext import JsonObject, decode_object, encode_pretty
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.lenient import as_object, as_text

__all__ = ["KEYCHAIN", "KEY_FILE", "KeptKey", "KeyPlace", "Keychain", "Keys", "trimmed_key"]

KEYCHAIN = "studio-qt"
"""The service under which the system's keychain holds a key; the user name is the base URL."""
KEY_FILE = "keys.json"
_VERSION = 1
_log = logging.getLogger(__name__)

KeyPlace: TypeAlias = Literal["keychain", "session", "file"]
"""In the system's keychain, in memory until the program ends, or in `keys.json`."""


@dataclass(frozen=True, slots=True)
class KeptKey:
    """A key and where it is; its repr does not show it."""

    key: str = field(repr=False)
    place: KeyPlace


class Keychain(Protocol):
    """What is needed of a backend of `keyring`."""

    def get_password(self, service: str, username: str) -> str | None:
        """Return what is kept."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Remove it."""
        ...


class Keys:
    """The keys of one program, one for each address.

    `home` is where `keys.json` may lie; None keeps nothing in files. `backend` gives the
    keychain; without it, it is that of the system, asked on first use.
    """

    def __init__(self, home: Path | None, backend: Callable[[], Keychain] | None = None) -> None:
        self._home = home
        self._backend = backend or _system_keychain
        self._lock = threading.Lock()
        self._session: dict[str, str] = {}

    def keychain_name(self) -> str | None:
        """Return the name of the system's keychain for people; None where there is none."""
        chain = self._chain()
        return None if chain is None else str(getattr(chain, "name", type(chain).__name__))

    def find(self, base_url: str) -> KeptKey | None:
        """Return the key of an address, wherever it is; None where there is none."""
        names = _names(base_url)
        for name in names:
            if key := self._session.get(name):
                return KeptKey(key, "session")
        if key := next(filter(None, (self._in_file().get(name) for name in names)), ""):
            return KeptKey(key, "file")
        for name in names:
            if key := self._ask(name):
                return KeptKey(key, "keychain")
        return None

    def keep(self, base_url: str, key: str, *, instead: KeyPlace = "session") -> KeyPlace:
        """Keep a key in the keychain, or `instead` where there is none; returns where it is.

        `instead` "file" says that the user agreed to a file. Raises StudioError for what can be
        no key, StorageError where the file cannot be written.
        """
        wanted = trimmed_key(key)
        if wanted is None:
            raise StudioError("There is no key to keep. Paste it first.")
        self.forget(base_url)
        name = _names(base_url)[0]
        if self._put(name, wanted):
            return "keychain"
        if instead == "file" and self._home is not None:
            self._change_file(lambda kept: {**kept, name: wanted})
            return "file"
        with self._lock:
            self._session[name] = wanted
        return "session"

    def forget(self, base_url: str) -> None:
        """Remove the key of an address from everywhere; harmless where there is none."""
        for name in _names(base_url):
            with self._lock:
                self._session.pop(name, None)
            if name in self._in_file():
                self._change_file(
                    lambda kept, gone=name: {n: k for n, k in kept.items() if n != gone}  # type: ignore[misc]
                )
            if self._ask(name):
                self._delete(name)

    # The keychain ---------------------------------------------------------------------------

    def _chain(self) -> Keychain | None:
        try:
            return self._backend()
        except Exception as error:  # noqa: BLE001 - any backend of any system may be broken
            _log.info("There is no keychain (%s).", type(error).__name__)
            return None

    def _ask(self, name: str) -> str | None:
        chain = self._chain()
        if chain is None:
            return None
        try:
            return chain.get_password(KEYCHAIN, name) or None
        except Exception as error:  # noqa: BLE001 - as above; its text could hold what it was given
            _log.info("The keychain cannot be read (%s).", type(error).__name__)
            return None

    def _put(self, name: str, key: str) -> bool:
        """Keep a key and look whether it is there: some backends drop what they are given."""
        chain = self._chain()
        if chain is None:
            return False
        try:
            chain.set_password(KEYCHAIN, name, key)
            return chain.get_password(KEYCHAIN, name) == key
        except Exception as error:  # noqa: BLE001 - as above
            _log.info("The keychain keeps nothing (%s).", type(error).__name__)
            return False

    def _delete(self, name: str) -> None:
        chain = self._chain()
        if chain is None:
            return
        try:
            chain.delete_password(KEYCHAIN, name)
        except Exception as error:  # noqa: BLE001 - as above
            _log.warning("The keychain does not give up a key (%s).", type(error).__name__)

    # The file -------------------------------------------------------------------------------

    def _in_file(self) -> dict[str, str]:
        if self._home is None:
            return {}
        try:
            saved = decode_object((self._home / KEY_FILE).read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            _log.warning("%s cannot be read (%s).", self._home / KEY_FILE, type(error).__name__)
            return {}
        kept = as_object(saved.get("keys"))
        return {name: as_text(key) for name, key in kept.items() if as_text(key)}

    def _change_file(self, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        if self._home is None:
            return
        place = self._home / KEY_FILE
        with self._lock, storage_errors(self._home):
            kept = change(self._in_file())
            if not kept:
                place.unlink(missing_ok=True)
                return
            self._home.mkdir(parents=True, exist_ok=True)
            whole: JsonObject = {"version": _VERSION, "keys": dict(kept)}
            write_atomic(place, encode_pretty(whole) + "\n", private=True)


def trimmed_key(key: str | None) -> str | None:
    """Return a key as it is sent, without blanks, line breaks and "Bearer"; None for an empty one.

    Raises StudioError for characters that no key has.
    """
    trimmed = "".join((key or "").split()).removeprefix("Bearer")
    if not trimmed.isascii() or not trimmed.isprintable():
        raise StudioError(
            "The API key holds characters that no key has. Copy it again, without quotes."
        )
    return trimmed or None


def _names(base_url: str) -> list[str]:
    """Return the names under which a key may be: the whole address, and as it was typed."""
    typed = base_url.strip()
    try:
        return list(dict.fromkeys((Endpoint.parse(typed).base, typed)))
    except StudioError:
        return [typed]


def _system_keychain() -> Keychain:
    """Return the keychain of the system; raises where there is none that keeps secrets.

    Backends that write plain text, or nothing, are none.
    """
    import keyring

    chain: Keychain = keyring.get_keyring()
    kinds = [type(one).__module__ for one in (chain, *getattr(chain, "backends", ()))]
    keeps = [kind for kind in kinds if not kind.endswith((".fail", ".null", ".chainer"))]
    if not keeps or keeps[0].startswith("keyrings.alt"):
        raise LookupError("no keychain that keeps secrets")
    return chain
