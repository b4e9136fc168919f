"""One TextMate grammar colours `.ser` programs everywhere: it knows the words, and loses no character."""

import json
import re
from pathlib import Path

import pytest

from seriatim.frontends.ser.keywords import ALL

ROOT = Path(__file__).parents[2]
GRAMMAR = json.loads((ROOT / "editors/grammar/ser.tmLanguage.json").read_text("utf-8"))
RULES = [(rule["name"], re.compile(rule["match"])) for rule in GRAMMAR["patterns"]]


def scopes(line: str) -> list[tuple[str, str]]:
    """The coloured pieces of a line, with their scopes: the first rule that fits at a place counts."""
    found, at = [], 0
    while at < len(line):
        hits = ((name, hit) for name, rule in RULES if (hit := rule.match(line, at)))
        name, hit = next(hits, (None, None))
        if name is not None and hit is not None:
            found.append((hit[0], name))
        at = at + 1 if hit is None else hit.end()
    return found


def test_every_keyword_is_coloured_as_one() -> None:
    told = {word: scopes(word) for word in ALL}
    assert {
        word for word, [(_, name)] in told.items() if not name.startswith(("keyword", "storage"))
    } == set()


def test_no_other_word_is_coloured_as_a_keyword() -> None:
    rules = [rule["match"] for rule in GRAMMAR["patterns"] if rule["name"].startswith(("keyword", "storage"))]
    assert set(re.findall(r"[a-z]{2,}", " ".join(rules))) == ALL


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("request get {", ["storage.type", "entity.name.function", "punctuation"]),
        ("X := x + 1 # more", ["variable.other.shared", "keyword.operator", "variable.other.local"]),
        ("yield; // others", ["keyword.control.pause", "punctuation", "comment.line"]),
        ("requests", ["variable.other.local"]),
        ("fun twice(n) = 2 * n", ["storage.type", "entity.name.function", "punctuation"]),
        ("@lp X := 1", ["keyword.control.pause", "variable.other.shared"]),
    ],
)
def test_lines_are_coloured_by_what_their_words_mean(line: str, expected: list[str]) -> None:
    assert [name.removesuffix(".ser") for _, name in scopes(line)][: len(expected)] == expected


def test_only_blanks_have_no_colour_in_the_examples() -> None:
    for path in sorted((ROOT / "examples").glob("**/*.ser")):
        for line in path.read_text("utf-8").splitlines():
            coloured = "".join(piece for piece, _ in scopes(line))
            assert coloured.replace(" ", "") == line.replace(" ", ""), path.name
