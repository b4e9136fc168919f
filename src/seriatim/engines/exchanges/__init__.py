"""Proofs for any number of requests and any integers: steps are exchanged, and most see nothing of data."""
