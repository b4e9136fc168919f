"""Network systems as JSON."""
