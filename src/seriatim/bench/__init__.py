"""Benchmarks: measures a suite of inputs, each with a budget, and compares with earlier results."""
