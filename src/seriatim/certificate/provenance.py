"""Where the input of a certificate comes from, if a front end has translated it.

The digest of a certificate is that of the translation. To verify it, the source is translated again, with
the same settings, and compared. Nothing here is believed.
"""

from seriatim.frozen import frozen
from seriatim.strict_json import record, string, wrong

KEYS = ("front_end", "source_sha256", "settings")


@frozen
class Provenance:
    front_end: str
    source_sha256: str
    """Of the text of the source."""
    settings: tuple[tuple[str, str], ...]
    """Sorted by name."""


def fields(provenance: Provenance) -> dict[str, object]:
    values = (provenance.front_end, provenance.source_sha256, dict(provenance.settings))
    return dict(zip(KEYS, values, strict=True))


def read(value: object, where: str) -> Provenance:
    found = record(value, where, KEYS)
    return Provenance(
        found.read("front_end", string),
        found.read("source_sha256", string),
        found.read("settings", _settings),
    )


def _settings(value: object, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    return tuple(sorted((key, string(text, f"{where}.{key}")) for key, text in value.items()))
