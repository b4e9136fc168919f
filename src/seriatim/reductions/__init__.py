"""Smaller systems with the same outcomes, each with its way back for runs; the proofs are in docs/theory."""
