"""From a base URL to the provider that it means."""

from __future__ import annotations

from studio_qt.providers.model import Provider
from studio_qt.providers.patience import Patience
from studio_qt.providers.profile import Overrides
from studio_qt.providers.profiles import ProfileStore
from studio_qt.settings import PlayerSettings

__all__ = ["open_provider"]


def open_provider(
    base_url: str,
    api_key: str | None = None,
    *,
    settings: PlayerSettings | None = None,
    profiles: ProfileStore | None = None,
    patience: Patience | None = None,
) -> Provider:
    """Return the provider of `base_url`; nothing is sent yet.

    "rehearsal:" is the built-in offline model. Of `settings`, `send_is_file`, `merge_same_role`
    and `model_takes_tools` count. Raises StudioError for an address that cannot be used.
    """
    if base_url.strip().lower().startswith("rehearsal:"):
        from studio_qt.providers.rehearsal import RehearsalProvider

        return RehearsalProvider()
    from studio_qt.providers.client import HttpProvider

    chosen = settings or PlayerSettings()
    overrides = Overrides(chosen.send_is_file, chosen.merge_same_role, chosen.model_takes_tools)
    return HttpProvider(
        base_url, api_key, profiles=profiles, overrides=overrides, patience=patience
    )
