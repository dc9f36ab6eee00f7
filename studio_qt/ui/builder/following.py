"""What a form does when its file, or what is around it, changes under it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import fields, replace

from studio_qt.authoring.subagentfacts import SubAgentFacts
from studio_qt.authoring.subagentform import Opened, SubAgentForm
from studio_qt.errors import StudioError
from studio_qt.ui.builder.form import BuilderSheet

__all__ = ["follow", "merged"]

Read = Callable[[Opened], Awaitable[tuple[Opened, SubAgentFacts]]]


async def follow(sheet: BuilderSheet, read: Read) -> None:
    """Take what `read` finds now into the fields that the user has not changed, and say so."""
    before = sheet.opened
    try:
        now, facts = await read(before)
    except StudioError as error:
        sheet.say(f"{error} What you have here stays; Save writes it.", "warn")
        return
    if not sheet.is_open or sheet.opened is not before:
        return
    form = merged(before.form, sheet.form, now.form)
    sheet.show_form(form, now, facts, sheet.surroundings)
    if now.form == before.form:
        return
    text = f"{now.path.rpartition('/')[2]} or config.json was changed elsewhere."
    if form == now.form:
        sheet.say(f"{text} The form shows what is there now.")
    else:
        sheet.say(f"{text} What you changed here stays, and Save writes it.", "warn", theirs=True)


def merged(base: SubAgentForm, mine: SubAgentForm, theirs: SubAgentForm) -> SubAgentForm:
    """Return `mine` where it differs from `base`, and `theirs` in all other fields."""
    kept = {
        one.name: getattr(mine, one.name)
        for one in fields(SubAgentForm)
        if getattr(mine, one.name) != getattr(base, one.name)
    }
    return replace(theirs, **kept)
