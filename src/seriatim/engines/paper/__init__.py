"""The paper's own method."""
