"""Tests of the list of conversations in real windows."""
