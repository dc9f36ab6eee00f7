"""What kind of thing a clause asks for, and which of its words are the matter asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum

from studio_qt.providers.rehearsal.words import GREETINGS, STOP_WORDS, fold, sentences, word_set

__all__ = [
    "Action",
    "Clause",
    "actions_of_words",
    "clauses",
    "matter_of",
    "quoted",
    "tidied",
    "topic_of",
    "trimmed",
    "without_quotes",
]

_LONGEST = 4000
_MOST_CLAUSES = 16


class Action(Enum):
    """What is to be done, where the words tell; the value is the word for it."""

    STORE = "store"
    RECALL = "recall"
    FORGET = "forget"
    HISTORY = "history"
    LOOKUP = "lookup"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the user's text that may ask for one thing.

    `core` is the text without politeness. `asks` tells a request or a question from a statement;
    `wondering` is true for questions about the world rather than for something to be done.
    `sentence` numbers the sentence that the clause is a part of.
    """

    text: str
    core: str
    action: Action
    asks: bool
    wondering: bool
    sentence: int


_QUOTED = re.compile(r"\"([^\"\n]{1,2000})\"|“([^”\n]{1,2000})”|«([^»\n]{1,2000})»|„([^“”\n]+)[“”]")
_OPENERS = re.compile(
    r"(?:(?:please|now|then|also|and|so|ok|okay|hey|hi|hello|well|alright|great|thanks|first|next|"
    r"just|kindly|but|oh|yes|no|sure|again|listen|quick(?:ly)?)\b[\s,!.:;-]*"
    r"|(?:can|could|would|will|may|might|should|must)\s+(?:you|we|i)\b(?:\s+mind)?\s*"
    r"|(?:i|we)(?:'d|\s+would)?\s+(?:want|like|need|wish|love)\s+(?:(?:you|us)\s+)?(?:to\b\s*)?"
    r"|(?:let's|let\s+us|let\s+me|try\s+to|go\s+ahead\s+and|do\s+me\s+a\s+favou?r\s+and|"
    r"you\s+(?:should|must|can|may|could|have\s+to|need\s+to)|it's\s+time\s+to|time\s+to|"
    r"i\s+(?:now\s+)?(?=roll\b|throw\b)|be\s+so\s+kind\s+(?:as\s+)?to|i\s+ask\s+you\s+to)\b\s*)+",
)
_POLITE_ONLY = word_set(
    "please now then also and so ok okay hey hi hello well alright great thanks first next just "
    "kindly but oh yes no sure again listen quick quickly"
)
_NAME_FIRST = re.compile(r"[^\W\d_]{2,20},\s+(?=\w)")
_CLOSERS = re.compile(
    r"(?:[\s,]+(?:please|for\s+me|for\s+us|now|right\s+now|thanks|thank\s+you|will\s+you|"
    r"would\s+you|if\s+you\s+can|ok(?:ay)?|once\s+more|again))+[\s.!?]*$"
)
_SPLIT = re.compile(
    r"\s*(;|,?\s+(?:and\s+then|and\s+also|then|and|afterwards)\s|"
    r",\s+(?=(?:then|please\s+\w+|can\s+you|could\s+you|would\s+you|so\s+please|roll|throw|remember|"
    r"don't\s+forget|forget|look\s+up|search|check|find|tell\s+me)\b))\s*"
)
_STATES = re.compile(
    r"(?:i|we|he|she|they|it|this|that|these|those|there|my|our|his|her|their|its|the|a|an|you|"
    r"your|someone|everyone|nobody|i'm|i've|i'd|i'll|it's|we're|we've|he's|she's|they're|you're|"
    r"you've|that's|there's)\b"
)
_QUESTION = re.compile(
    r"(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|"
    r"what's|who's|where's|when's|isn't|aren't|didn't|haven't|don't|any)\b"
)
_OPINION = re.compile(
    r"(?:do|don't|would|did)\s+you\s+(?:even\s+|really\s+)?(?:like|love|enjoy|prefer|hate|think|"
    r"believe|want|have|feel|own|play|fear|miss|mind)\b|have\s+you\s+ever\b|are\s+you\b|"
    r"how\s+(?:are|do\s+you\s+feel|about\s+you|was\s+your)\b|what(?:'s|\s+is)\s+your\s+favou?rite\b|"
    r"(?:who|what|how\s+old|where)\s+are\s+you\b|what(?:'s|\s+is)\s+(?:your|up)\b|why\b"
)

