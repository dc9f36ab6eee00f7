"""The command dialog."""
