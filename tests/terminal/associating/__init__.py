"""What the desktops are told, read back with their own tools where these are there."""
