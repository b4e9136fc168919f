"""Reads expressions, types and annotations."""

from seriatim.frontends.p4.cursor import Cursor
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
from seriatim.frontends.p4.tokens import Kind, Token, number_of
from seriatim.source import InputError, Span

_LEVELS = {
    text: level
    for level, texts in enumerate(
        ("||", "&&", "== !=", "< > <= >=", "|", "^", "&", "<< >>", "++ + - |+| |-|", "* / %")
    )
    for text in texts.split()
}
"""Binary operators; those of a higher level bind more tightly, and all associate to the left."""

_BASE_TYPES = ("bit", "int", "bool", "varbit", "error", "string", "tuple")


class Expressions:
    """Reads expressions, types and annotations."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.types: set[str] = set(_BASE_TYPES)
        """Names of types; a name of a type in parentheses before an operand is a cast."""

    def expression(self) -> Expression:
        self.cursor.enter()
        start = self.cursor.token.span
        condition = self._binary(0)
        if self.cursor.accept("?"):
            then = self.expression()
            self.cursor.expect(":")
            otherwise = self.expression()
            condition = Ternary(condition, then, otherwise, self.cursor.since(start))
        self.cursor.leave()
        return condition

    def _binary(self, weakest: int) -> Expression:
        """Reads an expression whose operators are of this level or bind more tightly."""
        start = self.cursor.token.span
        left = self._unary()
        while (found := self._operator()) is not None and found[1] >= weakest:
            operator, level = found
            self.cursor.position += 1 + (operator is Operator.SHIFT_RIGHT)
            left = Binary(operator, left, self._binary(level + 1), self.cursor.since(start))
        return left

    def _operator(self) -> tuple[Operator, int] | None:
        """The operator that comes next, and its level; `>>` consists of two tokens."""
        text = self.cursor.token.text
        if text == ">" and self.cursor.ahead().text == ">" and self.cursor.ahead().is_glued:
            text = ">>"
        is_symbol = self.cursor.token.kind is Kind.SYMBOL
        return (Operator(text), _LEVELS[text]) if is_symbol and text in _LEVELS else None

    def _unary(self) -> Expression:
        self.cursor.enter()
        start = self.cursor.token.span
        found: Expression
        if self.cursor.at("!", "~", "-", "+"):
            operator = Prefix(self.cursor.next().text)
            found = Unary(operator, self._unary(), self.cursor.since(start))
        elif self.cursor.at("(") and self._is_cast():
            self.cursor.next()
            kind = self.type()
            self.cursor.expect(")")
            found = Cast(kind, self._unary(), self.cursor.since(start))
        else:
            found = self._postfix(self._primary(), start)
        self.cursor.leave()
        return found

    def _is_cast(self) -> bool:
        first, second = self.cursor.ahead(), self.cursor.ahead(2)
        if first.text in _BASE_TYPES:
            return second.text in ("<", ")") and first.text != "error"
        return first.text in self.types and second.text == ")"

    def _primary(self) -> Expression:
        token = self.cursor.token
        match token.kind:
            case Kind.NUMBER:
                self.cursor.next()
                return Literal(*number_of(token.text, token.span), token.span)
            case Kind.STRING:
                self.cursor.next()
                return Text(token.text[1:-1], token.span)
        match token.text:
            case "true" | "false":
                return Boolean(self.cursor.next().text == "true", token.span)
            case "(":
                self.cursor.next()
                inner = self.expression()
                self.cursor.expect(")")
                return inner
            case "{":
                return self._tuple()
            case ".":
                self.cursor.next()
                return Name(self.cursor.name("a name").text, True, self.cursor.since(token.span))
            case "error" | "this":
                self.cursor.next()
                return Name(token.text, False, token.span)
            case _:
                return Name(self.cursor.name("an expression").text, False, token.span)

    def _tuple(self) -> Expression:
        start = self.cursor.expect("{").span
        items = self.arguments("}")
        return Tuple(items, self.cursor.since(start))

    def _postfix(self, found: Expression, start: Span) -> Expression:
        while True:
            if self.cursor.accept("."):
                word = (
                    self.cursor.next()
                    if self.cursor.at("apply")
                    else self.cursor.name("the name of a field or method")
                )
                found = Member(found, word.text, self.cursor.since(start))
            elif self.cursor.accept("["):
                found = self._index_or_slice(found, start)
            elif self.cursor.accept("("):
                found = Call(found, self.arguments(")"), (), self.cursor.since(start))
            elif self.cursor.at("<") and self._are_type_arguments():
                kinds = self.type_arguments()
                self.cursor.expect("(")
                found = Call(found, self.arguments(")"), kinds, self.cursor.since(start))
            else:
                return found

    def _index_or_slice(self, of: Expression, start: Span) -> Expression:
        first = self.expression()
        if self.cursor.accept(":"):
            low = self.expression()
            self.cursor.expect("]")
            return Slice(of, first, low, self.cursor.since(start))
        self.cursor.expect("]")
        return Index(of, first, self.cursor.since(start))

    def _are_type_arguments(self) -> bool:
        """Whether `<` begins a list of types, not a comparison: a `(` follows its `>`."""
        before = self.cursor.position
        try:
            self.type_arguments()
            return self.cursor.at("(")
        except InputError:
            return False
        finally:
            self.cursor.position = before

    def arguments(self, end: str) -> tuple[Argument, ...]:
        """Reads arguments, up to and including the closing bracket."""
        found: list[Argument] = []
        while not self.cursor.accept(end):
            start = self.cursor.token.span
            name = None
            if self.cursor.token.kind is Kind.NAME and self.cursor.ahead().text == "=":
                name = self.cursor.next().text
                self.cursor.next()
            if self.cursor.at("_") and name is None:
                value: Expression = Anything(self.cursor.next().span)
            else:
                value = self.expression()
            found.append(Argument(value, name, self.cursor.since(start)))
            if not self.cursor.at(end):
                self.cursor.expect(",")
        return tuple(found)

    def keys(self) -> tuple[Expression, ...]:
        """Reads one key, or several in parentheses."""
        if not self.cursor.at("("):
            return (self.key(),)
        before = self.cursor.position
        self.cursor.next()
        found = [self.key()]
        while self.cursor.accept(","):
            if not self.cursor.at(")"):
                found.append(self.key())
        self.cursor.expect(")")
        if self.cursor.at(":"):
            return tuple(found)
        self.cursor.position = before  # The parenthesis belongs to an expression, such as `(A) &&& B`.
        return (self.key(),)

    def key(self) -> Expression:
        start = self.cursor.token.span
        if self.cursor.at("_", "default"):
            return Anything(self.cursor.next().span)
        first = self.expression()
        if self.cursor.accept("&&&"):
            return Mask(first, self.expression(), self.cursor.since(start))
        if self.cursor.accept(".."):
            return Interval(first, self.expression(), self.cursor.since(start))
        return first

    # --- types and annotations ----------------------------------------------------------------------------

    def type(self) -> Type:
        start = self.cursor.token.span
        if self.cursor.at("bit", "int", "varbit"):
            found = self._sized_type(self.cursor.next())
        elif self.cursor.accept("tuple"):
            found = TupleType(self.type_arguments(), self.cursor.since(start))
        else:
            self.cursor.accept(".")
            if self.cursor.at("bool", "error", "string", "void"):
                name = self.cursor.next().text
            else:
                name = self.cursor.name("a type").text
            arguments = self.type_arguments() if self.cursor.at("<") else ()
            found = NamedType(name, arguments, self.cursor.since(start))
        while self.cursor.at("[") and self.cursor.ahead().text != "]":
            self.cursor.next()
            size = self.expression()
            self.cursor.expect("]")
            found = StackType(found, size, self.cursor.since(start))
        return found

    def _sized_type(self, word: Token) -> Type:
        if not self.cursor.accept("<"):
            if word.text == "int":
                return NamedType("int", (), word.span)
            if word.text == "bit":
                return BitType(Literal(1), False, word.span)
            raise self.cursor.unexpected("`<`")
        width = self._width()
        self.cursor.expect(">")
        if word.text == "varbit":
            return VarbitType(width, self.cursor.since(word.span))
        return BitType(width, word.text == "int", self.cursor.since(word.span))

    def _width(self) -> Expression:
        """Reads an expression without `>`, except in parentheses."""
        return self._binary(_LEVELS["+"])

    def type_arguments(self) -> tuple[Type, ...]:
        self.cursor.expect("<")
        found = [self._type_argument()]
        while self.cursor.accept(","):
            found.append(self._type_argument())
        self.cursor.expect(">")
        return tuple(found)

    def _type_argument(self) -> Type:
        if self.cursor.at("_"):
            return NamedType("_", (), self.cursor.next().span)
        return self.type()

    def annotations(self) -> Annotations:
        found: list[Annotation] = []
        while self.cursor.at("@"):
            start = self.cursor.next().span
            name = self.cursor.next()
            if name.kind is not Kind.NAME:
                raise refuse(SYNTAX, "expected the name of an annotation after `@`", name.span)
            body = self._annotation_body() if self.cursor.at("(", "[") else ""
            found.append(Annotation(name.text, body, self.cursor.since(start)))
        return tuple(found)

    def _annotation_body(self) -> str:
        opening = self.cursor.next()
        texts: list[str] = []
        depth = 1
        while True:
            token = self.cursor.next()
            if token.kind is Kind.END:
                raise refuse(SYNTAX, "this annotation does not end", opening.span)
            depth += (token.text in "([{") - (token.text in ")]}") if token.kind is Kind.SYMBOL else 0
            if depth == 0:
                return " ".join(texts)
            texts.append(token.text)


def refuse_token(what: str, token: Token, hint: str) -> InputError:
    return refuse(UNSUPPORTED, f"{what} is not supported", token.span, hint)
