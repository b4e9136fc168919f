"""Words of each format, which a fuzzer would take long to guess."""

_XML = (
    '<?xml version="1.0"?>',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    "&amp;",
    "&#x41;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
)
_JSON = ('{"', '":', '": "', '"], ["', "[]", "{}", "null", "true", "-1", "1e9", "\\ud800", "\\u0000")

WORDS: dict[str, tuple[str, ...]] = {
    "program": (
        *(
            "request",
            "if",
            "else",
            "elif",
            "while",
            "yield",
            "return",
            "and",
            "or",
            "not",
            "choose",
            "await",
            "assert",
        ),
        *("lock", "unlock", "const", "fun", "wrap", "saturate", "in", "enum", "?", "0", "1", "X", "x"),
        *(":=", "==", "!=", "<=", ">=", "&&", "||", "..", "//", "#", "\n    ", "{ ", " }", "; "),
    ),
    "specification": ("spec {", "init ", " -> ", ": ", "/", ", ", "; ", "#", "//", '"', "-1", "request "),
    "system": (*_JSON, "initial_global", "requests", "responses", "transitions"),
    "certificate": (
        *_JSON,
        *("format", "seriatim-certificate", "version", "input_sha256", "question", "serializable", "verdict"),
        *("not_serializable", "kind", "turns", "request", "handler", "after", "response", "level", "late"),
        *("invariants", "committed", "code", "values", "variable", "sign", "situations", "cuts", "covers"),
        *(
            "direction",
            "waiting",
            "cases",
            "global",
            "numbers",
            "globals",
            "siphon",
            "trap",
            "path",
            "cycles",
        ),
        *("at", "tree", "completions", "rule", "sum", "divisor", "absurd", "round", "cover", "cut"),
        *(
            "chains",
            "moves",
            "proof",
            "step",
            "takes",
            "gives",
            "answer",
            "levels",
            "rows",
            "nodes",
            "places",
        ),
        *("edges", "times", "node", "side", "entry", "exit", "no-runs", "counted", "situated", "layered"),
        *(
            "fixed",
            "outside-cover",
            "cycle",
            "no-cycle",
            "points",
            "property",
            "barriers",
            "observed",
            "strict",
        ),
        *("run", "atomic", "commit", "reduction", "linear-cover", "forward", "backward"),
    ),
    "tina": (
        "net ",
        "pl ",
        "tr ",
        "pr ",
        "lb ",
        " -> ",
        "[0,w[",
        "*2",
        "?1",
        "?-1",
        "!-1",
        "(1)",
        "{",
        "}",
        "\\",
    ),
    "pnml": (
        *_XML,
        *("<pnml>", "<net>", "<page>", "<place id=", "<transition id=", "<arc source=", " target=", "<text>"),
        *("initialMarking", "inscription", "referencePlace", "type=", "toolspecific", "_x41_"),
    ),
    "query": (
        *_XML,
        *("property-set", "property", "<id>", "formula", "exists-path", "finally", "all-paths", "globally"),
        *("conjunction", "disjunction", "negation", "<true/>", "<false/>", "is-fireable", "<deadlock/>"),
        *("integer-le", "integer-lt", "integer-ge", "integer-gt", "integer-eq", "integer-ne", "integer-sum"),
        *("integer-difference", "integer-product", "integer-constant", "tokens-count", "place", "transition"),
    ),
    "reference": (
        *_JSON,
        *(
            "file",
            "serializable",
            "_ms",
            "\t",
            "\n",
            "yes",
            "no",
            "timeout",
            "nan",
            "inf",
            "outcome",
            "seconds",
        ),
    ),
}


def dictionary(format_: str) -> str:
    """The words of a format as libFuzzer reads them: one a line, bytes that are not plain in hexadecimal."""
    return "".join(f'"{_escaped(word)}"\n' for word in WORDS[format_])


def _escaped(word: str) -> str:
    return "".join(chr(b) if chr(b).isalnum() and b < 128 else f"\\x{b:02x}" for b in word.encode())
