"""The Studio window."""
