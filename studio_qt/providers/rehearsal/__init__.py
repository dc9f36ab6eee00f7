"""Rehearsal: a model that needs no network and is none.

It reads the same request as a language model, calls the tool that the user's words ask for with
arguments that fit, and answers from tool results, context, preload, intro and instructions in the
character's voice. The same request always gets the same reply.

An answer of its own making always ends with the line `— rehearsal` (`MARK`), so that nobody takes
it for a language model's. What it was told word for word, by `[[say …]]` or a script, goes out
without the mark.

Directives in the user's message: `[[call tool {"arg": 1}]]`, `[[say text]]`, `[[slow 5]]`,
`[[fail 500 text]]`. All calls go out in one message; after their results the rest follows in the
order written.
"""

from studio_qt.providers.rehearsal.provider import RehearsalProvider, ScriptedCall, ScriptedReply
from studio_qt.providers.rehearsal.voice import MARK

__all__ = ["MARK", "RehearsalProvider", "ScriptedCall", "ScriptedReply"]
