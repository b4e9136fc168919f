"""C text as the parser takes it: macros replaced, conditions decided, comments and attributes left out.

Every word knows where it was in the text, so that messages and runs can say so. Lines that a preprocessor
took from headers of the system are left out, as headers are: what they declare is known by name.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seriatim.frontends.c.compiler_names import is_defined as asked_compiler
from seriatim.frontends.c.conditions import Condition
from seriatim.frontends.c.extensions import without_extensions
from seriatim.frontends.c.headers import ABSENT, CONSTANTS, HOMES, NEAR, PREDEFINED, STUBS
from seriatim.frontends.c.library_names import MACROS
from seriatim.frontends.c.macros import Expansion, Macro, Tokens, define, wrong
from seriatim.frontends.c.tokens import Token, tokenize
from seriatim.source import Span

MAX_DEPTH = 20
"""Of headers within headers."""
VERSION = "__GNUC__"
VERSIONS = tuple(str(number) for number in range(5, 31))
"""Of gcc: a condition has to mean the same for all of them."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text for the parser, and where its words come from."""

    text: str
    file: str
    places: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    """Line and column here, and in the source, in order."""

    def span(self, line: int, column: int) -> Span:
        """Where something comes from."""
        number = bisect_right(self.places, ((line, column), (1 << 60, 0))) - 1
        line, column = self.places[number][1] if number >= 0 else (1, 1)
        return Span(line, column, line, column + 1, self.file)


@dataclass(frozen=True, slots=True)
class Given:
    """What the user says to the preprocessor, as options of compilers do."""

    folders: tuple[str, ...] = ()
    """Where headers are looked for."""
    macros: tuple[str, ...] = ()
    """Such as `N` or `N=3`."""

    def definitions(self) -> str:
        """Directives that define the macros; one without a value is 1."""
        pairs = (each.partition("=") for each in self.macros)
        return "".join(f"#define {name} {value if sign else 1}\n" for name, sign, value in pairs)


