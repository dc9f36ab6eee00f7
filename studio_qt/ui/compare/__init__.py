"""Two texts side by side, with what differs."""
