"""Fuzzing of all that reads texts from outside; inputs that once taught something are in `corpus/`."""
