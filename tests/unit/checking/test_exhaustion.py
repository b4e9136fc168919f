"""Certificates made to waste time or memory: the checker ends in time, with an answer or without."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from click.testing import CliRunner

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import HEADER, Certificate, write
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.cli.main import main
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.program.inputs import digest
from seriatim.source import SourceText
from testkit.inputs.chain_inputs import chain_evidence
from testkit.samples import IS_DEEP, deep, sampled

PROGRAM = """
request t { x := X; yield; if (x == X) { X := (X + 1) % 9; 0 } else { X := (X + 2) % 9; yield; X } }
request u { while (X > 6) { yield }; X := (X + 1) % 9; yield; X }
"""
"""Neither trivial nor serializable: whatever is accepted about it is wrong."""

MANY = 8_000
SECONDS = 2.0 if IS_DEEP else 0.5
SLACK = 6.0
"""CPU seconds beyond the time allowed, for what can't be interrupted."""

STEP = {"handler": "u", "response": "1", "after": {"X": 1}}
BACK = [{"handler": "u", "response": str((n + 1) % 9), "after": {"X": (n + 1) % 9}} for n in range(9)]
HINTS = {"level": 2, "invariants": [{"variable": "X", "sign": 1}] * MANY}
COVER = {"level": 1, "invariants": [], "situations": None, "cuts": [], "covers": []}
WAITING = {"handler": "u", "code": "X", "values": {}}


def cut(number: int) -> dict[str, Any]:
    states = [{"X": value} for value in range(1, 9) if number >> value & 1]
    return {"kind": ("siphon", "trap")[number % 2], "globals": states, "situations": [], "waiting": [WAITING]}


