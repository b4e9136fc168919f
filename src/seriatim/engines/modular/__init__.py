"""Handler by handler, by movers."""
