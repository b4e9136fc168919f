"""Does a log show a race? Compares the answers in the log with one-at-a-time runs of a model."""
