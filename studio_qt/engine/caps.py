"""The caps on what agents may spend of the user's tokens (CAP-01 to CAP-03)."""

from __future__ import annotations

from studio_qt.engine.storage import Conversation
from studio_qt.errors import BudgetExhausted
from studio_qt.settings import PlayerSettings

__all__ = ["TokenCaps"]


class TokenCaps:
    """Counts the tokens of agent calls: of this response, and of the conversation's whole life."""

    def __init__(self, conversation: Conversation, settings: PlayerSettings) -> None:
        self._conversation = conversation
        self.settings = settings
        self.this_response = 0

    @property
    def this_conversation(self) -> int:
        """Tokens spent over the conversation's life; kept with it on disk."""
        return self._conversation.agent_tokens

    def begin_response(self) -> None:
        """Start counting a response."""
        self.this_response = 0

    def check(self) -> None:
        """Raise BudgetExhausted when a cap is spent; asked before each call."""
        if self.this_response >= self.settings.agent_tokens_per_response:
            raise BudgetExhausted("budget exhausted for this response")
        if self.this_conversation >= self.settings.agent_tokens_per_conversation:
            raise BudgetExhausted("budget exhausted for this conversation")

    def spend(self, tokens: int) -> None:
        """Count the tokens of a finished call."""
        self.this_response += tokens
        self._conversation.spend_agent_tokens(tokens)
