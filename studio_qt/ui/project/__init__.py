"""The project tree: what the folder of a character holds, by what it is for."""
