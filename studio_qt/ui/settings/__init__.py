"""Settings: every choice of the user, on one sheet."""
