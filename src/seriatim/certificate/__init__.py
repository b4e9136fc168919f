"""Certificates as data, and their format on disk."""
