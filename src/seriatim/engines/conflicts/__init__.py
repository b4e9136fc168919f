"""Conflict cycles: found, or excluded."""
