"""The schema of certificates is made of the types that are read and written, and true of certificates."""

import json
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from seriatim.certificate.all import KINDS
from seriatim.cli.main import main
from seriatim.frontends.certificates import read_certificate
from seriatim.source import InputError

ROOT = Path(__file__).parents[2]
SCHEMA = Path(ROOT / "src/seriatim/certificate/certificate.schema.json")

EXAMPLES = {
    "action-run": "protocols/broken_pair.actions",
    "sequentialization": "protocols/broadcast.actions",
    "simulation": "unbounded/ticket_counter.ser",
    "symbolic-reduction": "unbounded/bank.ser",
    "thread-cover": "threads/pool.conc",
    "thread-reduction": "threads/account.conc",
    "thread-run": "threads/stale_local.conc",
}


def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_schema_is_what_the_types_say() -> None:
    for path, content in runpy.run_path(str(ROOT / "docs" / "schemas.py"))["schemas"]().items():
        assert path.read_text(encoding="utf-8") == content, "run `make architecture`"


def test_every_kind_has_a_schema() -> None:
    known = json.loads(SCHEMA.read_text(encoding="utf-8"))["oneOf"]
    assert [each["$ref"].removeprefix("#/$defs/") for each in known] == list(KINDS)


def test_certificates_of_the_first_version_are_valid() -> None:
    texts = [path.read_text() for path in (ROOT / "tests/golden/certificates-0.1.0").glob("*.cert.json")]
    assert len(texts) == 22
    assert all(validator().is_valid(json.loads(text)) for text in texts)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_reader_and_schema_agree_about_each_member(kind: str, tmp_path: Path) -> None:
    """With one member less, or one that is a list of an object, neither takes it."""
    path = tmp_path / "a.cert.json"
    CliRunner().invoke(main, ["check", str(ROOT / "examples" / EXAMPLES[kind]), "--certificate", str(path)])
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["kind"] == kind
    assert validator().is_valid(document)
    for damaged in damage(document):
        with pytest.raises(InputError):
            read_certificate(json.dumps(damaged))
        assert not validator().is_valid(damaged), damaged


def damage(document: dict[str, object]) -> list[dict[str, object]]:
    own = [key for key in document if key not in ("format", "version", "input_sha256", "question", "verdict")]
    without = [{key: value for key, value in document.items() if key != missing} for missing in own]
    return [*without, *({**document, key: [{}]} for key in own), {**document, "more": 1}]