_REMEMBERED = re.compile(r"remember\s+(?!that\b|this\b|to\b)(?!.*\s(?:is|are|was|were)\s)")
_SAID = (
    r"(?:speak|spoke|spoken|talk(?:ed)?|discuss(?:ed)?|mention(?:ed)?|say|said|tell|told|chat(?:ted)?|"
    r"br(?:ing|ought)\s+up|c(?:o|a)me\s+up|agreed?|promised?|wr(?:i|o)te|written)"
)
_ACTIONS: tuple[tuple[Action, re.Pattern[str]], ...] = tuple(
    (action, re.compile(pattern))
    for action, pattern in (
        (Action.STORE, r"^(?:please\s+)?(?:don't|do\s+not|never)\s+(?:ever\s+)?forget\b"),
        (
            Action.HISTORY,
            r"^(?:did|have|had|haven't|didn't|has)\s+(?:we|i|you|he|she|they|anyone|any\s+of\s+us)\s+"
            rf"(?:\w+\s+){{0,2}}{_SAID}\b|^(?:when|where|what|how\s+often)\s+(?:did|have|was|had)\s+"
            rf"(?:we|i|you|it|he|she|they)\s+(?:\w+\s+){{0,2}}{_SAID}\b|"
            rf"^what\s+(?:was|were|has\s+been)\s+(?:\w+\s+)?{_SAID}\b|"
            r"\b(?:search|check|scan|look\s+(?:through|in|into|back)|go\s+through|find\b.{0,60}\bin)\b"
            r".{0,30}\b(?:history|conversations?|chat|transcript|messages|log|what\s+we\s+said)\b|"
            r"^(?:was|were|has|is|had)\s.{1,80}\b(?:mentioned|discussed|talked\s+about|brought\s+up|"
            r"said|spoken\s+of|come\s+up)\b",
        ),
        (
            Action.RECALL,
            r"^(?:do|did|don't|can|could)\s+you\s+(?:still\s+|even\s+)?(?:remember|recall)\b|"
            r"^(?:what|which|who|where|when|how\s+much|anything|everything)\b.{0,40}\byou\s+"
            r"(?:still\s+)?(?:remember|recall|memori[sz]ed|stored|saved|noted|know\s+(?:about|of)\s+(?:me|us)\b|"
            r"(?:keep|have|hold)\s+in\s+(?:your\s+)?(?:memory|mind))|"
            r"^(?:what|who)(?:'s|\s+is|\s+are|\s+was|\s+were)\s+(?:my|our)\b|^who\s+am\s+i\b|"
            r"^do\s+you\s+(?:still\s+)?know\s+(?:my|our|(?:who|what|when|where)\s+(?:i|we))\b|"
            r"^(?:list|show|tell|read|give)\b.{0,20}\byour\s+memor(?:y|ies)\b|"
            r"\bremind\s+me\b|^(?:recall|recollect|retrieve|tell\s+me\s+(?:what|everything|all)\s.{0,20}"
            r"(?:remember|recall|know\s+about\s+me))\b|"
            r"\b(?:search|check|look\s+(?:in|into|through)|consult)\s+(?:\w+\s+)?memor(?:y|ies)\b",
        ),
        (Action.FORGET, r"^(?:forget|erase|delete|remove|unlearn|wipe|drop|clear)\b"),
        (
            Action.STORE,
            r"^(?:remember|memori[sz]e|keep\s+in\s+mind|bear\s+in\s+mind|keep\s.{1,60}\sin\s+mind|"
            r"make\s+a\s+(?:mental\s+)?note|take\s+(?:a\s+)?note|note|write\s+down|write\s.{1,60}\sdown|"
            r"save|store|record|commit\b.{1,80}\bto\s+memory|(?:add|put)\b.{0,60}\bmemory)\b",
        ),
        (
            Action.LOOKUP,
            r"^look(?:ing)?\s+(?:it\s+)?up\b|^look\s.{1,80}\sup\b|^what\s+(?:do|does|can|did|else\s+do)\s.{1,60}\b(?:know|tell|say)\b|"
            r"^look\s+(?:in|through)\s+(?:the|your)\b|^(?:which|what)\s.{1,60}\bdo\s+you\s+know\b|"
            r"^what\s+(?:do|can|did|else\s+do)\s+you\s+"
            r"(?:\w+\s+)?(?:know|tell|say|find)\b|^(?:find\s+out|find|search|check|consult|look\s+for|"
            r"query|read\s+up|research|look\s+into|get\s+me\s+(?:info|information|details))\b|"
            r"^(?:tell|show|give|teach)\s+me\b|^(?:who|what|where|when|which)(?:'s|\s+is|\s+are|\s+was|"
            r"\s+were)\b|^(?:is|are|was|were)\s+there\b|^(?:do|does)\s+(?:you|it)\s+know\b|^any\b|"
            r"^information\b|^how\s+many\b",
        ),
    )
)
_ABOUT = r"(?:about|of|on|for|regarding|concerning)"
_MATTERS: dict[Action, tuple[re.Pattern[str], ...]] = {
    action: tuple(re.compile(pattern, re.DOTALL) for pattern in patterns)
    for action, patterns in {
        Action.STORE: (
            r"^(?:add|put|commit|save|store|write|keep)\s+(?:(?:this|it)\s+)?(?:in(?:to)?|to)\s+"
            r"(?:your\s+)?(?:memory|mind)\s*(?:that\b|:|,)?\s*(?P<m>.+)$",
            r"^(?:keep|store|save|write|commit|put|record|note)\s+(?P<m>.+?)\s+"
            r"(?:in\s+mind|down|to\s+(?:your\s+)?memory|in(?:to)?\s+(?:your\s+)?memory)(?P<tail>.*)$",
            r"^(?:remember|memori[sz]e|save|store|record|note(?:\s+down)?|write\s+down|"
            r"(?:keep|bear)\s+in\s+mind|(?:make|take)\s+(?:a\s+)?(?:mental\s+)?note|"
            r"(?:don't|do\s+not|never)\s+(?:ever\s+)?forget)\b(?:\s+for\s+(?:me|later))?"
            r"(?:\s+the\s+fact\b)?(?:\s+(?:that|this(?=\s*:)|of(?:\s+the\s+fact\s+that)?|about))?"
            r"\s*[:,]?\s*(?P<m>.+)$",
        ),
        Action.RECALL: (
            rf"\b(?:remember|recall|recollect|know|retrieve|memori[sz]ed|stored|saved|noted)\b\s*{_ABOUT}?\s*(?P<m>.+)$",
            rf"\bremind\s+me\s+(?:{_ABOUT}\s+)?(?P<m>.+)$",
            rf"\bmemor(?:y|ies)\s+{_ABOUT}\s+(?P<m>.+)$",
            r"^(?:what|who)(?:'s|\s+is|\s+are|\s+was|\s+were)\s+(?P<m>.+)$",
        ),
        Action.FORGET: (
            r"^(?:forget|erase|delete|remove|unlearn|wipe|drop|clear)\b"
            r"(?:\s+(?:about|that|(?:everything|all|anything|what)(?:\s+that)?(?:\s+you\s+(?:know|remember))?\s+about|"
            r"the\s+memory\s+(?:of|about)))?\s*(?P<m>.+)$",
        ),
        Action.HISTORY: (
            r"^(?:was|were|has|is|had)\s+(?P<m>.+?)\s+(?:been\s+|ever\s+|already\s+)*"
            r"(?:mentioned|discussed|talked|brought|said|spoken|come)\b",
            rf"\b(?:history|conversations?|chat|transcript|messages|log)\s+{_ABOUT}\s+(?P<m>.+)$",
            rf"\b(?:search|check|find|look)\s+(?:{_ABOUT}\s+)?(?P<m>.+?)\s+in\s+(?:our|the|this)\b",
            rf"\b{_SAID}\b(?:\s+(?:(?:to|with)\s+)?(?:me|you|us|each\s+other|him|her|them)\b)?\s*"
            rf"(?:anything\s+|something\s+)?{_ABOUT}?\s*(?P<m>.+)$",
        ),
        Action.LOOKUP: (
            r"^(?:which|what)\s+(?P<m>.+?)\s+(?:do|can|did)\s+you\s+(?:know|have|remember)\b",
            r"^any\s+(?P<m>.+)$",
            r"^look\s+(?P<m>(?!up\b|for\b|into\b).{1,200}?)\s+up\b",
            r"^what\s.{0,60}?\b(?:know|tell|say|find)\b(?:\s+(?:me|us|out))?"
            rf"(?:\s+{_ABOUT})?\s+(?P<m>.+)$",
            r"^(?:look\s+(?:up|for|into)|find\s+out|find|search|check|consult|query|read\s+up|"
            r"research|tell\s+me|show\s+me|give\s+me|teach\s+me|get\s+me)\b"
            r"(?:.{0,60}?\s(?:about|for|on|regarding|concerning)\b)?\s*(?P<m>.+)$",
            r"^(?:who|what|where|when|which)(?:'s|\s+is|\s+are|\s+was|\s+were)\s+(?P<m>.+)$",
            r"^(?:is|are|was|were)\s+there\s+(?P<m>.+)$",
            rf"\b(?:know|information|details|any\w*)\s+{_ABOUT}\s+(?P<m>.+)$",
        ),
    }.items()
}
_TAIL = re.compile(
    r"(?:[\s,]+(?:before|earlier|already|yet|yesterday|last\s+time|previously|at\s+all|so\s+far|ever|"
    r"together|for\s+(?:me|us)|please|anymore|any\s+more|once|again|now|with\s+(?:me|you)|"
    r"in\s+(?:our|this|the)\s+(?:conversation|chat|story|history|past)s?|from\s+(?:your\s+)?memory|"
    r"to\s+(?:me|you)))+$"
)
_ASKED_AS = re.compile(r"^(?:what|who|where|when|which|how)\s+(.+?)\s+(?:is|are|was|were)$")
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|my|our|your|his|her|their|its|this|that|these|those|some|any|all|about|of|to|"
    r"for|on|in|at|with|me|us|more|everything|anything|something|out)\s+)+(?=\w)"
)
_ACTION_WORDS: tuple[tuple[Action, frozenset[str]], ...] = (
    (Action.FORGET, word_set("forget delete remove erase clear drop unlearn wipe")),
    (Action.HISTORY, word_set("history conversation conversations transcript chat")),
    (Action.RECALL, word_set("recall retrieve recollect recalls retrieves reminds")),
    (
        Action.STORE,
        word_set(
            "store save remember memorize memorise add record set note stores saves remembers "
            "adds records writes write keep keeps put append"
        ),
    ),
    (
        Action.LOOKUP,
        word_set(
            "lookup search searches find finds query db database lore consult ask "
            "wiki encyclopedia encyclopaedia library knowledge answers facts"
        ),
    ),
)


