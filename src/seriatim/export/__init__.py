"""Inputs and proofs in the formats of other tools."""
