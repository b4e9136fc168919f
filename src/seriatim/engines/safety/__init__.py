"""Safety: a run to a failing step, or a proof that there is none."""
