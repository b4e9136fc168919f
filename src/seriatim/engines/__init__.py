"""The engines: ways to decide. Each method has its own folder, and none imports another."""
