"""Re-checks certificates about logs."""
