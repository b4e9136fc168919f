"""Asynchronous programs: actions that start actions, their reference semantics, and proofs by one order."""
