"""Reads expressions, types and annotations."""

from seriatim.frontends.p4.refusal import SYNTAX, UNSUPPORTED, refuse
from seriatim.frontends.p4.syntax import Annotation, Annotations
from seriatim.frontends.p4.terms import (
    Anything,
    Argument,
    Binary,
    BitType,
    Boolean,
    Call,
    Cast,
    Expression,
    Index,
    Interval,
    Literal,
    Mask,
    Member,
    Name,
    NamedType,
    Operator,
    Prefix,
    Slice,
    StackType,
    Ternary,
    Text,
    Tuple,
    TupleType,
    Type,
    Unary,
    VarbitType,
)
from seriatim.frontends.p4.tokens import KEYWORDS, Kind, Token, number_of
from seriatim.source import InputError, Span, quote

MAX_DEPTH = 200
"""How deeply expressions and blocks may nest."""

_LEVELS = {
    text: level
    for level, texts in enumerate(
        ("||", "&&", "== !=", "< > <= >=", "|", "^", "&", "<< >>", "++ + - |+| |-|", "* / %")
    )
    for text in texts.split()
}
"""Binary operators; those of a higher level bind more tightly, and all associate to the left."""

_BASE_TYPES = ("bit", "int", "bool", "varbit", "error", "string", "tuple")


