"""Chains: decides by splitting the set of complete runs into chains of components."""
