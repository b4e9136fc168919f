"""The kernel under measurement: what it accepts, how fast, and whether changed inputs deceive it."""
