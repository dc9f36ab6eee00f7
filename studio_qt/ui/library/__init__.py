"""The characters that were opened: found again, played, edited, forgotten."""
