"""What stands in the window before a character is open, or instead of one."""
