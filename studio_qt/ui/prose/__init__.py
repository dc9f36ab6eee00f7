"""Markdown as people write it in conversations: parsed to values, drawn into a text document."""
