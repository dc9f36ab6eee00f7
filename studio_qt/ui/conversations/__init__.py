"""All conversations of a character: the list, what is done with them, search and export."""
