"""Programs in P4-16 for the architecture v1model."""
