"""An interpreter of P4 programs at full widths, which confirms violations that the model shows.

It executes the syntax tree itself and shares only the parser and the types with the translation.
"""
