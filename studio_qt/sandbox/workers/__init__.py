"""What runs inside a worker process; the application itself imports nothing from here."""
