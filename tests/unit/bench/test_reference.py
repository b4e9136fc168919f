"""What is known beforehand: tables, earlier results, and which entry is meant for which file."""

import pytest

from seriatim.bench.reference import ReferenceEntry, read_reference, read_results
from seriatim.bench.result import Outcome, json_line
from seriatim.source import InputError, SourceText
from testkit.inputs.bench_results import reference, result


def test_a_table_gives_verdicts_and_the_last_times() -> None:
    text = "file\tserializable\tcert_ms\ttotal_ms\na.ser\tyes\t1\t250\nb.ser\tno\t1\ttimeout\nc.ser\t\t\t\n"
    found = read_reference(SourceText("t.tsv", text))
    assert found.has_times
    assert found.name == "t.tsv (total)"
    assert found.entries == (
        ReferenceEntry("a.ser", True, 0.25),
        ReferenceEntry("b.ser", False, None),
        ReferenceEntry("c.ser", None, None),
    )


def test_a_table_may_have_verdicts_only() -> None:
    found = read_reference(SourceText("t.tsv", "file\tserializable\na.ser\tno\n"))
    assert not found.has_times
    assert found.entries == (ReferenceEntry("a.ser", False, None),)


def test_an_earlier_result_gives_the_verdicts_and_times_of_what_was_solved() -> None:
    lines = [result("a.ser"), result("b.ser", Outcome.UNKNOWN), result("c.ser", Outcome.COMPILED, 2.0)]
    found = read_reference(SourceText("results.jsonl", "".join(map(json_line, lines))))
    assert found.entries == (
        ReferenceEntry("a.ser", True, 0.5),
        ReferenceEntry("b.ser", None, None),
        ReferenceEntry("c.ser", None, 2.0),
    )


def test_a_line_that_was_being_written_does_not_count() -> None:
    whole = json_line(result("a.ser"))
    cut = json_line(result("b.ser"))[:40]
    assert [found.file for found in read_results(SourceText("r", whole + cut))] == ["a.ser"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "neither a result"),
        ("name\tverdict\n", 1, "neither a result"),
        ("file\tserializable\na.ser\tmaybe\n", 2, "`serializable` is 'maybe'"),
        ("file\tserializable\na.ser\tyes\nb.ser\n", 3, "1 columns instead of 2"),
        ("file\told_ms\na.ser\tsoon\n", 2, "'soon' is not a time"),
        ("file\told_ms\na.ser\tnan\n", 2, "'nan' is not a time"),
        ("file\told_ms\na.ser\t-1\n", 2, "'-1' is not a time"),
        (json_line(result()) + "{}\n", 2, "not a result of `ser bench`"),
    ],
)
def test_anything_else_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_reference(SourceText("t.tsv", text))
    (found,) = caught.value.diagnostics
    assert found.code == "SER501"
    assert found.span is not None
    assert found.span.line == line
    assert message in found.message


def test_an_entry_is_found_by_the_end_of_the_path_the_longest_first() -> None:
    known = reference(("a.ser", True, 1.0), ("x/a.ser", False, 2.0), ("far/x/b.ser", True, 3.0))
    assert known.find("here/x/a.ser") == ReferenceEntry("x/a.ser", False, 2.0)
    assert known.find("here/y/a.ser") == ReferenceEntry("a.ser", True, 1.0)
    assert known.find("x/b.ser") == ReferenceEntry("far/x/b.ser", True, 3.0)
    assert known.find("aa.ser") is None
