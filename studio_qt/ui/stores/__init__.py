"""Agent stores: what agents remember, live and shipped, edited as a tree or as text."""
