"""Names of isolation levels: the usual ones, Adya's, and those of Elle's consistency models.

The name of one of Adya's phenomena stands for the weakest level that rules it out. These logs have no
predicates, so repeatable read (PL-2.99) is serializability.
"""

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
    "strong-si": Level.STRONG_SNAPSHOT,
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


def find_level(name: str) -> Level:
    """Raises `InputError`."""
    plain = name.strip().lower().replace(" ", "-").replace("_", "-")
    if plain in {level.value for level in Level}:
        return Level(plain)
    if plain in ALIASES:
        return ALIASES[plain]
    known = ", ".join(level.value for level in Level)
    raise InputError(
        [Diagnostic("SER574", f"there is no isolation level `{name}`", hint=f"known are {known}")]
    )
