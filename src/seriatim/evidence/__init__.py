"""An engine's answer as a certificate."""
