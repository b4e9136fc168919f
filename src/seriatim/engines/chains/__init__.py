"""Chains: takes apart the ways that runs can go."""
