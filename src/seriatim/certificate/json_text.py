"""Certificates as JSON: `certificate.schema.json` describes the text, `docs/certificates.md` its meaning."""

import json
from collections.abc import Callable
from typing import Literal, TypeGuard, TypeVar, assert_never

from seriatim.certificate.format import (
    AtomicEvidence,
    Certificate,
    CommitEvidence,
    CommittedState,
    Evidence,
    GlobalState,
    Invariant,
    RunEvidence,
    Turn,
)
from seriatim.language.lexer import quote
from seriatim.source import Diagnostic, InputError, Span

FORMAT = "seriatim-certificate"
VERSION = 1
QUESTION = "serializable"

HEADER = ("format", "version", "input_sha256", "question", "verdict", "kind")
Kind = Literal["run", "atomic", "commit"]
KINDS: tuple[Kind, ...] = ("run", "atomic", "commit")
FIELDS: dict[Kind, tuple[str, ...]] = {
    "run": ("turns",),
    "atomic": (),
    "commit": ("level", "invariants", "committed"),
}
"""The keys that follow the header, by kind."""
TURN = ("request", "handler", "after", "response")
VERDICTS: tuple[Literal["serializable", "not_serializable"], ...] = ("serializable", "not_serializable")
INVARIANT = ("variable", "sign")
COMMITTED = ("handler", "code", "values", "response")
LEVELS: tuple[Literal[1, 2], ...] = (1, 2)
SIGNS: tuple[Literal[1, -1], ...] = (1, -1)

_HEXADECIMAL = frozenset("0123456789abcdef")
_SHA256_DIGITS = 64

_Word = TypeVar("_Word", bound=str | int)
_Item = TypeVar("_Item")


def write(certificate: Certificate) -> str:
    """The certificate as text: always the same for the same certificate, in ASCII."""
    kind, fields = _evidence_fields(certificate.evidence)
    header = (FORMAT, VERSION, certificate.digest, QUESTION, certificate.verdict, kind)
    return json.dumps({**dict(zip(HEADER, header, strict=True)), **fields}, indent=2) + "\n"


def _evidence_fields(evidence: Evidence) -> tuple[Kind, dict[str, object]]:
    match evidence:
        case RunEvidence(turns=turns):
            return "run", {"turns": [_turn_fields(turn) for turn in turns]}
        case AtomicEvidence():
            return "atomic", {}
        case CommitEvidence(level=level, invariants=invariants, committed=committed):
            return "commit", {
                "level": level,
                "invariants": [dict(zip(INVARIANT, (i.variable, i.sign), strict=True)) for i in invariants],
                "committed": [_committed_fields(state) for state in committed],
            }
        case _:
            assert_never(evidence)


def _turn_fields(turn: Turn) -> dict[str, object]:
    after = turn.after if isinstance(turn.after, str) else dict(turn.after)
    return dict(zip(TURN, (turn.request, turn.handler, after, turn.response), strict=True))


def _committed_fields(state: CommittedState) -> dict[str, object]:
    fields = (state.handler, state.code, dict(state.values), state.response)
    return dict(zip(COMMITTED, fields, strict=True))


