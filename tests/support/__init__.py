"""Beds and servers that the tests share."""
