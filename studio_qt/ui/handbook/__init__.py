"""The handbook inside the application."""
