"""Mutation testing: small faults are put into the code, one at a time, and some test has to notice each."""
