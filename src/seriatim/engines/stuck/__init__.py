"""Stuck runs: requests in flight that can never complete, or a proof that there are none."""
