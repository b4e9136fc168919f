"""An interpreter of P4 programs at full widths, which confirms what the translation has found.

It executes the syntax tree itself and shares nothing with the translation but the parser and the types.
"""