def preprocess(text: str, file: str, given: Given | None = None) -> Prepared:
    """Raises `InputError` at directives that are wrong, or not known."""
    given = given or Given()
    preprocessor = Preprocessor(file, _beside(text, file), tuple(map(Path, given.folders)))
    for line in tokenize(PREDEFINED + given.definitions(), ""):
        preprocessor.line(line)
    for line in tokenize(text, file):
        preprocessor.line(line)
    return preprocessor.finish()


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition that began and has not ended."""

    is_taken: bool
    was_taken: bool
    """Whether this part or an earlier one is taken, or none may be."""
    directive: Token


class Preprocessor:
    def __init__(self, file: str, folder: Path | None = None, given: tuple[Path, ...] = ()) -> None:
        self.file = file
        self.given = given
        """More folders with headers."""
        self.folders = [] if folder is None else [folder]
        """The folders of the program, and of its headers that are being read; headers are looked for in the
        last one."""
        self.once: set[Path] = set()
        """Headers that are read once, as they say."""
        self.reading: Path | None = None
        self.macros: dict[str, Macro] = {}
        self.branches: list[Branch] = []
        self.group: Tokens = []
        """Tokens since the last directive."""
        self.found: Tokens = []
        self.is_foreign = False
        """Whether the lines come from a header of the system."""
        self.foreign: dict[str, bool] = {}
        """Files that markers name, and whether they are headers of the system."""
        self.included: set[str] = set()
        """Headers of the system."""
        self.expansion = Expansion(self.macros, file)
        self.guard: Token | None = None
        """A reserved name that is asked for and has to be defined next: it guards a header."""

    def line(self, tokens: Tokens) -> None:
        if tokens and self.guard:
            self.look_at_guard(tokens)
        if tokens and tokens[0].text == "#" and tokens[0].kind == "sign":
            self.flush()
            self.directive(tokens)
        elif not self.is_foreign and all(branch.is_taken for branch in self.branches):
            self.group += tokens

    def flush(self) -> None:
        self.found += self.expansion.expand(self.group)
        self.group = []

    def finish(self) -> Prepared:
        if self.branches:
            wrong("a condition that does not end", self.branches[-1].directive, self.file)
        self.flush()
        return _written(without_extensions(self.found, self.file), self.file)

    # Directives

    def directive(self, tokens: Tokens) -> None:
        sign, name, rest = tokens[0], tokens[1] if len(tokens) > 1 else None, tokens[2:]
        if name is None:
            return
        if name.kind == "number" or name.text == "line":
            self.expansion.is_renumbered = True
            self.marker(rest[1:] if name.text == "line" else rest)
        elif name.text in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            self.conditional(name.text, rest, sign)
        elif all(branch.is_taken for branch in self.branches) and not self.is_foreign:
            self.obey(name, rest, sign)

    def marker(self, rest: Tokens) -> None:
        """`# 33 "/usr/include/assert.h" 1 3`: what follows comes from a header. Where a file is named first
        decides what it is: `# 7 "main.c" 3 4` later on only says that a macro of a header was replaced."""
        names = [each.text.strip('"') for each in rest if each.kind == "string"]
        if names:
            flags = [each.text for each in rest if each.kind == "number"]
            is_header = "3" in flags or names[0].startswith(("/usr/include/", "/usr/lib/"))
            self.is_foreign = self.foreign.setdefault(names[0], is_header)

    def conditional(self, name: str, rest: Tokens, sign: Token) -> None:
        if name in ("if", "ifdef", "ifndef"):
            is_open = all(branch.is_taken for branch in self.branches)
            is_taken = is_open and self.holds(name, rest, sign)
            self.branches.append(Branch(is_taken, is_taken or not is_open, sign))
            return
        if not self.branches:
            wrong(f"an `#{name}` without a condition", sign, self.file)
        branch = self.branches.pop()
        if name == "else":
            self.branches.append(Branch(not branch.was_taken, True, sign))
        elif name == "elif":
            is_taken = not branch.was_taken and self.holds("if", rest, sign)
            self.branches.append(Branch(is_taken, branch.was_taken or is_taken, sign))

    def holds(self, name: str, rest: Tokens, sign: Token) -> bool:
        if name != "if":
            if not rest:
                wrong(f"an `#{name}` without a name", sign, self.file)
            if name == "ifndef" and self.is_unknown(rest[0].text) and not self.is_given(rest[0].text):
                self.guard = rest[0]
                return True
            is_there = self.is_given(rest[0].text) or self.is_defined(rest[0])
            return is_there == (name == "ifdef")
        tokens: Tokens = []
        place = 0
        while place < len(rest):
            token = rest[place]
            if token.text == "defined":
                words = [each.text for each in rest[place + 1 : place + 4]]
                is_wrapped = words[:1] == ["("] and words[2:] == [")"]
                if not words or (words[0] == "(" and not is_wrapped):
                    wrong("a condition of this form", sign, self.file)
                asked = rest[place + (2 if is_wrapped else 1)]
                known = self.is_given(asked.text) or self.is_defined(asked)
                tokens.append(Token("number", str(int(known)), token.line, token.column))
                place += 4 if is_wrapped else 2
            else:
                tokens.append(token)
                place += 1
        expanded = self.expansion.expand(tokens)
        values: dict[str, str] = {}
        for each in expanded:
            if each.kind != "name" or each.text in self.macros or not self.is_defined(each):
                continue
            if each.text not in CONSTANTS:
                wrong(f"a condition on `{each.text}`", each, self.file, "compare it in the code")
            values[each.text] = CONSTANTS[each.text]
        if any(each.text == VERSION for each in expanded):
            found = {
                Condition(expanded, {**values, VERSION: each}, sign, self.file).holds() for each in VERSIONS
            }
            if len(found) > 1:
                wrong("a condition on the version of the compiler", sign, self.file, "decide it")
            return found.pop()
        return Condition(expanded, values, sign, self.file).holds()

    def is_defined(self, name: Token) -> bool:
        """Raises `InputError` where a compiler might know a name that is not known here."""
        text = name.text
        if text in self.macros:
            return True
        if self.is_unknown(text):
            wrong(f"a condition on `{text}`", name, self.file, "define it, or leave the condition out")
        return any(text in HOMES.get(header, ()) for header in self.included)

    def is_given(self, name: str) -> bool:
        """Whether the compiler that is there defines a name, whose value is not known here."""
        return self.is_unknown(name) and bool(asked_compiler(name, self.included))

    def is_unknown(self, name: str) -> bool:
        """Whether a compiler or a header may define a name, and nobody knows here."""
        if name in self.macros or any(name in HOMES.get(header, ()) for header in self.included):
            return False
        if name.startswith("_") and (name[1:2] == "_" or name[1:2].isupper()):
            return name not in ABSENT and asked_compiler(name, self.included) is not False
        is_boolean = name in HOMES["stdbool.h"]  # No other header defines these.
        is_standard = name in MACROS or name in CONSTANTS
        if not self.included or is_boolean or not is_standard:
            return False
        return asked_compiler(name, self.included) is not False

    def look_at_guard(self, tokens: Tokens) -> None:
        """`#ifndef _QUEUE_H` and `#define _QUEUE_H`: nobody else defines such a name."""
        guard, self.guard = self.guard, None
        assert guard is not None, "there is one"
        if [each.text for each in tokens[:3]] != ["#", "define", guard.text]:
            self.is_defined(guard)

    def obey(self, name: Token, rest: Tokens, sign: Token) -> None:
        match name.text:
            case "define":
                defined, macro = define(rest, self.file)
                self.macros[defined] = macro
            case "undef":
                if rest:
                    self.macros.pop(rest[0].text, None)
            case "include":
                self.include(rest, sign)
            case "pragma":
                if rest and rest[0].text == "once" and self.reading is not None:
                    self.once.add(self.reading)
                if rest and rest[0].text == "omp":
                    wrong("OpenMP", sign, self.file, "use pthreads")
            case "error":
                said = " ".join(each.text for each in rest)
                wrong(f"what the program itself refuses (#error {said})", sign, self.file)
            case "warning" | "ident":
                pass
            case _:
                wrong(f"the directive `#{name.text}`", sign, self.file)

    def include_own(self, name: str, sign: Token) -> None:
        """A header of the program; what it says belongs to the line that includes it."""
        path = self.found_header(name, self.folders[-1:])
        if path is not None and path in self.once:
            return
        if path is None:
            hint = "name its folder: -I FOLDER"
            wrong(f'the header "{name}", which is not beside the program,', sign, self.file, hint)
        if len(self.folders) > MAX_DEPTH:
            wrong(f'the header "{name}", which includes itself,', sign, self.file, "guard it")
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            wrong(f'the header "{name}", which cannot be read,', sign, self.file)
        self.folders.append(path.parent)
        conditions, outer, was_renumbered = len(self.branches), self.reading, self.expansion.is_renumbered
        self.reading, self.expansion.is_renumbered = path, True
        for line in tokenize(text, self.file):
            self.line([replace(each, line=sign.line, column=sign.column) for each in line])
        if len(self.branches) != conditions:
            wrong(f'the header "{name}", with a condition that does not end,', sign, self.file)
        self.flush()
        self.reading, self.expansion.is_renumbered = outer, was_renumbered
        self.folders.pop()

    def found_header(self, name: str, nearest: Sequence[Path]) -> Path | None:
        """The first file of this name: beside the file that includes it, or where the user says."""
        places = (folder / name for folder in (*nearest, *self.given))
        return next((path for path in places if path.is_file()), None)

    def include(self, rest: Tokens, sign: Token) -> None:
        if not rest:
            wrong("an include without a name", sign, self.file)
        name = "".join(each.text for each in rest).strip('<>"')
        is_own = rest[0].text != "<" or self.found_header(name, ()) is not None
        if is_own and name not in NEAR:
            self.include_own(name, sign)
            return
        self.included.add(name)
        if name == "assert.h":
            self.macros.pop("assert", None)
            if "NDEBUG" in self.macros:
                line = "assert(condition) ((void)0)"
                (tokens,) = tokenize(line, self.file)
                self.macros["assert"] = define(tokens, self.file)[1]


def _beside(text: str, file: str) -> Path | None:
    """The folder of a source; None for a text that is not that of the file."""
    path = Path(file)
    try:
        return path.parent if path.is_file() and path.read_text("utf-8") == text else None
    except (OSError, UnicodeDecodeError, ValueError):
        return None


def _written(tokens: Tokens, file: str) -> Prepared:
    """Words that follow each other, each line about as long as the text that it comes from."""
    places: list[tuple[tuple[int, int], tuple[int, int]]] = []
    parts = [STUBS]
    line, column, source = 1, len(STUBS) + 1, 0
    for before, token in zip((None, *tokens), tokens, strict=False):
        if before is not None and before.kind == token.kind == "string":
            _look_at_strings(before, token, file)
        if token.line > source:
            parts.append("\n")
            line, column, source = line + 1, 1, token.line
        places.append(((line, column), (token.line, token.column)))
        parts.append(f"{token.text} ")
        column += len(token.text) + 1
    return Prepared("".join(parts), file, tuple(places))


def _look_at_strings(one: Token, other: Token, file: str) -> None:
    """Raises `InputError` where strings that follow each other are not the same as one."""
    if re.search(r'\\(?:x[0-9a-fA-F]+|[0-7]{1,2})"$', one.text) and re.match(r'"[0-9a-fA-F]', other.text):
        wrong(
            "a string that goes on after the number of a character", other, file, "write three octal digits"
        )
