"""Completion, folding, semantic tokens and hovers of lines, without an editor."""

import json
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types

from seriatim.lsp.completion import complete, complete_words
from seriatim.lsp.findings import DocumentText, diagnostics, read_diagnostics
from seriatim.lsp.folding import folds
from seriatim.lsp.line_hover import line_hover, word_at
from seriatim.lsp.names import read_names
from seriatim.lsp.tasks import DocumentQuestion, FollowUp, reading_answer, repairs_answer, verdict_answer
from seriatim.lsp.tokens import LEGEND, tokens

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAM = """\
// A counter,
// with a limit.
const LIMIT = 2
COUNT in 0..2 := 0

request incr:
    seen := COUNT
    yield
    if seen < LIMIT:
        COUNT := seen + 1
    return seen

request look:
    found := COUNT
    return found
"""


def words(text: str, line: int, column: int) -> list[str]:
    return [
        each.label for each in complete(DocumentText("file:///a.ser", text), read_names(text), line, column)
    ]


def test_names_of_the_handler_and_of_the_program_are_completed() -> None:
    found = words(PROGRAM, 8, 5)
    assert {"seen", "COUNT", "LIMIT", "yield", "while"} <= set(found)
    assert "found" not in found
    assert "found" in words(PROGRAM, 14, 5)
    assert len(found) == len(set(found))


def test_nothing_is_completed_in_a_comment() -> None:
    assert words(PROGRAM, 2, 8) == []
    assert words("# a", 1, 4) == []


def test_the_other_languages_have_their_words() -> None:
    text = DocumentText("file:///a.conc", "global x: int = 0;\n")
    assert "fork" in [each.label for each in complete_words("a.conc", text, 2, 1)]
    assert "ensures" in [each.label for each in complete_words("a.actions", text, 2, 1)]


def test_blocks_and_comments_are_folded() -> None:
    found = {(each.start_line, each.end_line, each.kind) for each in folds(PROGRAM.split("\n"))}
    assert found == {(0, 1, types.FoldingRangeKind.Comment), (5, 10, None), (8, 9, None), (12, 14, None)}
    assert folds([]) == []
    assert [(each.start_line, each.end_line) for each in folds(["thread t() {", "  x := 1;", "", "}"])] == [
        (0, 1)
    ]


def read_back(text: str) -> list[tuple[int, str, str, set[str]]]:
    """The tokens as an editor reads them: line, text, type, modifiers."""
    numbers = tokens(DocumentText("file:///a.ser", text), read_names(text))
    line = column = 0
    found = []
    for at in range(0, len(numbers), 5):
        lines, columns, length, kind, flags = numbers[at : at + 5]
        line, column = line + lines, columns + (column if lines == 0 else 0)
        row = (
            text.split("\n")[line].encode("utf-16-le")[2 * column : 2 * (column + length)].decode("utf-16-le")
        )
        modifiers = {name for bit, name in enumerate(LEGEND.token_modifiers) if flags >> bit & 1}
        found.append((line + 1, row, LEGEND.token_types[kind], modifiers))
    return found


def test_what_is_shared_has_another_token_than_what_is_local() -> None:
    found = read_back(PROGRAM)
    assert (7, "COUNT", "variable", {"static"}) in found
    assert (7, "seen", "variable", {"modification"}) in found
    assert (10, "COUNT", "variable", {"static", "modification"}) in found
    assert (9, "LIMIT", "variable", {"readonly"}) in found
    assert (6, "incr", "function", {"declaration"}) in found
    assert (8, "yield", "keyword", {"async"}) in found


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ser")), ids=lambda path: path.name)
def test_every_token_of_the_examples_is_a_word_at_its_place(path: Path) -> None:
    text = path.read_text("utf-8")
    found = read_back(text)
    assert found
    assert all(word.isidentifier() for _, word, _, _ in found)
    assert len(found) == len(read_names(text).occurrences) + len(read_names(text).pauses)


