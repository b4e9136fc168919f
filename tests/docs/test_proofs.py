"""What proofs/README.md says about the length of definitions is true, to five lines."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"

PARTS: dict[str, list[tuple[str | None, str | None]]] = {
    "Semantics.v": [(None, None)],
    "Kernel.v": [("(** ** Inputs", "(** ** Claims"), ("(** What a verdict", "Lemma right_iff")],
    "Never.v": [("(** ** Programs: no step fails", "Definition succeeds")],
    "Observe.v": [("(** Every complete run", "(** The observer")],
    "Time.v": [(None, "(** ** Without barriers")],
    "System.v": [(None, "(** ** Executed")],
    "Program.v": [(None, "(** ** Equality")],
}
"""What the table of the page names: from the first of two texts to the second."""

SHARED = ("Semantics.v", "Kernel.v", "Program.v")


def length(name: str) -> int:
    text = (PROOFS / name).read_text("utf-8")
    found = 0
    for first, last in PARTS[name]:
        begin = 0 if first is None else text.index(first)
        end = len(text) if last is None else text.index(last, begin)
        found += sum(bool(line.strip()) for line in text[begin:end].splitlines())
    return found


def test_the_table_of_definitions_is_right() -> None:
    page = (PROOFS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `.*\[(\w+\.v)\]\(.*\| (\d+) \|$", page, re.MULTILINE)
    said = {name: int(lines) for name, lines in rows}
    assert said.keys() == PARTS.keys()
    assert said == pytest.approx({name: length(name) for name in PARTS}, abs=5)


@pytest.mark.parametrize(
    ("page", "least", "most"),
    [
        ("proofs/README.md", r"you read (\d+) for a program", r"and (\d+) if real time counts"),
        ("docs/kernel.md", r"whose statement takes (\d+) to", r"to (\d+) lines\."),
        ("docs/certificates.md", None, r"then you trust (\d+) lines of"),
    ],
)
def test_pages_say_how_much_one_statement_needs(page: str, least: str | None, most: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    program = sum(map(length, SHARED))
    timed = program + length("Never.v") + length("Time.v")
    for pattern, counted in ((least, program), (most, timed)):
        if pattern is not None:
            found = re.search(pattern, text)
            assert found is not None, pattern
            assert int(found[1]) == pytest.approx(counted, abs=5)


@pytest.mark.parametrize("page", ["proofs/README.md", "docs/kernel.md"])
def test_pages_say_how_long_the_native_program_is(page: str) -> None:
    found = re.search(r"(\d+) lines of\s+`main\.ml`", (ROOT / page).read_text("utf-8"))
    assert found is not None
    assert int(found[1]) == pytest.approx(len((PROOFS / "main.ml").read_text("utf-8").splitlines()), abs=5)
