"""Views of a program or a network system, as tables, JSON and pictures; each view is a module.

`show.schema.json` describes the JSON.
"""
