"""Importing the window's own modules, of which there are many at the start, without detours."""

from __future__ import annotations

import builtins
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType

__all__ = [
    "NETWORK",
    "beside_a_window",
    "import_directly",
    "no_collections",
    "plain_imports",
    "room_for_types",
    "switch_quickly",
]

NETWORK = "studio_qt.providers.network"
"""What has to be imported before anything is asked of a server."""

_SWITCH_SECONDS = 0.0001

_FEATURES = "shibokensupport.feature"

_ROOM = 600
"""Classes, made and given up: room for 1,100 is left then; those of Qt and ours are 700."""


@cache
def room_for_types() -> None:
    """Let threads make Qt's classes beside a window from now on; call it on the window's thread.

    Up to Python 3.11, PySide keeps what it knows of classes in one table, without a lock. Qt
    asks for the class of a widget while it lays windows out, and a class that is made on another
    thread just then, by an import, may make the table grow under its hands: the process crashes.
    A table that has been large stays large, so that it is made large before there are threads.
    It takes 4 ms, once.
    """
    if sys.version_info < (3, 12):
        from shiboken6 import Shiboken

        with no_collections():
            made = [type("Room", (Shiboken.Object,), {"__slots__": ()}) for _ in range(_ROOM)]
            made.clear()
            gc.collect(0)  # classes go with the collector alone, and would take up the room


def switch_quickly() -> None:
    """Let threads that compute give way to the window's after a tenth of a millisecond.

    Python lets a thread run on for 5 ms while others wait, and the window's waits anew after each
    call of Qt: a turn of ten calls would wait for 50 ms, and a turn of a hundred at half a
    millisecond as long.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)


@contextmanager
def plain_imports() -> Iterator[None]:
    """Import as Python does; PySide reads the source of every module that is imported.

    It looks for modules that want other names for Qt's methods, as it does at each later import
    statement. None of ours wants any, which is what it is told; reading takes longer than many
    modules take to run.
    """
    hooked, plain = builtins.__import__, getattr(builtins, "__orig_import__", None)
    if plain is None or plain is hooked:
        yield
        return
    builtins.__import__ = plain
    try:
        yield
    finally:
        builtins.__import__ = hooked
        _declare()


def import_directly(name: str) -> ModuleType:
    """Import a module and what it needs on another thread, beside a window that is used."""
    with beside_a_window():
        return import_module(name)


@contextmanager
def beside_a_window() -> Iterator[None]:
    """Import on another thread as `plain_imports` does, and collect nothing meanwhile.

    What the collector finds there would end Qt's objects on the wrong thread.
    """
    with plain_imports(), no_collections():
        yield


@contextmanager
def no_collections() -> Iterator[None]:
    """Leave Python's garbage for later; nearly all that is made at the start stays."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _declare() -> None:
    """Tell PySide that the modules of ours call Qt's methods as Qt does."""
    known = getattr(sys.modules.get(_FEATURES), "pyside_feature_dict", None)
    if isinstance(known, dict):
        for name in filter(_is_ours, list(sys.modules)):
            known.setdefault(name, 0)


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == "studio_qt"
