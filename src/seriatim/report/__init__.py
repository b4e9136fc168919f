"""What people and machines read: every function returns text, none prints."""
