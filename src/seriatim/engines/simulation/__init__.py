"""Proofs for any number of requests and any integers, by formulas about one or two requests at a time."""
