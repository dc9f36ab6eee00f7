"""What stands in the window before a project is open."""