def tidied(text: str) -> str:
    """Return the first 4,000 characters with long runs of blanks and commas cut short.

    The patterns here would take time that grows with the square of such a run.
    """
    return _LONG_RUN.sub(_shortened, text[:_LONGEST])


def clauses(text: str) -> list[Clause]:
    """Return the clauses of a tidied text, at most 16; quoted words neither split it nor ask."""
    found: list[Clause] = []
    for number, sentence in enumerate(sentences(_shield(text))):
        telling = False
        parts = _SPLIT.split(sentence)
        for joint, part in zip(["", *parts[1::2]], parts[::2], strict=True):
            if not part.strip():
                continue
            clause = _clause(part, number)
            if telling and "," not in joint and clause.text.startswith(clause.core):
                clause = replace(clause, asks=False)  # "I sat there and remembered"
            telling = bool(_STATES.match(fold(clause.text))) and not clause.asks
            found.append(clause)
            if len(found) == _MOST_CLAUSES:
                return found
    return found


def actions_of_words(words: list[str]) -> frozenset[Action]:
    """Return the actions that words of a tool's name or description speak of."""
    have = set(words)
    return frozenset(action for action, names in _ACTION_WORDS if have & names)


def matter_of(core: str, action: Action) -> str:
    """Return what `core` says beside the asking itself, in the user's spelling; may be ""."""
    folded = _same_length_fold(core)
    for pattern in _MATTERS.get(action, ()):
        if match := pattern.search(folded):
            return trimmed(core[match.start("m") : match.end("m")])
    return ""


