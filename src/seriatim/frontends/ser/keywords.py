"""All words of `.ser` that have a meaning: the lexer, editors and highlighting read them here."""

RESERVED = frozenset(("request", "if", "else", "elif", "while", "yield", "return", "and", "or", "not"))
"""Words that are never names."""

CALLED = ("assert", "await", "choose", "for", "lock", "unlock")
"""Words that look like names of functions."""

DECLARING = ("fun", "const", "enum")

IN_RANGES = ("in", "wrap", "saturate")

CONTEXTUAL = frozenset((*CALLED, *DECLARING, *IN_RANGES))
"""Words that are names where they cannot have their meaning."""

ALL = RESERVED | CONTEXTUAL
