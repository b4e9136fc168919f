"""Expressions of thread programs and of asynchronous programs: one tree, one evaluator."""
