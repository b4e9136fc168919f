"""Proofs of serializability as SMT-LIB: initiation, consecution and refutation, for solvers to confirm."""
