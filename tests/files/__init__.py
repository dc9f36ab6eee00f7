"""Tests of sources, safe paths, atomic writes and locks."""
