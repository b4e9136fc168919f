"""Transactions on a live PostgreSQL server: a private one, or one that the user names."""
