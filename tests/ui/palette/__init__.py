"""Tests of where the palette leads."""
