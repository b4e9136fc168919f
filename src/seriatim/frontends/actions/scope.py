"""The meaning of names: sizes, enumerations, globals, actions, and visible variables."""

from dataclasses import dataclass

from seriatim.actions.expressions import Expression
from seriatim.actions.syntax import (
    Argument,
    BoolType,
    Collection,
    EnumType,
    Family,
    Global,
    IntType,
    MajorityType,
    Size,
    ValueType,
)
from seriatim.frontends.actions.lexer import Token, wrong
from seriatim.source import quote

INT, BOOL = IntType(), BoolType()


def type_name(type_: ValueType | Collection) -> str:
    match type_:
        case IntType():
            return "int"
        case BoolType():
            return "bool"
        case EnumType(name=name) | MajorityType(family=name):
            return name
        case Collection(kind=kind, message=message):
            return f"{kind}({', '.join(map(type_name, message))})"


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression with its type."""

    expression: Expression
    type: ValueType


@dataclass(frozen=True, slots=True)
class Rights:
    """Which forms the expressions at a place may use beyond plain ones."""

    pending: bool = False
    old: bool = False
    integers: bool = False
    """Quantifiers over all integers, which only a solver can decide."""


PLAIN = Rights()
ABSTRACTION = Rights(pending=True)
STATE = Rights(pending=True, integers=True)
INVARIANT = Rights(pending=True, old=True, integers=True)
RESULT = Rights(old=True)


class Scope:
    """Everything declared so far."""

    def __init__(self) -> None:
        self.sizes: dict[str, Size] = {}
        self.enums: dict[str, EnumType] = {}
        self.symbols: dict[str, EnumType] = {}
        self.families: dict[str, Family] = {}
        self.globals: dict[str, Global] = {}
        self.actions: dict[str, tuple[Argument, ...]] = {}
        self.variables: dict[str, ValueType] = {}
        """Locals, arguments and bound variables at the place that is read."""
        self.rights = PLAIN
        """What expressions may use there."""

    def declare(self, token: Token) -> str:
        """A new top-level name; refuses one that is taken."""
        name = token.text
        taken = (self.sizes, self.enums, self.symbols, self.families, self.globals, self.actions)
        if any(name in names for names in taken):
            raise wrong("SER552", f"{quote(name)} is declared twice", token.span, "choose another name")
        return name

    def is_taken(self, name: str) -> bool:
        """Whether a variable of this name would hide something."""
        tables = (self.sizes, self.symbols, self.families, self.globals, self.enums)
        return any(name in table for table in tables)

    def assign(self, token: Token, type_: ValueType) -> str:
        """A local that is assigned here, perhaps for the first time."""
        if self.is_taken(token.text):
            raise wrong("SER552", f"{quote(token.text)} is not a local", token.span, "choose another name")
        known = self.variables.get(token.text, type_)
        if known != type_:
            raise wrong("SER553", f"{quote(token.text)} has had another type", token.span, "use another name")
        self.variables[token.text] = type_
        return token.text

    def value_type(self, token: Token) -> ValueType:
        """The type that a word names."""
        match token.text:
            case "int":
                return INT
            case "bool":
                return BOOL
            case name if name in self.enums:
                return self.enums[name]
            case name if name in self.families:
                return MajorityType(name)
            case name:
                hint = "types are int, bool, enumerations, families of quorums, set, bag and queue"
                raise wrong("SER553", f"there is no type {quote(name)}", token.span, hint)

    def near(self, name: str) -> str | None:
        """A name that the user may have meant."""
        from difflib import get_close_matches

        known = [*self.sizes, *self.symbols, *self.globals, *self.variables, *self.actions]
        found = get_close_matches(name, known, 1)
        return f"did you mean `{found[0]}`?" if found else None
