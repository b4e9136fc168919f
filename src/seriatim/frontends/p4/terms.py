"""Expressions and types of P4-16, as they are written."""

from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)


# --- expressions --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """`7`, `8w7`, `4s3`; without a width it takes the width of the other operand."""

    value: int
    width: int | None = None
    signed: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A string; only annotations and a few externs take one."""

    value: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, a constant, a parameter, a type, an action …; `.x` is a name of the top level."""

    name: str
    top_level: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Member:
    """`e.name`: a field, a method, a member of an enum, `t.apply().hit`."""

    of: "Expression"
    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Index:
    """`e[i]`: a header of a stack."""

    of: "Expression"
    index: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Slice:
    """`e[7:4]`: some bits, the highest first."""

    of: "Expression"
    high: "Expression"
    low: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument; `name = value` if it has a name."""

    value: "Expression"
    name: str | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`f<T>(a, b)`; if f is the name of a type, it creates an object, such as `V1Switch(…)`."""

    function: "Expression"
    arguments: tuple[Argument, ...]
    type_arguments: tuple["Type", ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Prefix(StrEnum):
    NOT = "!"
    INVERT = "~"
    MINUS = "-"
    PLUS = "+"


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Prefix
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Operator(StrEnum):
    """Binary operators; the parser knows their precedence."""

    OR = "||"
    AND = "&&"
    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    GREATER = ">"
    LESS_EQUAL = "<="
    GREATER_EQUAL = ">="
    BIT_OR = "|"
    BIT_XOR = "^"
    BIT_AND = "&"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    CONCAT = "++"
    ADD = "+"
    SUBTRACT = "-"
    ADD_SATURATING = "|+|"
    SUBTRACT_SATURATING = "|-|"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Operator
    left: "Expression"
    right: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Ternary:
    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    type: "Type"
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tuple:
    """`{a, b}`, or with names `{x = a, y = b}`."""

    items: tuple[Argument, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Anything:
    """`_` or `default` in a set of keys."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Mask:
    """`value &&& mask` in a set of keys."""

    value: "Expression"
    mask: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Interval:
    """`low .. high` in a set of keys."""

    low: "Expression"
    high: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Expression = (
    Literal
    | Boolean
    | Text
    | Name
    | Member
    | Index
    | Slice
    | Call
    | Unary
    | Binary
    | Ternary
    | Cast
    | Tuple
    | Anything
    | Mask
    | Interval
)


# --- types --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BitType:
    """`bit<w>`, or `int<w>` if it is signed."""

    width: Expression
    signed: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class VarbitType:
    width: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NamedType:
    """`bool`, `int`, `error`, a declared type or an extern, perhaps with arguments: `register<bit<8>>`."""

    name: str
    arguments: tuple["Type", ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StackType:
    """`h[4]`."""

    element: "Type"
    size: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TupleType:
    items: tuple["Type", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Type = BitType | VarbitType | NamedType | StackType | TupleType