def topic_of(matter: str) -> str:
    """Return `matter` without articles, possessives and words of time around it."""
    text = trimmed(matter)
    if tail := _TAIL.search(_same_length_fold(text)):
        text = text[: tail.start()]
    if asked := _ASKED_AS.match(_same_length_fold(text)):
        text = text[asked.start(1) : asked.end(1)]
    if article := _ARTICLE.match(_same_length_fold(text)):
        text = text[article.end() :]
    return trimmed(text) or trimmed(matter)


def trimmed(text: str) -> str:
    """Return `text` without the punctuation of its end, the blanks and quotation marks around."""
    text = text.strip().rstrip(".!?,;:…。！？ ")
    pairs = (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("'", "'"), ("‘", "’"))
    for opening, closing in pairs:
        if len(text) > 2 and text[0] == opening and text[-1] == closing:
            return text[1:-1].strip()
    return text


def quoted(text: str) -> list[str]:
    """Return the quoted parts of a text."""
    return [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]


def without_quotes(text: str) -> str:
    """Return `text` with its quoted parts taken out."""
    return _QUOTED.sub(" ", text)


_SHIELDS = str.maketrans(
    {".": "\ue000", "!": "\ue001", "?": "\ue002", ";": "\ue003", " ": "\ue004"}
)
_UNSHIELDS = {ord(shield): chr(mark) for mark, shield in _SHIELDS.items()}
_LONG_RUN = re.compile(r"[\s,]{6,}")
_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)|(?<=\b[a-zA-Z])\.(?=[a-zA-Z]\b)")


