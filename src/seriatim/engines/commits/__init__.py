"""Commit points: each request takes effect in one of its steps."""
