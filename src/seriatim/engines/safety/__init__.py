"""Safety: a run to a failing step, or a proof that no step fails."""
