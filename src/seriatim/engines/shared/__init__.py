"""What several engines rest on."""
