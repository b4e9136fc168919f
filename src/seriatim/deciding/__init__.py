"""From an input to a result: the stages in order, what explains the answer, and what confirms it."""