def read(text: str) -> Certificate:
    """The certificate that a text describes; raises `InputError` where it departs from the format at all."""
    document = _parse(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        hint = f'a certificate is a JSON object that contains `"format": "{FORMAT}"`'
        raise _error("SER403", "this is no certificate", hint)
    # Before anything else, since another version may have other keys.
    version = document.get("version")
    if not _is_integer(version) or version != VERSION:
        hint = "use the release of seriatim that wrote it, or have the input decided again"
        raise _error("SER403", f"the `version` of this certificate is not {VERSION}", hint)
    _require(document, "the certificate", HEADER)
    kind = _one_of(document["kind"], "kind", KINDS)
    fields = _members(document, "the certificate", (*HEADER, *FIELDS[kind]))
    _one_of(fields["question"], "question", (QUESTION,))
    return Certificate(
        digest=_digest(fields["input_sha256"], "input_sha256"),
        verdict=_one_of(fields["verdict"], "verdict", VERDICTS),
        evidence=_evidence(kind, fields),
    )


def _evidence(kind: Kind, fields: dict[str, object]) -> Evidence:
    match kind:
        case "run":
            return RunEvidence(_items(fields["turns"], "turns", _turn))
        case "atomic":
            return AtomicEvidence()
        case "commit":
            return CommitEvidence(
                level=_one_of(fields["level"], "level", LEVELS),
                invariants=_items(fields["invariants"], "invariants", _invariant),
                committed=_items(fields["committed"], "committed", _committed_state),
            )
        case _:
            assert_never(kind)


def _turn(value: object, where: str) -> Turn:
    fields = _members(value, f"`{where}`", TURN)
    response = fields["response"]
    return Turn(
        request=_request_number(fields["request"], f"{where}.request"),
        handler=_text(fields["handler"], f"{where}.handler"),
        after=_global_state(fields["after"], f"{where}.after"),
        response=None if response is None else _text(response, f"{where}.response"),
    )


def _invariant(value: object, where: str) -> Invariant:
    fields = _members(value, f"`{where}`", INVARIANT)
    return Invariant(
        variable=_text(fields["variable"], f"{where}.variable"),
        sign=_one_of(fields["sign"], f"{where}.sign", SIGNS),
    )


def _committed_state(value: object, where: str) -> CommittedState:
    fields = _members(value, f"`{where}`", COMMITTED)
    return CommittedState(
        handler=_text(fields["handler"], f"{where}.handler"),
        code=_text(fields["code"], f"{where}.code"),
        values=_values(fields["values"], f"{where}.values"),
        response=_text(fields["response"], f"{where}.response"),
    )


def _request_number(value: object, where: str) -> int:
    if not _is_integer(value) or value < 1:
        raise _wrong(where, "an integer from 1 on")
    return value


def _global_state(value: object, where: str) -> GlobalState:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _values(value, where)
    raise _wrong(where, "the name of a state, or an object with the integer value of each variable")


def _values(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if isinstance(value, dict) and all(map(_is_integer, value.values())):
        return tuple(sorted(value.items()))
    raise _wrong(where, "an object with the integer value of each variable")


def _digest(value: object, where: str) -> str:
    text = _text(value, where)
    if len(text) != _SHA256_DIGITS or not _HEXADECIMAL.issuperset(text):
        raise _wrong(where, f"{_SHA256_DIGITS} digits from 0 to 9 and a to f")
    return text


def _members(value: object, what: str, keys: tuple[str, ...]) -> dict[str, object]:
    """The members of an object that has these keys and no others."""
    if not isinstance(value, dict):
        raise _error("SER405", f"{what} is not an object")
    _require(value, what, keys)
    for key in value:
        if key not in keys:
            raise _error("SER404", f"{what} has a key {quote(key)}, which means nothing there")
    return value


def _require(members: dict[str, object], what: str, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in members:
            raise _error("SER404", f"{what} lacks the key `{key}`")


def _items(value: object, where: str, item: Callable[[object, str], _Item]) -> tuple[_Item, ...]:
    if not isinstance(value, list):
        raise _wrong(where, "a list")
    return tuple(item(entry, f"{where}[{index}]") for index, entry in enumerate(value))


def _one_of(value: object, where: str, words: tuple[_Word, ...]) -> _Word:
    for word in words:
        if type(value) is type(word) and value == word:  # True and 1.0 equal 1
            return word
    raise _wrong(where, " or ".join(json.dumps(word) for word in words))


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(where, "a string")
    return value


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _parse(text: str) -> object:
    """The value of a JSON text without repeated keys, all of whose numbers are integers."""
    try:
        value: object = json.loads(
            text, object_pairs_hook=_distinct, parse_float=_no_fraction, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        place = Span(error.lineno, error.colno, error.lineno, error.colno + 1)
        raise InputError([Diagnostic("SER401", f"not JSON: {error.msg}", place)]) from None
    except RecursionError:
        raise _error("SER401", "lists and objects are nested too deeply") from None
    except ValueError:  # What is left is Python's refusal to convert so many digits.
        raise _error("SER405", "a number has too many digits") from None
    return value


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise _error("SER402", f"the key {quote(key)} is given twice in the same object")
        members[key] = value
    return members


def _no_fraction(number: str) -> object:
    raise _error("SER405", f"{quote(number)} is not an integer", "certificates contain integers only")


def _no_constant(word: str) -> object:
    raise _error("SER401", f"not JSON: {quote(word)} is no number")


def _wrong(where: str, expected: str) -> InputError:
    return _error("SER405", f"`{where}` is not {expected}")


def _error(code: str, message: str, hint: str | None = None) -> InputError:
    return InputError([Diagnostic(code, message, hint=hint)])
