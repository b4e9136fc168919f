"""The `.ser` language: from its text to a program of the core, and back."""
