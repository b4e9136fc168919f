"""The preprocessor: `#define`, `#undef`, `#if` and the like, `#include`; on tokens.

The tokens of a macro get the place where the macro is used, so that messages point into the program. Tokens
of an included file keep their own places, which name that file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seriatim.frontends.p4.refusal import SYNTAX, UNSUPPORTED, refuse
from seriatim.frontends.p4.syntax import Mark
from seriatim.frontends.p4.tokens import Kind, Lexer, Line, Token
from seriatim.source import Span, quote

BUILT_IN = ("core.p4", "v1model.p4")
"""Included files that need not be read: Seriatim knows their declarations."""

OTHER_ARCHITECTURES = ("psa.p4", "pna.p4", "tna.p4", "t2na.p4", "xsa.p4", "ebpf_model.p4", "ubpf_model.p4")

MAX_FILES = 200
"""The most files that a program may include, counted as often as they are."""

MAX_DEPTH = 40
"""How deeply files may include each other."""

MAX_BYTES = 4_000_000
"""The longest file that a program may include."""

MAX_EXPANSION = 200_000
"""The most tokens that macros may produce."""


@dataclass(frozen=True, slots=True)
class Macro:
    parameters: tuple[str, ...] | None
    """The names of its parameters; None if the macro is used without `()`."""
    body: tuple[Token, ...]


Condition = Callable[[Sequence[Token], Span], bool]
"""Evaluates the expression after `#if`."""


class Preprocessor:
    """Follows directives and expands macros; `tokens` are the result."""

    def __init__(
        self, condition: Condition, beside: Path | None = None, folders: Sequence[Path] = ()
    ) -> None:
        """Files are looked for in the folder `beside` the program, and in further folders."""
        self._condition = condition
        self._folders = folders
        self._places = [beside]
        """The folders of the files that are being read, each included by the one before it."""
        self._files = 0
        self._outer = 0
        """The number of `#if`s that were open where the present file began."""
        self.marks: list[Mark] = []
        """The comments for `ser` in included files."""
        self.texts: list[str] = []
        """The texts of included files."""
        self._macros: dict[str, Macro] = {}
        self._open: list[list[bool]] = []
        """For each `#if` that is open: whether its part is taken, and whether one has been taken before."""
        self._starts: list[Span] = []
        self.tokens: list[Token] = []
        self.includes: list[tuple[str, Span]] = []

    def read(self, lines: Sequence[Line]) -> list[Token]:
        """Reads lines once and returns the tokens that remain; raises `InputError`."""
        text: list[Token] = []
        before, self._outer = self._outer, len(self._open)
        for line in lines:
            if line.is_directive:
                self._flush(text)
                self._follow_directive(line)
            elif self._is_taken():
                text += line.tokens
        self._flush(text)
        if len(self._open) > self._outer:
            raise refuse(SYNTAX, "this `#if` does not end", self._starts[-1], "close it with `#endif`")
        self._outer = before
        return self.tokens

    def _flush(self, text: list[Token]) -> None:
        self.tokens += self._expand(text, frozenset())
        text.clear()

    def _is_taken(self) -> bool:
        return all(taken for taken, _ in self._open)

    def _follow_directive(self, line: Line) -> None:
        if not line.tokens:
            return
        word, rest = line.tokens[0], line.tokens[1:]
        match word.text:
            case "ifdef" | "ifndef":
                is_defined = self._name(word, rest) in self._macros
                self._begin(is_defined == (word.text == "ifdef"), word.span)
            case "if":
                self._begin(self._is_taken() and self._holds(rest, word.span), word.span)
            case "elif" | "else" | "endif":
                self._continue(word, rest)
            case _ if not self._is_taken():
                return
            case "define":
                self._define(word, rest)
            case "undef":
                self._macros.pop(self._name(word, rest), None)
            case "include":
                self._include(line, word)
            case "error":
                raise refuse(SYNTAX, f"the program says: {line.text.strip()}", word.span)
            case "pragma" | "line":
                return  # Pragmas do not change the meaning of a program.
            case _:
                hint = "use #define, #undef, #if, #ifdef, #ifndef, #elif, #else, #endif or #include"
                raise refuse(SYNTAX, f"unknown directive {quote('#' + word.text)}", word.span, hint)

    def _begin(self, taken: bool, span: Span) -> None:
        self._open.append([taken, taken])
        self._starts.append(span)

    def _continue(self, word: Token, rest: Sequence[Token]) -> None:
        if len(self._open) == self._outer:
            raise refuse(SYNTAX, f"`#{word.text}` without `#if`", word.span)
        if word.text == "endif":
            self._open.pop()
            self._starts.pop()
            return
        part = self._open[-1]
        around = all(taken for taken, _ in self._open[:-1])
        now = around and not part[1] and (word.text == "else" or self._holds(rest, word.span))
        self._open[-1] = [now, part[1] or now]

    def _holds(self, tokens: Sequence[Token], span: Span) -> bool:
        asked: list[Token] = []
        left = list(tokens)
        while left:
            token = left.pop(0)
            if token.text == "defined" and left:
                has_brackets = left[0].text == "("
                name = left.pop(0) if not has_brackets else left[1] if len(left) > 1 else left[0]
                del left[: 3 if has_brackets else 0]
                asked.append(replace(name, kind=Kind.NUMBER, text=str(int(name.text in self._macros))))
            else:
                asked.append(token)
        known = (
            replace(token, kind=Kind.NUMBER, text="0") if token.kind is Kind.NAME else token
            for token in self._expand(asked, frozenset())
        )
        return self._condition(list(known), span)

    def _name(self, word: Token, rest: Sequence[Token]) -> str:
        if not rest or rest[0].kind is not Kind.NAME:
            raise refuse(SYNTAX, f"`#{word.text}` needs a name", word.span)
        return rest[0].text

    def _define(self, word: Token, rest: Sequence[Token]) -> None:
        name = self._name(word, rest)
        if len(rest) == 1 or not (rest[1].text == "(" and rest[1].is_glued):
            self._macros[name] = Macro(None, tuple(rest[1:]))
            return
        end = next((place for place, token in enumerate(rest) if token.text == ")"), None)
        if end is None:
            raise refuse(SYNTAX, "expected `)` after the parameters of a macro", word.span)
        parameters = tuple(token.text for token in rest[2:end] if token.text != ",")
        self._macros[name] = Macro(parameters, tuple(rest[end + 1 :]))

    def _include(self, line: Line, word: Token) -> None:
        written = line.text.partition("include")[2].partition("//")[0].strip()
        name = written.strip('<>"')
        base = name.rpartition("/")[2]
        nearest = self._places[-1] if written.startswith('"') else None
        if base in BUILT_IN:
            if nearest is not None and (nearest / name).is_file():
                hint = f"Seriatim has its own {base}; remove the file, or rename it"
                raise refuse(UNSUPPORTED, f"a {quote(base)} of your own is not read", word.span, hint)
            self.includes.append((name, word.span))
            return
        folders = self._folders if nearest is None else (nearest, *self._folders)
        path = next((path for each in folders if (path := each / name).is_file()), None)
        if path is None:
            is_other = base in OTHER_ARCHITECTURES
            hint = "only programs for v1model are supported" if is_other else "name its folder: -I FOLDER"
            raise refuse(UNSUPPORTED, f"`#include` of {quote(name)}: there is no such file", word.span, hint)
        self._read_file(path, name, word)

    def _read_file(self, path: Path, name: str, word: Token) -> None:
        self._files += 1
        if self._files > MAX_FILES or len(self._places) > MAX_DEPTH:
            hint = "guard it: #ifndef NAME, #define NAME, …, #endif"
            raise refuse(SYNTAX, f"{quote(name)} includes itself", word.span, hint)
        try:
            if path.stat().st_size > MAX_BYTES:
                raise refuse(UNSUPPORTED, f"{quote(name)} is too long to be included", word.span)
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            raise refuse(UNSUPPORTED, f"{quote(name)} cannot be read", word.span) from None
        self.texts.append(text)
        self._places.append(path.parent)
        lexer = Lexer(text, "".join(each if each.isprintable() else "?" for each in path.as_posix()))
        self.read(lexer.lines())
        self.marks += (Mark(each.text) for each in lexer.marks)
        self._places.pop()

    # --- macros -------------------------------------------------------------------------------------------

    def _expand(self, tokens: Sequence[Token], inside: frozenset[str]) -> list[Token]:
        """Expands macros; a macro is not expanded inside itself."""
        found: list[Token] = []
        place = 0
        while place < len(tokens):
            token = tokens[place]
            place += 1
            macro = self._macros.get(token.text) if token.kind is Kind.NAME else None
            if macro is None or token.text in inside:
                found.append(token)
                continue
            arguments: Mapping[str, Sequence[Token]] = {}
            if macro.parameters is not None:
                if place == len(tokens) or tokens[place].text != "(":
                    found.append(token)
                    continue
                given, place = _arguments(tokens, place, token)
                if len(given) != len(macro.parameters) and (macro.parameters or given != [[]]):
                    message = f"macro `{token.text}` takes {len(macro.parameters)} arguments"
                    raise refuse(SYNTAX, message, token.span)
                arguments = dict(zip(macro.parameters, given, strict=False))
            body = _substitute(macro.body, arguments, token)
            found += self._expand(body, inside | {token.text})
            if len(found) + len(self.tokens) > MAX_EXPANSION:
                raise refuse(SYNTAX, "macros make the program too long", token.span)
        return found


def _substitute(body: Sequence[Token], arguments: Mapping[str, Sequence[Token]], use: Token) -> list[Token]:
    """Puts the arguments of a macro into its body; `a ## b` becomes one word."""
    found: list[Token] = []
    joins = False
    place = 0
    while place < len(body):
        token = body[place]
        place += 1
        if token.text == "#":
            if place == len(body) or body[place].text != "#" or not body[place].is_glued or not found:
                raise refuse(UNSUPPORTED, "`#` in a macro is not supported", use.span, "write it out")
            place += 1
            joins = True
            continue
        new = list(arguments.get(token.text, [replace(token, span=use.span)]))
        if joins and new:
            found[-1] = _join(found[-1], new.pop(0), use)
        joins = False
        found += new
    if joins:
        raise refuse(SYNTAX, f"`##` ends macro `{use.text}`", use.span)
    return found


def _join(one: Token, other: Token, use: Token) -> Token:
    """One word from two, such as the name `count1`."""
    text = one.text + other.text
    if one.kind is not Kind.NAME or not text.isidentifier() or not text.isascii():
        raise refuse(UNSUPPORTED, f"`##` makes {quote(text)}, which is not a name", use.span)
    return replace(one, text=text, span=use.span)


def _arguments(tokens: Sequence[Token], place: int, use: Token) -> tuple[list[list[Token]], int]:
    """The arguments of a macro whose `(` is at this place, and the place after its `)`."""
    given: list[list[Token]] = [[]]
    depth = 0
    for position in range(place, len(tokens)):
        text = tokens[position].text
        depth += (text == "(") - (text == ")")
        if depth == 0:
            return given, position + 1
        if text == "," and depth == 1:
            given.append([])
        elif depth > 1 or position > place:
            given[-1].append(tokens[position])
    raise refuse(SYNTAX, f"the arguments of macro `{use.text}` do not end", use.span)
