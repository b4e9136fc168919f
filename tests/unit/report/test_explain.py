"""The page of error codes: complete, and true."""

import re
from pathlib import Path

import pytest

import seriatim.source
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_decidable
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.report.explain import explain, explained_codes
from seriatim.source import Diagnostic, InputError, SourceText

_SOURCES = Path(seriatim.source.__file__).parent
WITHOUT_EXAMPLE = {"SER028", "SER029", "SER043", "SER079", "SER092"}
"""About programs that are too large to be shown."""

NOTES = {"SER723", "SER724", "SER726"}
"""What an option asks for, whatever the program."""

_EXAMPLE = re.compile(r"^```(ser|conc|c)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(code: str) -> list[SourceText]:
    """The programs in the section of a code, named by their languages."""
    return [SourceText(f"example.{kind}", text) for kind, text in _EXAMPLE.findall(explain(code) or "")]


def test_every_code_in_use_is_explained_and_every_explained_code_is_in_use() -> None:
    used = {
        code
        for path in _SOURCES.rglob("*.py")
        for code in re.findall(r'"(SER\d{3})"', path.read_text("utf-8"))
    }
    assert used == set(explained_codes())


def test_codes_are_explained_once_and_in_order() -> None:
    assert list(explained_codes()) == sorted(set(explained_codes()))


def test_an_explanation_is_the_section_of_its_code() -> None:
    text = explain("ser006")
    assert text is not None
    assert text.startswith("## SER006: ")
    assert text.count("## ") == 1


def test_there_is_no_explanation_of_an_unknown_code() -> None:
    assert explain("SER999") is None


EXEMPLIFIED = [code for code in explained_codes() if code < "SER100" and code not in WITHOUT_EXAMPLE]


@pytest.mark.parametrize("code", EXEMPLIFIED)
def test_the_first_example_is_refused_with_its_code_and_the_second_is_accepted(code: str) -> None:
    wrong, right = examples(code)
    with pytest.raises(InputError) as caught:
        read_decidable(wrong)
    assert {found.code for found in caught.value.diagnostics} == {code}
    read_decidable(right)


@pytest.mark.parametrize(
    "code", [code for code in explained_codes() if code.startswith("SER7") and code not in NOTES]
)
def test_the_first_example_is_warned_of_with_its_code_and_the_second_is_not(code: str) -> None:
    wrong, right = map(warnings, examples(code))
    codes = [found.code for found in wrong]
    assert codes in ([code], [code, "SER710"])  # A slip may also cost a lock.
    assert right == ()


def warnings(source: SourceText) -> tuple[Diagnostic, ...]:
    content = read_decidable(source)
    if isinstance(content, ThreadProgram):
        return content.warnings
    return decide(content, Options()).warnings
