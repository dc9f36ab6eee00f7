"""Generate: a whole sub-agent from a name and a wish, by the worker model (STU-09)."""

from __future__ import annotations

from dataclasses import dataclass

from studio_qt.authoring.answers import excerpt, is_refusal, prompt_files
from studio_qt.authoring.asking import Answer, RefusedError, Talk, message
from studio_qt.authoring.checking import Checked, check_prompt
from studio_qt.authoring.inventory import Inventory
from studio_qt.authoring.teaching import SUB_AGENT_FORMAT, fix_request, sub_agent_request

__all__ = ["LONGEST_WISH", "Generated", "Wish", "generate_sub_agent", "refused", "wish_fault"]

LONGEST_WISH = 8_000
"""Characters."""

_ANSWER_TOKENS = 3_000
_SHOWN_BACK = 12_000
"""Characters of an answer that the model is shown again when it is to mend it."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the author asks for; `name` is the id, and the file's name without its ending."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Generated:
    """A whole file. `notes` are sentences for its author; `draft` where no model wrote it."""

    path: str
    text: str
    notes: tuple[str, ...] = ()
    draft: bool = False


def wish_fault(text: str) -> str | None:
    """Return why a wish cannot be asked for, as a sentence."""
    if not text.strip():
        return "Say what it should do."
    if len(text) > LONGEST_WISH:
        return f"Say it in at most {LONGEST_WISH:,} characters; these are {len(text):,}."
    return None


async def generate_sub_agent(talk: Talk, wish: Wish, inventory: Inventory) -> Generated:
    """Return a sub-agent's file that loads as it is.

    The model is told once what is wrong with its answer. Raises RefusedError with the reason where
    that does not help, and ModelError.
    """
    asked = sub_agent_request(inventory.told(), wish.name, wish.text.strip())
    messages = [message("system", SUB_AGENT_FORMAT), message("user", asked)]
    answer = await talk.ask(messages, _ANSWER_TOKENS, "Writing the sub-agent")
    checked = _best(answer, wish.name, inventory)
    if checked.problems:
        messages += [
            message("assistant", answer.text[:_SHOWN_BACK] or "(nothing)"),
            message("user", fix_request(checked.problems)),
        ]
        again = await talk.ask(messages, _ANSWER_TOKENS, "Mending what did not fit")
        better = _best(again, wish.name, inventory)
        if better.meta is not None or checked.meta is None:
            answer, checked = again, better
    checked = checked.settled()
    if checked.faults or checked.meta is None:
        raise refused(answer.text, checked.faults, "sub-agent")
    return Generated(f"agents/{wish.name}.subagent.md", checked.text, checked.notes)


def refused(answer: str, problems: tuple[str, ...], what: str) -> RefusedError:
    """Return the error for an answer that stays unusable."""
    if is_refusal(answer):
        said = excerpt(answer)
        return RefusedError(
            f"The model will not write this. It says: “{said}” Say the wish in other words, or "
            "choose another worker model in Settings, Connections.",
            answer,
        )
    reason = " ".join(problems[:3])
    return RefusedError(
        f"The model's answer is no usable {what}. {reason} Try again, or choose another worker "
        "model in Settings, Connections.",
        answer,
    )


def _best(answer: Answer, name: str, inventory: Inventory) -> Checked:
    """Return the file of an answer that has the fewest problems, the last of equals."""
    best: Checked | None = None
    for text in prompt_files(answer.text):
        checked = check_prompt(text, name, inventory)
        if best is None or _badness(checked) <= _badness(best):
            best = checked
    if best is None:
        reason = "There is no file in it that begins with --- and says a description."
        if not answer.text.strip():
            reason = "It is empty."
        return Checked(faults=(reason,))
    if answer.cut:
        cut = "It broke off at the length limit; write it shorter, in at most 200 words."
        return Checked(best.meta, best.body, (*best.faults, cut), best.doubts, best.notes)
    return best


def _badness(checked: Checked) -> tuple[int, int]:
    return len(checked.faults), len(checked.doubts)
