"""The chat: the transcript of a conversation and the field to write in."""
