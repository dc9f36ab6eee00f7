"""The texts that are open: what is unsaved, what the disk has, and what they were before."""
