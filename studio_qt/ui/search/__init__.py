"""Search and replace in the files of the project."""