def question(name: str, **settings: str) -> DocumentQuestion:
    text = (EXAMPLES / name).read_text("utf-8")
    return DocumentQuestion(
        name.rpartition("/")[2],
        text,
        "safe" if name.endswith(".c") else "serializable",
        settings,
        120,
        name.endswith(".py"),
    )


def test_mistakes_and_warnings_come_from_reading_alone() -> None:
    for text, code in (
        ("request a { x := X; yield; x", "SER002"),
        ("request a { lock(L); yield; X := 1; 1 }", ""),
    ):
        asked = DocumentQuestion("a.ser", text, "serializable", {}, 120, False)
        found = read_diagnostics(DocumentText("file:///a.ser", text), json.loads(reading_answer(asked)))
        verdict = diagnostics(DocumentText("file:///a.ser", text), json.loads(verdict_answer(asked)))
        assert {each.code for each in found} <= {each.code for each in verdict}
        if code:
            assert found
    broken = DocumentQuestion("a.actions", "action main(:\n", "serializable", {}, 120, False)
    assert read_diagnostics(
        DocumentText("file:///a.actions", broken.text), json.loads(reading_answer(broken))
    )


def test_a_failure_in_c_is_marked_at_its_assertion() -> None:
    asked = question("threads/account_race.c")
    found = diagnostics(DocumentText("file:///a.c", asked.text), json.loads(verdict_answer(asked)))
    failure = next(each for each in found if each.code == "unsafe")
    assert "assert" in asked.text.split("\n")[failure.range.start.line]


def test_protocols_have_verdicts_and_places() -> None:
    asked = question("protocols/broken_pair.actions")
    (found,) = diagnostics(DocumentText("file:///a", asked.text), json.loads(verdict_answer(asked)))
    assert found.code == "broken"
    assert found.range.start.line > 0
    asked = question("protocols/ping_pong.actions")
    assert diagnostics(DocumentText("file:///a", asked.text), json.loads(verdict_answer(asked))) == []


@pytest.mark.parametrize(
    ("name", "settings", "line", "word", "told"),
    [
        ("services/visit_counter.py", {}, 10, "visits", "request 1, visit(): self.visits: 0 ➜ 1"),
        ("services/visit_counter.py", {}, 10, "weight", "Assumed: what is not there answers 1"),
        ("sql/on_call.sql", {"isolation": "repeatable-read"}, 10, "doctor", "`doctor`** is shared"),
        ("threads/account_race.c", {}, 9, "balance", "100 ➜ 20"),
    ],
)
def test_hovers_say_what_the_run_does_in_a_line(
    name: str, settings: dict[str, str], line: int, word: str, told: str
) -> None:
    asked = question(name, **settings)
    text = asked.text.split("\n")[line - 1]
    found = line_hover(text, line, text.index(word) + 2, json.loads(verdict_answer(asked)))
    assert found is not None
    assert told in found or told.replace("request 1", "request 2") in found
    assert line_hover("", 1, 1, json.loads(verdict_answer(asked))) is None


def test_the_word_at_a_place_ends_with_its_part() -> None:
    assert word_at("x = self.visits.total", 12) == "self.visits"
    assert word_at("x = self.visits.total", 5) == "self"
    assert word_at("x = self", 2) == "x"
    assert word_at("x  = y", 4) == ""


@pytest.mark.parametrize(
    ("name", "settings", "title"),
    [
        ("lost_update.ser", {}, "lock"),
        ("services/visit_counter.py", {}, "hold a lock in line 10"),
        ("sql/report.sql", {"isolation": "repeatable-read"}, "FOR UPDATE"),
        ("threads/account_race.c", {}, "mutex"),
    ],
)
def test_fixes_are_found_in_every_language(name: str, settings: dict[str, str], title: str) -> None:
    asked = question(name, **settings)
    result = json.dumps(json.loads(verdict_answer(asked))["result"])
    found = json.loads(repairs_answer(FollowUp(asked, result)))
    assert title in found[0]["title"]
    changed = DocumentQuestion(asked.name, found[0]["text"], asked.property_name, settings, 20, asked.replay)
    verdict = json.loads(verdict_answer(changed))["result"]["verdict"]
    assert verdict in ("serializable", "safe")
