"""From an asynchronous program to a checked verdict: orders, gates, measures and invariants that are found."""
