"""Graphs as SVG, Mermaid and DOT."""
