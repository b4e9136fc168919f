"""Names of isolation levels: the usual ones, Adya's, and those of Elle's consistency models.

The name of one of Adya's phenomena stands for the weakest level that rules it out. These logs have no
predicates, so repeatable read (PL-2.99) is serializability.
"""

from collections.abc import Iterable

from seriatim.certificate.transactions import Level
from seriatim.source import Diagnostic, InputError

ALIASES: dict[str, Level] = {
    "ru": Level.READ_UNCOMMITTED,
    "pl-1": Level.READ_UNCOMMITTED,
    "g0": Level.READ_UNCOMMITTED,
    "rc": Level.READ_COMMITTED,
    "pl-2": Level.READ_COMMITTED,
    "g1": Level.READ_COMMITTED,
    "g1a": Level.READ_COMMITTED,
    "g1b": Level.READ_COMMITTED,
    "g1c": Level.READ_COMMITTED,
    "cs": Level.CURSOR_STABILITY,
    "pl-cs": Level.CURSOR_STABILITY,
    "g-cursor": Level.CURSOR_STABILITY,
    "mav": Level.MONOTONIC_ATOMIC_VIEW,
    "ra": Level.READ_ATOMIC,
    "causal-consistency": Level.CAUSAL,
    "ccv": Level.CAUSAL,
    "pl-2+": Level.CONSISTENT_VIEW,
    "g-single": Level.CONSISTENT_VIEW,
    "psi": Level.PARALLEL_SNAPSHOT,
    "prefix-consistency": Level.PREFIX,
    "pc": Level.PREFIX,
    "si": Level.SNAPSHOT,
    "pl-si": Level.SNAPSHOT,
    "g-si": Level.SNAPSHOT,
    "g-nonadjacent": Level.SNAPSHOT,
    "strong-session-snapshot-isolation": Level.SESSION_SNAPSHOT,
    "g-nonadjacent-process": Level.SESSION_SNAPSHOT,
    "strong-session-si": Level.SESSION_SNAPSHOT,
    "strong-session-pl-si": Level.SESSION_SNAPSHOT,
    "strong-si": Level.STRONG_SNAPSHOT,
    "strong-pl-si": Level.STRONG_SNAPSHOT,
    "g-nonadjacent-realtime": Level.STRONG_SNAPSHOT,
    "conflict-serializable": Level.SERIALIZABLE,
    "causal-cerone": Level.CAUSAL,
    "g2-process": Level.SESSION_SERIALIZABLE,
    "g2-item-process": Level.SESSION_SERIALIZABLE,
    "strong-session-pl-3": Level.SESSION_SERIALIZABLE,
    "g2-realtime": Level.STRICT_SERIALIZABLE,
    "g2-item-realtime": Level.STRICT_SERIALIZABLE,
    "strong-pl-3": Level.STRICT_SERIALIZABLE,
    "repeatable-read": Level.SERIALIZABLE,
    "pl-2.99": Level.SERIALIZABLE,
    "pl-3": Level.SERIALIZABLE,
    "g2": Level.SERIALIZABLE,
    "g2-item": Level.SERIALIZABLE,
    "1sr": Level.SERIALIZABLE,
    "strong-session-serializable": Level.SESSION_SERIALIZABLE,
    "strong-session-1sr": Level.SESSION_SERIALIZABLE,
    "strict": Level.STRICT_SERIALIZABLE,
    "strong-serializable": Level.STRICT_SERIALIZABLE,
    "strong-1sr": Level.STRICT_SERIALIZABLE,
    "pl-ss": Level.STRICT_SERIALIZABLE,
}


NOT_DECIDED: dict[str, Level] = {
    "monotonic-view": Level.CONSISTENT_VIEW,
    "pl-2l": Level.CONSISTENT_VIEW,
    "update-atomic": Level.PARALLEL_SNAPSHOT,
    "monotonic-snapshot-read": Level.SNAPSHOT,
    "pl-msr": Level.SNAPSHOT,
    "forward-consistent-view": Level.SNAPSHOT,
    "pl-fcv": Level.SNAPSHOT,
    "update-serializable": Level.SERIALIZABLE,
    "pl-3u": Level.SERIALIZABLE,
    "view-serializable": Level.SERIALIZABLE,
    "strong-session-read-uncommitted": Level.SESSION_SNAPSHOT,
    "strong-session-pl-1": Level.SESSION_SNAPSHOT,
    "strong-session-read-committed": Level.SESSION_SNAPSHOT,
    "strong-session-pl-2": Level.SESSION_SNAPSHOT,
    "strong-read-uncommitted": Level.STRONG_SNAPSHOT,
    "strong-pl-1": Level.STRONG_SNAPSHOT,
    "strong-read-committed": Level.STRONG_SNAPSHOT,
    "strong-pl-2": Level.STRONG_SNAPSHOT,
}
"""Models with names of their own between the levels, each with the weakest level here that implies it."""


def cycle_name(whys: Iterable[str]) -> str:
    """The name that Adya or Elle gives to a cycle of such steps; empty if it has none."""
    kinds = list(whys)
    if "seen" in kinds or not kinds:
        return ""
    suffix = "-realtime" if "rt" in kinds else "-process" if "so" in kinds else ""
    if "rw" not in kinds:
        return ("G1c" if "wr" in kinds else "G0") + suffix
    if kinds.count("rw") == 1:
        return "G-single" + suffix
    before = kinds[-1:] + kinds[:-1]
    is_adjacent = any(a == b == "rw" for a, b in zip(before, kinds, strict=True))
    return ("G2-item" if is_adjacent else "G-nonadjacent") + suffix


def find_level(name: str) -> Level:
    """Raises `InputError`."""
    plain = name.strip().lower().replace(" ", "-").replace("_", "-")
    if plain in {level.value for level in Level}:
        return Level(plain)
    if plain in ALIASES:
        return ALIASES[plain]
    if plain in NOT_DECIDED:
        message, hint = f"`{name}` is not decided", f"{NOT_DECIDED[plain].value} implies it"
        raise InputError([Diagnostic("SER574", message, hint=hint)])
    known = ", ".join(level.value for level in Level)
    raise InputError(
        [Diagnostic("SER574", f"there is no isolation level `{name}`", hint=f"known are {known}")]
    )
