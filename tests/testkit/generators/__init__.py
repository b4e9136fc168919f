"""Inputs at random, by a seed or for hypothesis: take one to compare two ways on inputs that nobody chose."""
