"""Schedules: which stages work on each kind of problem, in the order that pays."""
