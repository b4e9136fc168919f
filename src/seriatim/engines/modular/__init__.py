"""Proofs by movers, handler by handler."""
