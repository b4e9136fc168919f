"""Schedules: which stages work on each kind of problem, and in which order."""
