"""The paper's own method, and its evaluation repeated."""
