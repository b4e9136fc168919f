"""Was this log a race? What production answered, compared with one-at-a-time runs of a model."""
