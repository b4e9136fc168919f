"""Proofs for any number of requests and any integers: by exchanging steps, most of which see no data."""
