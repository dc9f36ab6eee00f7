"""The log of the window, and what a report of a fault needs."""
