"""Linear arithmetic: formulas, sets of vectors, solvers."""
