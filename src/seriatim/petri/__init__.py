"""Petri nets, and the net of a network system."""
