"""Systems of threads that start and join each other, as engines explore them."""
