"""Certificates and results that version 0.1.0 wrote: they are read, accepted and written back as they were.

`commands.txt` says how each was made: `NAME: COMMAND` wrote `NAME.cert.json` and, with `--json`,
`NAME.result.json`.
"""

import json
import shlex
from pathlib import Path

import pytest

from seriatim.certificate.all import KINDS
from seriatim.certificate.certificate import Certificate, write
from seriatim.checking.verify import verify
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.properties.all import ALL
from seriatim.properties.deadlock_free import DeadlockFreedom
from seriatim.properties.memory_safe import MemorySafety
from seriatim.properties.property import property_fields
from seriatim.properties.race_free import RaceFreedom
from seriatim.properties.safe import Safety
from seriatim.properties.sequential import Sequential
from seriatim.source import SourceText

FOLDER = Path(__file__).parent / "certificates-0.1.0"
COMMANDS = dict(line.split(": ") for line in (FOLDER / "commands.txt").read_text("utf-8").splitlines())


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.cert.json").read_text("utf-8")


def certificates() -> list[Certificate]:
    return [read_certificate(text_of(name)) for name in COMMANDS]


NEW_KINDS = {
    *("fault-run", "no-fault", "stuck-run", "never-stuck", "symmetric-commit", "simulation", "timeless"),
    *("symbolic-reduction", "sequentialization", "action-run"),
    *("thread-run", "thread-cover", "thread-pairs", "thread-modular", "petrified", "thread-reduction"),
}
NEW_PROPERTIES = {Safety, Sequential, DeadlockFreedom, RaceFreedom, MemorySafety}
"""Of later versions."""


def test_there_is_one_of_each_kind_and_of_each_property() -> None:
    assert {certificate.evidence.kind for certificate in certificates()} == set(KINDS) - NEW_KINDS
    assert {type(certificate.question) for certificate in certificates()} == set(ALL) - NEW_PROPERTIES


@pytest.mark.parametrize("name", COMMANDS)
def test_a_certificate_is_written_as_it_was(name: str) -> None:
    assert write(read_certificate(text_of(name))) == text_of(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_certificate_is_accepted(name: str) -> None:
    _, _, program, *_ = shlex.split(COMMANDS[name])
    source = SourceText(program, (FOLDER / program).read_text("utf-8"))
    report = verify(read_certificate(text_of(name)), read_input(source))
    assert report.accepted, report.complaint


@pytest.mark.parametrize("result", sorted(FOLDER.glob("*.result.json")), ids=lambda path: path.stem)
def test_a_result_says_what_its_certificate_proves(result: Path) -> None:
    fields = json.loads(result.read_text("utf-8"))
    certificate = read_certificate((FOLDER / fields["certificate"]).read_text("utf-8"))
    assert fields["verdict"] == certificate.verdict
    assert fields["property"] == property_fields(certificate.question)
