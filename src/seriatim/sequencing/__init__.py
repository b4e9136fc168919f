"""From an asynchronous program to a checked verdict: finds orders, gates, measures and invariants."""
