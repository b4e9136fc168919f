"""Macros of C: what replaces a name, with arguments, `#` and `##`, as the standard says.

A token that comes from the text of a macro is never replaced by that macro again: each token knows which
macros are hidden from it.
"""

from dataclasses import dataclass, replace
from typing import NoReturn

from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.tokens import Token, tokenize
from seriatim.source import Span

MAX_TOKENS = 200_000
"""How many tokens macros may produce."""

REST = "__VA_ARGS__"

Tokens = list[Token]


@dataclass(frozen=True, slots=True)
class Macro:
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None
    """None for a macro without parentheses."""

    @property
    def is_variadic(self) -> bool:
        return self.parameters is not None and REST in self.parameters


def define(tokens: Tokens, file: str) -> tuple[str, Macro]:
    """What follows `#define`: a name, parameters if a parenthesis follows at once, and a text."""
    if not tokens or tokens[0].kind != "name":
        wrong("a macro without a name", tokens[0] if tokens else None, file)
    name, rest = tokens[0], tokens[1:]
    if not rest or rest[0].text != "(" or rest[0].is_spaced:
        return name.text, Macro(tuple(rest))
    parameters: list[str] = []
    closing = next((number for number, each in enumerate(rest) if each.text == ")"), None)
    if closing is None:
        wrong("a macro whose parameters do not end", name, file)
    for number, each in enumerate(rest[1:closing]):
        if number % 2 == 1 and each.text == ",":
            continue
        if number % 2 == 1 or (each.kind != "name" and each.text != "..."):
            wrong("a macro with parameters of this form", each, file)
        parameters.append(REST if each.text == "..." else each.text)
    body = rest[closing + 1 :]
    for number, each in enumerate(body):
        if each.text == "#" and not any(other.text in parameters for other in body[number + 1 : number + 2]):
            wrong("a `#` in a macro that no parameter follows", each, file)
    return name.text, Macro(tuple(body), tuple(parameters))


class Expansion:
    """Replaces macros in lists of tokens."""

    def __init__(self, macros: dict[str, Macro], file: str) -> None:
        self.macros = macros
        self.file = file
        self.produced = 0
        self.is_renumbered = False
        """Whether the text says which lines it comes from."""

    def expand(self, tokens: Tokens) -> Tokens:
        found: Tokens = []
        pending = tokens[::-1]
        while pending:
            token = pending.pop()
            if token.text in ("__LINE__", "__FILE__"):
                found.append(self.place(token))
                continue
            macro = self.macros.get(token.text) if token.kind == "name" else None
            if macro is None or token.text in token.hidden:
                found.append(token)
                continue
            if macro.parameters is None:
                hidden = token.hidden | {token.text}
                body = self.substitute(macro, {}, token, hidden)
            elif pending and pending[-1].text == "(":
                arguments, last = self.arguments(macro, token, pending)
                hidden = (token.hidden & last.hidden) | {token.text}
                body = self.substitute(macro, arguments, token, hidden)
            else:
                found.append(token)
                continue
            self.produced += len(body)
            if self.produced > MAX_TOKENS:
                wrong("macros that expand to so much text", token, self.file, "use smaller macros")
            pending.extend(reversed(body))
        return found

    def place(self, token: Token) -> Token:
        """`__LINE__` and `__FILE__`"""
        if token.text == "__LINE__":
            if self.is_renumbered:
                wrong("`__LINE__` after a directive that numbers lines", token, self.file, "write the number")
            return replace(token, kind="number", text=str(token.line))
        return replace(token, kind="string", text=f'"{self.file}"')

    def arguments(self, macro: Macro, name: Token, pending: Tokens) -> tuple[dict[str, Tokens], Token]:
        """Takes the arguments of a call from the tokens that follow; and its last token."""
        pending.pop()
        parts: list[Tokens] = [[]]
        depth = 1
        while True:
            if not pending:
                wrong(f"a call of the macro `{name.text}` that does not end", name, self.file)
            token = pending.pop()
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if depth == 0:
                break
            parameters = macro.parameters or ()
            is_rest = macro.is_variadic and len(parts) >= len(parameters)
            if token.text == "," and depth == 1 and not is_rest:
                parts.append([])
            else:
                parts[-1].append(token)
        parameters = macro.parameters or ()
        if not parameters and parts == [[]]:
            parts = []
        if macro.is_variadic and len(parts) == len(parameters) - 1:
            parts.append([])
        if len(parts) != len(parameters):
            wrong(f"the macro `{name.text}` with {len(parts)} arguments", name, self.file)
        return dict(zip(parameters, parts, strict=True)), token

    def substitute(
        self, macro: Macro, arguments: dict[str, Tokens], call: Token, hidden: frozenset[str]
    ) -> Tokens:
        """The text of a macro with its arguments; its tokens lie where it is called."""
        found: Tokens = []
        body = macro.body
        place = 0
        while place < len(body):
            token = body[place]
            following = body[place + 1].text if place + 1 < len(body) else ""
            if token.text == "#" and macro.parameters is not None:
                found.append(_quoted(arguments[following], call))
                place += 2
            elif token.text == "##" and found and place + 1 < len(body):
                self.paste(found, body[place + 1], arguments, call)
                place += 2
            elif following == "##" and token.text in arguments:
                found += arguments[token.text] or [replace(token, kind="nothing", text="")]
                place += 1
            elif token.text in arguments:
                found += self.expand(list(arguments[token.text]))
                place += 1
            else:
                found.append(replace(token, line=call.line, column=call.column))
                place += 1
        return [replace(each, hidden=each.hidden | hidden) for each in found if each.kind != "nothing"]

    def paste(self, found: Tokens, right: Token, arguments: dict[str, Tokens], call: Token) -> None:
        """`##`: the last token and the next one become one."""
        parts = arguments.get(right.text, [right])
        if found[-1].text == "," and right.text == REST:  # A comma goes if no arguments follow.
            if not parts:
                found.pop()
            found.extend(parts)
            return
        if not parts:
            return
        text = found[-1].text + parts[0].text
        tokens = [each for line in tokenize(text, self.file) for each in line]
        if len(tokens) != 1:
            wrong(f"`{text}`, which `##` makes and which is not a token of C,", call, self.file)
        found[-1] = replace(tokens[0], line=call.line, column=call.column)
        found.extend(parts[1:])


def _quoted(tokens: Tokens, call: Token) -> Token:
    """`#x`: the text of an argument as a string."""
    parts = [
        (" " if each.is_spaced and number else "") + _escaped(each) for number, each in enumerate(tokens)
    ]
    return Token("string", f'"{"".join(parts)}"', call.line, call.column)


def _escaped(token: Token) -> str:
    if token.kind not in ("string", "character"):
        return token.text
    return token.text.replace("\\", "\\\\").replace('"', '\\"')


def wrong(what: str, token: Token | None, file: str, remedy: str = "") -> NoReturn:
    line, column = (token.line, token.column) if token is not None else (1, 1)
    refuse(
        what,
        Span(line, column, line, column + 1, file),
        remedy or "run the preprocessor first: gcc -E file.c > file.i",
    )
