"""The SER language: its syntax, a parser and a printer for both surface styles, and static checks."""
