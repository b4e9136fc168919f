"""Ways to decide; one method a module, none imports another."""
