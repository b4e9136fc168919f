"""C programs with pthreads: preprocessing, types, expressions, statements, and steps of threads."""