def situations(cases: int) -> dict[str, Any]:
    numbered = [{"global": {"X": n % 9}, "numbers": [n // 9]} for n in range(cases)]
    return {"direction": "forward", "waiting": [WAITING], "cases": numbered}


LEVELS: dict[str, Any] = {"levels": [0] * 9 + [1], "rows": [], "cuts": []}
COUNTED: list[dict[str, Any]] = [{**LEVELS, "step": "counted", "chains": []}]


def chains(proof: list[dict[str, Any]] | None = None, **more: list[dict[str, Any]]) -> dict[str, Any]:
    """With the lists of the program, and more of them."""
    content = read_input(SourceText("-", PROGRAM))
    evidence = chain_evidence(content, CoverEvidence(1, (), None, (), ()))
    document = json.loads(write(Certificate(digest(content), "serializable", evidence)))
    body = {key: value for key, value in document.items() if key not in HEADER}
    for key, entries in more.items():
        body[key] += entries
    return body | {"kind": "chains", "proof": COUNTED if proof is None else proof}


BODIES: dict[str, Callable[[], dict[str, Any]]] = {
    "turns": lambda: {
        "kind": "run",
        "turns": [
            {"request": n + 1, "handler": "t", "after": {"X": 0}, "response": None} for n in range(MANY)
        ],
    },
    "committed states": lambda: {
        "kind": "commit",
        **HINTS,
        "committed": [
            {"handler": "u", "code": "X", "values": {"x": n}, "response": str(n)} for n in range(MANY)
        ],
    },
    "cuts": lambda: {**COVER, "kind": "linear-cover", "cuts": [cut(n) for n in range(MANY)]},
    "places in a cut": lambda: {
        **COVER,
        "kind": "linear-cover",
        "cuts": [{**cut(1), "waiting": [WAITING | {"code": str(n)} for n in range(MANY)]}] * 3,
    },
    "covers": lambda: {
        **COVER,
        "kind": "linear-cover",
        "covers": [{"path": [], "cycles": []}] * MANY,
    },
    "a long path": lambda: {
        **COVER,
        "kind": "linear-cover",
        "covers": [{"path": BACK[:6] + [STEP] * MANY, "cycles": []}],
    },
    "situations": lambda: {**COVER, "kind": "linear-cover", "situations": situations(MANY)},
    "numbers in situations": lambda: {
        **COVER,
        "kind": "linear-cover",
        "situations": {
            "direction": "backward",
            "waiting": [WAITING] * 2_000,
            "cases": [{"global": {"X": n % 9}, "numbers": [None] * 2_000} for n in range(90)],
        },
    },
    "large numbers": lambda: {
        **COVER,
        "kind": "linear-cover",
        "situations": {
            "direction": "forward",
            "waiting": [WAITING],
            "cases": [{"global": {"X": n % 9}, "numbers": [10**4_000 + n]} for n in range(500)],
        },
    },
    "completions of chains": lambda: chains(
        completions=[{"handler": "v", "response": str(n)} for n in range(MANY)],
        covers=[{"path": [], "cycles": []}] * 9,
    ),
    "places of chains": lambda: chains(waiting=[WAITING | {"code": str(n)} for n in range(MANY)]),
    "moves of chains": lambda: chains(
        moves=[
            {"before": n % 9, "takes": n % 2, "after": n // 9 % 9, "gives": None, "answer": n // 81 % 9}
            for n in range(MANY // 8)
        ]
    ),
    "copies of a level": lambda: chains(
        proof=[{**LEVELS, "step": "layered", "level": 0, "edges": [0, 1], "times": 10**18}, *COUNTED]
    ),
    "cases": lambda: chains(
        proof=[
            {
                "step": "situated",
                "direction": "forward",
                "cases": [
                    {"node": n % 10, "numbers": [n // 10 % 10, n // 100 % 10, n // 1000, *[None] * 8]}
                    for n in range(MANY)
                ],
            },
            *COUNTED,
        ]
    ),
    "one step after the other": lambda: chains(
        proof=[
            {**LEVELS, "step": "fixed", "edge": 115, "places": [], "values": [[]]},
            *({**LEVELS, "step": "layered", "level": 0, "edges": [], "times": None} for _ in range(MANY)),
            *COUNTED,
        ]
    ),
    "parts of parts": lambda: chains(
        covers=[{"path": [], "cycles": []}],
        proof=[{"step": "outside-cover", "cover": 0, "parts": 36}] * 200 + COUNTED * (200 * 35 + 1),
    ),
}


@deep
@pytest.mark.parametrize("name", sampled(list(BODIES), 4))
def test_nothing_that_is_huge_is_accepted_or_takes_for_ever(name: str) -> None:
    content = read_input(SourceText("-", PROGRAM))
    body = BODIES[name]()
    verdict = "not_serializable" if body["kind"] == "run" else "serializable"
    header = {
        "format": "seriatim-certificate",
        "version": 1,
        "input_sha256": digest(content),
        "question": "serializable",
        "verdict": verdict,
    }
    certificate = read_certificate(json.dumps(header | body))
    began = process_time()
    with suppress(GaveUp, OutOfBudget):
        assert not verify(certificate, content, Context(Allowance(20_000, Deadline(SECONDS)))).accepted
    assert process_time() - began < SECONDS + SLACK


@pytest.mark.parametrize("unit", ["[", '{"a":', "[0,"])
def test_nesting_that_fills_a_file_is_refused(unit: str, tmp_path: Path) -> None:
    certificate, program = tmp_path / "deep.cert.json", tmp_path / "t.ser"
    program.write_text(PROGRAM)
    certificate.write_text(unit * (2_000_000 // len(unit)))
    result = CliRunner().invoke(main, ["verify", str(certificate), str(program)])
    assert result.exit_code == 2
    assert "SER401" in result.stderr


def test_a_file_of_a_hundred_megabytes_is_not_even_read(tmp_path: Path) -> None:
    certificate, program = tmp_path / "large.cert.json", tmp_path / "t.ser"
    program.write_text(PROGRAM)
    with certificate.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)
    result = CliRunner().invoke(main, ["verify", str(certificate), str(program)])
    assert result.exit_code == 2
    assert "SER205" in result.stderr


@pytest.mark.parametrize("code", ["__import__('os').system('true')", "{X}", "%s%s%n", "X := 1; yield"])
def test_code_in_a_certificate_is_compared_and_never_run(code: str) -> None:
    content = read_input(SourceText("-", PROGRAM))
    document = {
        "format": "seriatim-certificate",
        "version": 1,
        "input_sha256": digest(content),
        "question": "serializable",
        "verdict": "serializable",
        "kind": "commit",
        "level": 1,
        "invariants": [],
        "committed": [{"handler": "u", "code": code, "values": {}, "response": code}],
    }
    assert not verify(
        read_certificate(json.dumps(document)), content, Context(Allowance(20_000, Deadline(SECONDS)))
    ).accepted
