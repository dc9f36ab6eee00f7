"""The problems of a package."""
