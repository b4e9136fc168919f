"""The kernel under measurement: what it accepts, how long it takes, and whether a changed input deceives it."""
