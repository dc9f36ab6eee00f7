"""Tests of loading a character package."""
