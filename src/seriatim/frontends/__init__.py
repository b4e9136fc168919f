"""Front ends: translate texts of all kinds to programs and network systems."""
