"""Tabs with an editor for each text file, and previews for the others (STU-01)."""
