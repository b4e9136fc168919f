"""Tokens, their places, and what is no token."""

import pytest

from seriatim.frontends.ser import lexer
from seriatim.frontends.ser.lexer import MAX_DIGITS, Kind, Token, tokenize
from seriatim.source import MAX_DIAGNOSTICS, Diagnostic, Findings, InputError, Span, quote
from testkit.samples import IS_DEEP


def tokens_of(text: str) -> list[Token]:
    findings = Findings()
    tokens = tokenize(text, findings)
    assert not findings
    return tokens


def mistakes_in(text: str) -> tuple[Diagnostic, ...]:
    findings = Findings()
    tokenize(text, findings)
    return findings.error().diagnostics


def test_words_numbers_and_symbols_have_their_kinds() -> None:
    tokens = tokens_of("if X1 := 007 && _y>=2")
    assert [(token.kind, token.text) for token in tokens] == [
        (Kind.KEYWORD, "if"),
        (Kind.NAME, "X1"),
        (Kind.SYMBOL, ":="),
        (Kind.NUMBER, "007"),
        (Kind.SYMBOL, "&&"),
        (Kind.NAME, "_y"),
        (Kind.SYMBOL, ">="),
        (Kind.NUMBER, "2"),
        (Kind.END, ""),
    ]


def test_places_count_lines_and_columns_from_one() -> None:
    tokens = tokens_of("x\r\n\n\t yield // what\n# more\n  y")
    assert [token.span for token in tokens] == [
        Span(1, 1, 1, 2),
        Span(3, 3, 3, 8),
        Span(5, 3, 5, 4),
        Span(5, 4, 5, 4),
    ]


def test_the_first_token_of_a_line_knows_its_indentation() -> None:
    assert [token.indentation for token in tokens_of("  a b\n\n// c\n\td")][:3] == ["  ", None, "\t"]


def test_names_may_use_any_letters() -> None:
    assert [token.text for token in tokens_of("größe 変数 Ω_1")][:3] == ["größe", "変数", "Ω_1"]


@pytest.mark.parametrize("text", ["$", "\0", "/", "\r", "\u00a0", "²", "٣", "\ud800", "\x1b[31m"[:1]])
def test_a_character_without_a_meaning_is_reported_where_it_stands(text: str) -> None:
    (found,) = mistakes_in(f"x {text} y")
    assert (found.code, found.span) == ("SER001", Span(1, 3, 1, 4))
    assert found.message.isprintable()


def test_a_run_of_odd_characters_is_one_mistake() -> None:
    (found,) = mistakes_in("x " + "\0" * 1000)
    assert found.span == Span(1, 3, 1, 1003)
    assert len(found.message) < 150


@pytest.mark.parametrize(
    ("text", "meant"), [("&", "&&"), ("|", "||"), ("=", "="), ("+=", ":="), ("=+", ":="), ("===", "==")]
)
def test_operators_of_other_languages_are_reported_and_understood(text: str, meant: str) -> None:
    findings = Findings()
    tokens = tokenize(f"x {text} y", findings)
    (found,) = findings.error().diagnostics
    assert (found.code, found.span) == ("SER002", Span(1, 3, 1, 3 + len(text)))
    assert tokens[1].text == meant


@pytest.mark.parametrize("text", ['"a b"', "'a'", '""', '"//"', '"it\'s"'])
def test_a_string_is_one_mistake(text: str) -> None:
    (found,) = mistakes_in(f"x := {text}; y")
    assert (found.code, found.span) == ("SER001", Span(1, 6, 1, 6 + len(text)))
    assert found.hint == "there are only integers"


def test_a_lone_quotation_mark_hides_nothing() -> None:
    findings = Findings()
    tokens = tokenize('"a\n}', findings)
    (found,) = findings.error().diagnostics
    assert (found.span, found.hint) == (Span(1, 1, 1, 2), "there are only integers")
    assert [token.text for token in tokens] == ['"', "a", "}", ""]


@pytest.mark.parametrize("text", ["3x", "0x10", "1_000", "12²"])
def test_words_that_begin_with_a_digit_must_be_numbers(text: str) -> None:
    assert [found.code for found in mistakes_in(text)] == ["SER003"]


def test_numbers_have_a_greatest_length() -> None:
    assert tokens_of("9" * MAX_DIGITS)[0].kind is Kind.NUMBER
    assert [found.code for found in mistakes_in("9" * (MAX_DIGITS + 1))] == ["SER004"]


def test_there_is_an_end_to_the_mistakes_in_one_text() -> None:
    with pytest.raises(InputError) as caught:
        tokenize("$ " * 100, Findings())
    assert len(caught.value.diagnostics) == MAX_DIAGNOSTICS


def test_a_text_of_too_many_tokens_is_refused_at_the_first_one_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = lexer.MAX_TOKENS if IS_DEEP else 5_000
    monkeypatch.setattr(lexer, "MAX_TOKENS", most)
    with pytest.raises(InputError) as caught:
        tokenize("1+" * most, Findings())
    (found,) = caught.value.diagnostics
    assert (found.code, found.span) == ("SER029", Span(1, most + 1, 1, most + 2))


def test_a_quotation_is_short_and_printable() -> None:
    assert quote("x\0\x1b\u202e") == r"`x\x00\x1b\u202e`"
    assert quote("a" * 50) == "`" + "a" * 20 + "…`"
