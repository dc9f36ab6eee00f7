"""Takes keys out of what is written or shown. No Qt in here."""

from __future__ import annotations

import re

__all__ = ["MASK", "mask"]

MASK = "•••"

_NAMES = (
    r"(?:proxy-)?authorization|(?:x-)?(?:goog-)?api[-_ ]?key|apikey|access[-_]?key|secret[-_]?key"
    r"|client[-_]?secret|secret|password|passwd|passphrase|cookie|set-cookie"
    r"|(?:access|auth|refresh|id|session|bearer)[-_]?token"
)
_NAMED = re.compile(
    rf"""(?P<name>\b(?:{_NAMES})\b['"]?\s*[:=]>?\s*)
    (?:(?P<quote>['"])(?:[^'"\\]|\\.)*(?P=quote)
      | (?:(?:bearer|basic|token)\s+)?[^\s'",;&)}}\]]+)""",
    re.IGNORECASE | re.VERBOSE,
)
_SCHEME = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{6,}", re.IGNORECASE)
_PREFIXED = re.compile(
    r"\b(?:sk|pk|rk|ak|xai|gsk|hf|ghp|gho|ghs|glpat|pplx|nvapi|r8|csk|fw|tgp|sess|key|or|lm)"
    r"[-_][\w-]{8,}"
)
_GOOGLE = re.compile(r"\bAIza[\w-]{20,}")
_WEB_TOKEN = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?")
_LOGIN = re.compile(r"(?<=://)[^/\s:@]+(?::[^/\s@]*)?@")
_QUERY = re.compile(r"([?&](?:key|api[-_]?key|token|sig|signature|auth)=)[^&\s'\"]+", re.IGNORECASE)
_OPAQUE = re.compile(r"(?<![\w/.-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{36,}(?![\w/.-])")


def mask(text: str, secrets: frozenset[str] = frozenset()) -> str:
    """Return a text with `MASK` in place of whatever is, or may be, a key.

    `secrets` are known ones. Beside them: values of names such as Authorization or api_key, what
    begins as keys of known services do, logins in addresses, and long mixtures of small letters,
    capitals and digits.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    text = _LOGIN.sub(f"{MASK}@", text)
    text = _QUERY.sub(rf"\g<1>{MASK}", text)
    text = _NAMED.sub(rf"\g<name>{MASK}", text)
    text = _SCHEME.sub(rf"\g<1> {MASK}", text)
    for form in (_PREFIXED, _GOOGLE, _WEB_TOKEN, _OPAQUE):
        text = form.sub(MASK, text)
    return text
