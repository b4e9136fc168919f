"""Differential fuzzing: whatever answers the same question has to give the same answer."""
