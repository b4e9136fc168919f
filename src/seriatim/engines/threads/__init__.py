"""Thread programs: searches for a failure, and proofs that none happens, for any number of threads."""
