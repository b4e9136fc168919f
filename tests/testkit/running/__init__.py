"""Processes, servers, golden files and pages: run what users run, and look at what it prints."""