class ExpressionReader:
    """Reads tokens one after the other."""

    def __init__(self, tokens: list[Token], end: Token) -> None:
        self.tokens = [*tokens, end]
        self.position = 0
        self.types: set[str] = set(_BASE_TYPES)
        """Names of types; a name of a type in parentheses before an operand is a cast."""
        self._depth = 0

    # --- tokens -------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.position + count, len(self.tokens) - 1)]

    def at(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind in (Kind.SYMBOL, Kind.NAME)

    def next(self) -> Token:
        token = self.token
        if token.kind is not Kind.END:
            self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.at(text):
            self.next()
            return True
        return False

    def expect(self, text: str, hint: str | None = None) -> Token:
        if not self.at(text):
            raise self.unexpected(f"`{text}`", hint)
        return self.next()

    def name(self, what: str) -> Token:
        if self.token.kind is not Kind.NAME or self.token.text in KEYWORDS:
            raise self.unexpected(what)
        return self.next()

    def unexpected(self, wanted: str, hint: str | None = None) -> InputError:
        token = self.token
        found = "the end of the file" if token.kind is Kind.END else quote(token.text)
        is_keyword = token.text in KEYWORDS and wanted.startswith(("a name", "the name"))
        hint = hint or ("this is a keyword; choose another name" if is_keyword else None)
        return refuse(SYNTAX, f"expected {wanted}, but found {found}", token.span, hint)

    def since(self, start: Span) -> Span:
        """The span from a token to the last one that was read."""
        return start.to(self.tokens[max(self.position - 1, 0)].span)

    def enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise refuse(SYNTAX, "the program nests too deeply", self.token.span)

    def leave(self) -> None:
        self._depth -= 1

    # --- expressions --------------------------------------------------------------------------------------

    def expression(self) -> Expression:
        self.enter()
        start = self.token.span
        condition = self._binary(0)
        if self.accept("?"):
            then = self.expression()
            self.expect(":")
            otherwise = self.expression()
            condition = Ternary(condition, then, otherwise, self.since(start))
        self.leave()
        return condition

    def _binary(self, weakest: int) -> Expression:
        """Reads an expression whose operators are of this level or bind more tightly."""
        start = self.token.span
        left = self._unary()
        while (found := self._operator()) is not None and found[1] >= weakest:
            operator, level = found
            self.position += 1 + (operator is Operator.SHIFT_RIGHT)
            left = Binary(operator, left, self._binary(level + 1), self.since(start))
        return left

    def _operator(self) -> tuple[Operator, int] | None:
        """The operator that comes next, and its level; `>>` consists of two tokens."""
        text = self.token.text
        if text == ">" and self.ahead().text == ">" and self.ahead().is_glued:
            text = ">>"
        is_symbol = self.token.kind is Kind.SYMBOL
        return (Operator(text), _LEVELS[text]) if is_symbol and text in _LEVELS else None

    def _unary(self) -> Expression:
        self.enter()
        start = self.token.span
        found: Expression
        if self.at("!", "~", "-", "+"):
            operator = Prefix(self.next().text)
            found = Unary(operator, self._unary(), self.since(start))
        elif self.at("(") and self._is_cast():
            self.next()
            kind = self.type()
            self.expect(")")
            found = Cast(kind, self._unary(), self.since(start))
        else:
            found = self._postfix(self._primary(), start)
        self.leave()
        return found

    def _is_cast(self) -> bool:
        first, second = self.ahead(), self.ahead(2)
        if first.text in _BASE_TYPES:
            return second.text in ("<", ")") and first.text != "error"
        return first.text in self.types and second.text == ")"

    def _primary(self) -> Expression:
        token = self.token
        match token.kind:
            case Kind.NUMBER:
                self.next()
                return Literal(*number_of(token.text, token.span), token.span)
            case Kind.STRING:
                self.next()
                return Text(token.text[1:-1], token.span)
        match token.text:
            case "true" | "false":
                return Boolean(self.next().text == "true", token.span)
            case "(":
                self.next()
                inner = self.expression()
                self.expect(")")
                return inner
            case "{":
                return self._tuple()
            case ".":
                self.next()
                return Name(self.name("a name").text, True, self.since(token.span))
            case "error" | "this":
                self.next()
                return Name(token.text, False, token.span)
            case _:
                return Name(self.name("an expression").text, False, token.span)

    def _tuple(self) -> Expression:
        start = self.expect("{").span
        items = self.arguments("}")
        return Tuple(items, self.since(start))

    def _postfix(self, found: Expression, start: Span) -> Expression:
        while True:
            if self.accept("."):
                word = self.next() if self.at("apply") else self.name("the name of a field or method")
                found = Member(found, word.text, self.since(start))
            elif self.accept("["):
                found = self._index_or_slice(found, start)
            elif self.accept("("):
                found = Call(found, self.arguments(")"), (), self.since(start))
            elif self.at("<") and self._are_type_arguments():
                kinds = self.type_arguments()
                self.expect("(")
                found = Call(found, self.arguments(")"), kinds, self.since(start))
            else:
                return found

    def _index_or_slice(self, of: Expression, start: Span) -> Expression:
        first = self.expression()
        if self.accept(":"):
            low = self.expression()
            self.expect("]")
            return Slice(of, first, low, self.since(start))
        self.expect("]")
        return Index(of, first, self.since(start))

    def _are_type_arguments(self) -> bool:
        """Whether `<` begins a list of types, not a comparison: a `(` follows its `>`."""
        before = self.position
        try:
            self.type_arguments()
            return self.at("(")
        except InputError:
            return False
        finally:
            self.position = before

    def arguments(self, end: str) -> tuple[Argument, ...]:
        """Reads arguments, up to and including the closing bracket."""
        found: list[Argument] = []
        while not self.accept(end):
            start = self.token.span
            name = None
            if self.token.kind is Kind.NAME and self.ahead().text == "=":
                name = self.next().text
                self.next()
            if self.at("_") and name is None:
                value: Expression = Anything(self.next().span)
            else:
                value = self.expression()
            found.append(Argument(value, name, self.since(start)))
            if not self.at(end):
                self.expect(",")
        return tuple(found)

    def keys(self) -> tuple[Expression, ...]:
        """Reads one key, or several in parentheses."""
        if not self.at("("):
            return (self.key(),)
        before = self.position
        self.next()
        found = [self.key()]
        while self.accept(","):
            if not self.at(")"):
                found.append(self.key())
        self.expect(")")
        if self.at(":"):
            return tuple(found)
        self.position = before  # The parenthesis belongs to an expression, such as `(A) &&& B`.
        return (self.key(),)

    def key(self) -> Expression:
        start = self.token.span
        if self.at("_", "default"):
            return Anything(self.next().span)
        first = self.expression()
        if self.accept("&&&"):
            return Mask(first, self.expression(), self.since(start))
        if self.accept(".."):
            return Interval(first, self.expression(), self.since(start))
        return first

    # --- types and annotations ----------------------------------------------------------------------------

    def type(self) -> Type:
        start = self.token.span
        if self.at("bit", "int", "varbit"):
            found = self._sized_type(self.next())
        elif self.accept("tuple"):
            found = TupleType(self.type_arguments(), self.since(start))
        else:
            self.accept(".")
            if self.at("bool", "error", "string", "void"):
                name = self.next().text
            else:
                name = self.name("a type").text
            arguments = self.type_arguments() if self.at("<") else ()
            found = NamedType(name, arguments, self.since(start))
        while self.at("[") and self.ahead().text != "]":
            self.next()
            size = self.expression()
            self.expect("]")
            found = StackType(found, size, self.since(start))
        return found

    def _sized_type(self, word: Token) -> Type:
        if not self.accept("<"):
            if word.text == "int":
                return NamedType("int", (), word.span)
            if word.text == "bit":
                return BitType(Literal(1), False, word.span)
            raise self.unexpected("`<`")
        width = self._width()
        self.expect(">")
        if word.text == "varbit":
            return VarbitType(width, self.since(word.span))
        return BitType(width, word.text == "int", self.since(word.span))

    def _width(self) -> Expression:
        """Reads an expression without `>`, except in parentheses."""
        return self._binary(_LEVELS["+"])

    def type_arguments(self) -> tuple[Type, ...]:
        self.expect("<")
        found = [self._type_argument()]
        while self.accept(","):
            found.append(self._type_argument())
        self.expect(">")
        return tuple(found)

    def _type_argument(self) -> Type:
        if self.at("_"):
            return NamedType("_", (), self.next().span)
        return self.type()

    def annotations(self) -> Annotations:
        found: list[Annotation] = []
        while self.at("@"):
            start = self.next().span
            name = self.next()
            if name.kind is not Kind.NAME:
                raise refuse(SYNTAX, "expected the name of an annotation after `@`", name.span)
            body = self._annotation_body() if self.at("(", "[") else ""
            found.append(Annotation(name.text, body, self.since(start)))
        return tuple(found)

    def _annotation_body(self) -> str:
        opening = self.next()
        texts: list[str] = []
        depth = 1
        while True:
            token = self.next()
            if token.kind is Kind.END:
                raise refuse(SYNTAX, "this annotation does not end", opening.span)
            depth += (token.text in "([{") - (token.text in ")]}") if token.kind is Kind.SYMBOL else 0
            if depth == 0:
                return " ".join(texts)
            texts.append(token.text)


def refuse_token(what: str, token: Token, hint: str) -> InputError:
    return refuse(UNSUPPORTED, f"{what} is not supported", token.span, hint)
