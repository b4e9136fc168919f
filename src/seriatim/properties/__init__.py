"""What is asked of a system."""
