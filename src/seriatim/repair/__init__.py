"""Small changes to a program that make it serializable."""
