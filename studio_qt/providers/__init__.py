"""Providers: one streaming client for OpenAI-compatible servers, and the Rehearsal model."""

from studio_qt.providers.connect import open_provider
from studio_qt.providers.patience import Patience
from studio_qt.providers.profile import Overrides, Profile
from studio_qt.providers.profiles import ProfileStore

__all__ = ["Overrides", "Patience", "Profile", "ProfileStore", "open_provider"]
