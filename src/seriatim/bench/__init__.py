"""Measuring: a suite of inputs, a budget for each, and what came of it compared with an earlier time."""
