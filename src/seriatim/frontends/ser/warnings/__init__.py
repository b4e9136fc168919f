"""What is surely a mistake in a program, though the program has a meaning."""
