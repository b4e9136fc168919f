"""Certificates: evidence for a verdict in terms of the input alone, which anyone can re-check.

States are written in the terms of the input: a global state of a program is its variables with their values,
one of a network system is its name. Nothing refers to the numbers that an engine gave to anything.
`certificate.schema.json` describes the text, `docs/certificates.md` its meaning.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seriatim.certificate import all as kinds
from seriatim.properties.all import read_property
from seriatim.properties.property import Property, property_fields
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.strict_json import error, is_integer, one_of, parse, record, require, string, wrong

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence
    from seriatim.program.specification import SpecificationReader

FORMAT = "seriatim-certificate"
VERSION = 1

HEADER = ("format", "version", "input_sha256", "question", "verdict", "kind")
TRANSLATION = "translation"
"""A key that only certificates about translations have."""

_HEXADECIMAL = frozenset("0123456789abcdef")
_SHA256_DIGITS = 64


PROVENANCE = ("front_end", "source_sha256", "settings")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the input of a certificate comes from, if a front end has translated it.

    The digest of a certificate is that of the translation. To verify it, the source is translated again, with
    the same settings, and compared. Nothing here is believed.
    """

    front_end: str
    source_sha256: str
    """SHA-256 of the text of the source."""
    settings: tuple[tuple[str, str], ...]
    """Settings of the front end, sorted by name."""


def provenance_fields(provenance: Provenance) -> dict[str, object]:
    values = (provenance.front_end, provenance.source_sha256, dict(provenance.settings))
    return dict(zip(PROVENANCE, values, strict=True))


def read_provenance(value: object, where: str) -> Provenance:
    found = record(value, where, PROVENANCE)
    return Provenance(
        found.read("front_end", string),
        found.read("source_sha256", string),
        found.read("settings", _settings),
    )


def _settings(value: object, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    return tuple(sorted((key, string(text, f"{where}.{key}")) for key, text in value.items()))


@dataclass(frozen=True, slots=True)
class Certificate:
    """The evidence for a verdict."""

    digest: str
    """SHA-256 of the input's canonical text, in hexadecimal."""
    verdict: str
    evidence: "Evidence"
    question: Property = SERIALIZABILITY
    provenance: Provenance | None = None
    """Where the input comes from, if a front end has translated it."""


def write(certificate: Certificate) -> str:
    """The certificate as text: always the same for the same certificate, in ASCII."""
    return "".join(stream(certificate))


def stream(certificate: Certificate) -> Iterator[str]:
    """The same text in small pieces, so that a long proof is never in memory as one text."""
    evidence = certificate.evidence
    question = property_fields(certificate.question)
    header = (FORMAT, VERSION, certificate.digest, question, certificate.verdict, evidence.kind)
    provenance = certificate.provenance
    origin = {} if provenance is None else {TRANSLATION: provenance_fields(provenance)}
    fields = dict(zip(HEADER, header, strict=True)) | origin | kinds.fields(evidence)
    yield from json.JSONEncoder(indent=2).iterencode(fields)
    yield "\n"


def read(text: str, read_specification: "SpecificationReader") -> Certificate:
    """Reads a certificate from text. Raises `InputError` if the text departs from the format."""
    document = parse(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        hint = f'a certificate is a JSON object that contains `"format": "{FORMAT}"`'
        raise error("SER403", "this is not a certificate", hint)
    # Checked first, because another version may have other keys.
    version = document.get("version")
    if not is_integer(version) or version != VERSION:
        hint = "use the release of seriatim that wrote it, or decide the input again"
        raise error("SER403", f"the `version` of this certificate is not {VERSION}", hint)
    require(document, "the certificate", HEADER)
    kind = one_of(document["kind"], "kind", kinds.KINDS)
    body = {key: value for key, value in document.items() if key not in (*HEADER, TRANSLATION)}
    evidence = kinds.read(kind, body)
    question = read_property(document["question"], read_specification)
    return Certificate(
        digest=_digest(document["input_sha256"], "input_sha256"),
        verdict=one_of(document["verdict"], "verdict", question.verdicts),
        evidence=evidence,
        question=question,
        provenance=read_provenance(document[TRANSLATION], TRANSLATION) if TRANSLATION in document else None,
    )


def _digest(value: object, where: str) -> str:
    text = string(value, where)
    if len(text) != _SHA256_DIGITS or not _HEXADECIMAL.issuperset(text):
        raise wrong(where, f"{_SHA256_DIGITS} digits from 0 to 9 and a to f")
    return text
