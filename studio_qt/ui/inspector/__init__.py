"""The prompt inspector: the exact requests, before and after they are sent."""
