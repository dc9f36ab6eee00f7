"""Tests of what asks before foreign code runs, and of the bars above editors."""
