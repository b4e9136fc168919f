"""Proofs as SMT-LIB scripts."""
