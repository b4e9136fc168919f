"""Keywords of the language of asynchronous programs; they cannot be names."""

# fmt: off
KEYWORDS = frozenset((
    "param", "enum", "quorums", "of", "initially", "action", "assert", "async", "await", "for",
    "in", "send", "receive", "havoc", "with", "either", "or", "and", "not", "if", "elif", "else",
    "all", "some", "true", "false", "sequential", "order", "by", "index", "key", "always", "when",
    "next", "none", "abstract", "measure", "ensures", "gate", "skip", "int", "bool", "set", "bag",
    "queue", "old", "invariant",
))
# fmt: on
