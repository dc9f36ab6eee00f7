"""Keys: in the keychain, for the session, or in a file that only the user can read."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from studio_qt.errors import StudioError
from studio_qt.providers.keys import KEY_FILE, KEYCHAIN, KeptKey, Keys, trimmed_key

pytestmark = pytest.mark.clause("STU-10")
URL = "https://example.org/v1"
KEY = "sk-top-secret-1234567890"


class Chain:
    """A keychain in memory."""

    name = "Test Keyring"

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class Broken(Chain):
    """A keychain that fails with the secret in its message."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"cannot keep {password}")

    def get_password(self, service: str, username: str) -> str | None:
        raise OSError("the bus is gone")


class Forgetful(Chain):
    """A keychain that drops what it is given, as the null backend does."""

    def set_password(self, service: str, username: str, password: str) -> None:
        return


def test_a_key_goes_into_the_keychain_under_the_address(tmp_path: Path) -> None:
    chain = Chain()
    keys = Keys(tmp_path, lambda: chain)
    assert keys.keep("https://example.org/", KEY) == "keychain"
    assert chain.kept == {(KEYCHAIN, URL): KEY}
    assert keys.find("example.org/v1/chat/completions") == KeptKey(KEY, "keychain")
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_was_put_there_by_hand_is_found_as_typed(tmp_path: Path) -> None:
    chain = Chain()
    chain.kept[KEYCHAIN, "https://example.org"] = KEY
    assert Keys(tmp_path, lambda: chain).find("https://example.org") == KeptKey(KEY, "keychain")


@pytest.mark.parametrize("chain", [Broken(), Forgetful()])
def test_without_a_keychain_a_key_lives_as_long_as_the_program(
    tmp_path: Path, chain: Chain, caplog: pytest.LogCaptureFixture
) -> None:
    keys = Keys(tmp_path, lambda: chain)
    with caplog.at_level(logging.DEBUG):
        assert keys.keep(URL, KEY) == "session"
    assert keys.find(URL) == KeptKey(KEY, "session")
    assert Keys(tmp_path, lambda: chain).find(URL) is None
    assert list(tmp_path.iterdir()) == []
    assert KEY not in caplog.text


def test_the_systems_null_keychain_counts_as_none(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    assert keys.keychain_name() is None
    assert keys.keep(URL, KEY) == "session"


def test_a_file_is_used_only_with_consent_and_can_be_read_by_its_owner_alone(
    tmp_path: Path,
) -> None:
    keys = Keys(tmp_path / "home", Forgetful)
    assert keys.keep(URL, KEY, instead="file") == "file"
    place = tmp_path / "home" / KEY_FILE
    assert Keys(tmp_path / "home", Forgetful).find(URL) == KeptKey(KEY, "file")
    if os.name == "posix":
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
    keys.forget(URL)
    assert not place.exists()


def test_a_key_is_in_one_place_only(tmp_path: Path) -> None:
    chains: list[Chain] = [Forgetful()]
    keys = Keys(tmp_path, lambda: chains[-1])
    keys.keep(URL, "sk-first-key", instead="file")
    chains.append(Chain())
    assert keys.keep(URL, KEY) == "keychain"
    assert not (tmp_path / KEY_FILE).exists()
    assert keys.find(URL) == KeptKey(KEY, "keychain")


def test_a_broken_key_file_is_no_key(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("{")
    assert Keys(tmp_path, Forgetful).find(URL) is None


def test_no_repr_shows_a_key() -> None:
    from studio_qt.engine.models import Connection as EngineConnection
    from studio_qt.ui.session import Connection

    shown = f"{KeptKey(KEY, 'file')!r} {Connection(URL, KEY)!r} {EngineConnection(URL, KEY)!r}"
    assert KEY not in shown


@pytest.mark.parametrize(
    ("typed", "sent"),
    [(" sk-1\n", "sk-1"), ("Bearer sk-1", "sk-1"), ("", None), (None, None), ("  ", None)],
)
def test_keys_are_trimmed(typed: str | None, sent: str | None) -> None:
    assert trimmed_key(typed) == sent


def test_what_can_be_no_key_is_refused_without_repeating_it() -> None:
    with pytest.raises(StudioError) as refused:
        trimmed_key("“schlüssel”")
    assert "schl" not in str(refused.value)