def _shortened(run: re.Match[str]) -> str:
    mark = "," if "," in run.group() else ""
    return f"{mark}\n" if "\n" in run.group() else f"{mark} "


def _shield(text: str) -> str:
    """Hide the ends of sentences within quotation marks and numbers."""
    text = _QUOTED.sub(lambda match: match.group().translate(_SHIELDS), text)
    return _DECIMAL.sub("\ue000", text)


def _same_length_fold(text: str) -> str:
    """Fold case without moving any character, so that spans fit the original."""
    return "".join(
        low if len(low := char.lower()) == 1 else char for char in text.replace("’", "'")
    )


def _clause(part: str, sentence: int) -> Clause:
    text = part.translate(_UNSHIELDS).strip()
    core, polite = _core(text)
    plain = without_quotes(core)
    folded = fold(plain).strip()
    action = next((name for name, pattern in _ACTIONS if pattern.search(folded)), Action.NONE)
    if action is Action.STORE and text.endswith("?") and _REMEMBERED.match(folded):
        action = Action.RECALL
    question = bool(_QUESTION.match(folded)) or (text.endswith("?") and not polite)
    if _OPINION.match(folded) and action not in (Action.RECALL, Action.HISTORY, Action.STORE):
        return Clause(text, core, Action.NONE, asks=False, wondering=True, sentence=sentence)
    states = bool(_STATES.match(folded)) and not polite and not question
    asks = not states and not _is_greeting(folded)
    return Clause(text, core, action if asks else Action.NONE, asks, question, sentence)


def _core(text: str) -> tuple[str, bool]:
    """Return the text without politeness around it, and whether some of it asked."""
    core = text
    if name := _NAME_FIRST.match(core):
        core = core[name.end() :]
    folded = _same_length_fold(core)
    asked = False
    if opening := _OPENERS.match(folded):
        words = set(re.findall(r"[a-z']+", opening.group()))
        asked = bool(words - _POLITE_ONLY)
        core = core[opening.end() :]
    closing = _CLOSERS.search(_same_length_fold(core))
    return trimmed(core[: closing.start()] if closing else core), asked


def _is_greeting(folded: str) -> bool:
    words = re.findall(r"[^\W\d_]+", folded)
    return bool(words) and all(word in GREETINGS or word in STOP_WORDS for word in words)
