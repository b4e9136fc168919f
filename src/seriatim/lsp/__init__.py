"""The language server: verdicts, names and changes for editors, over the Language Server Protocol."""
