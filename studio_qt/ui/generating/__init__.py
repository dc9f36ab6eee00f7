"""Generate and Polish: files and texts that the worker model writes or improves (STU-09)."""
