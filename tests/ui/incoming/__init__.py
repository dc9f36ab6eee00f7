"""Tests of what comes into the window from elsewhere."""
