"""Programs whose threads fork and join: their data, reference semantics and canonical text."""
