"""The grammar and the words of the language reference are those of the parser."""

import re
from functools import cache
from pathlib import Path
from random import Random

from seriatim.frontends.ser.keywords import ALL, CONTEXTUAL, RESERVED
from seriatim.frontends.ser.parser import parse
from seriatim.source import InputError
from testkit.generators.ebnf import Sampler, read_grammar
from testkit.running.markdown_blocks import blocks
from testkit.samples import sample

PAGE = Path(__file__).parents[2] / "docs" / "language.md"

STATIC = {f"SER0{number}" for number in (21, *range(23, 28), *range(30, 43), 44, 48)}
"""The mistakes that a sentence of the grammar can still contain: the page's static rules."""


@cache
def grammar() -> str:
    (block,) = (block for block in blocks(PAGE) if block.language == "ebnf")
    return block.text


@cache
def sentences() -> tuple[str, ...]:
    """In braces: indentation is not a matter of single words. About globals: the first `a[1] := …` of a
    handler would declare a local."""
    words = {"NAME": ["X", "Y", "Main"], "NUMBER": ["0", "12"], "NEWLINE": ["\n"]}
    sampler = Sampler(read_grammar(grammar()), words, never=["indented"], depth=20)
    return tuple(sampler.sentence("program", Random(seed)) for seed in sample(100, 4))


def mistakes(text: str) -> set[str]:
    """The codes with which a text is refused; none if it is accepted."""
    try:
        parse(text)
    except InputError as error:
        return {diagnostic.code for diagnostic in error.diagnostics}
    return set()


def test_sentences_of_the_grammar_are_programs() -> None:
    assert not [sentence for sentence in sentences() if mistakes(sentence) - STATIC]


def test_the_sentences_use_every_word_of_the_grammar() -> None:
    """Except for the colon, which begins an indented block, and the type of a parameter after it."""
    assert set(re.findall(r'"(.+?)"', grammar())) - {":", "int"} <= set(" ".join(sentences()).split(" "))


def test_the_reserved_words_of_the_page_are_those_of_the_lexer() -> None:
    (line,) = (
        line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("- **Reserved words**")
    )
    assert set(re.findall(r"`(\w+)`", line)) == RESERVED


def test_the_other_words_of_the_page_are_names_elsewhere() -> None:
    text = " ".join(PAGE.read_text("utf-8").split())
    (told,) = re.findall(r"The words of declarations, calls and loops \(([^)]*)\) are not reserved", text)
    assert set(re.findall(r"`(\w+)`", told)) == CONTEXTUAL


def test_the_grammar_has_exactly_the_words_with_a_meaning() -> None:
    assert set(re.findall(r'"([a-z]\w*)"', grammar())) - {"int"} == ALL
