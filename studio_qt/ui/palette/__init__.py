"""The command palette, and the list of keys."""
