"""Builders of the screens on which requests are looked into and tools are tried."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from tests.ui.look.scene import Scene

__all__ = ["inspector", "sent", "tester"]


async def inspector(scene: Scene) -> QWidget:
    """The next request of a character, a part of its context unfolded."""
    window = (await scene.stage(scene.keeper())).window
    page = window.pages.inspector
    window.pages.chat.draft = "Who lit the lamp tonight?"
    window.inside.workbench.show_large("inspector")
    await scene.wait(lambda: page.shown is not None and page.settled)
    page.blocks.choose("context")
    page.blocks.toggle(page.blocks.currentIndex())
    await scene.wait(lambda: page.settled)
    return window


async def sent(scene: Scene) -> QWidget:
    """A request that has gone out, its preload against that of the turn before."""
    window = (await scene.stage(scene.keeper())).window
    player, page = window.session.player, window.pages.inspector
    assert player is not None
    for key, text in (("rope", "Forty fathoms of rope."), ("fog", "Asks to cross.")):
        said = f'[[call store_memory {{"key": "{key}", "text": "{text}"}}]] [[say So.]]'
        await player.send(said)
    window.inside.workbench.bottom.hide()
    window.inside.workbench.show_large("inspector")
    await scene.wait(lambda: page.shown is not None and page.settled)
    page.requests.choose(player.requests()[-1].number)
    await scene.wait(lambda: page.shown.about.number > 0 and page.settled)
    page.blocks.choose("preload")
    await scene.wait(lambda: page.settled)
    return window


async def tester(scene: Scene) -> QWidget:
    """A tool with its form, after a call that changed a store."""
    window = (await scene.stage(scene.keeper())).window
    page = window.pages.tester
    window.inside.workbench.show_large("tester")
    page.list.choose("tool", "keeper.lantern-log", "write_log")
    page.arguments.put({"text": "Oil is low.", "hour": "17:12"})
    page.run()
    await scene.wait(lambda: page.settled and page.outcome.report is not None)
    return window
