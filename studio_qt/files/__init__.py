"""Files: sources to read packages from, atomic replacement, the lock of a data folder."""
