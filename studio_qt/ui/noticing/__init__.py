"""The bars above editors that say how a file stands to the character (STU-07)."""
