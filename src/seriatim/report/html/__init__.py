"""HTML: a verdict as a fragment for notebooks, and as a page of its own."""
