"""Certificates as data: the format that evidence has on disk."""
