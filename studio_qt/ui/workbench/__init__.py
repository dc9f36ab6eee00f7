"""The panes of the window: rail, side, editors, bottom and chat."""
