"""Types with all names resolved, and the types that v1model.p4 declares."""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.p4.constants import constant_of
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.syntax import Alias, Constant, EnumType, Program, Record, RecordType
from seriatim.frontends.p4.terms import BitType, Expression, NamedType, StackType, TupleType, Type, VarbitType


@dataclass(frozen=True, slots=True)
class Bits:
    """`bit<w>`, or `int<w>` if it is signed."""

    width: int
    signed: bool = False

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'bit'}<{self.width}>"

    def fit(self, value: int) -> int:
        """Keeps the lowest bits of a number, as many as the type has."""
        value &= (1 << self.width) - 1
        return (
            value - (1 << self.width) if self.signed and self.width and value >> (self.width - 1) else value
        )

    @property
    def low(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.width - self.signed)) - 1


@dataclass(frozen=True, slots=True)
class Bool:
    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True, slots=True)
class Whole:
    """The type of constants without a width: integers of any size."""

    def __str__(self) -> str:
        return "int"


@dataclass(frozen=True, slots=True)
class Enumerated:
    """An enum without values, such as `error`; its members are numbered."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


Simple = Bits | Bool | Whole | Enumerated
"""Types whose values are represented by numbers."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A struct or a header."""

    name: str
    is_header: bool
    fields: tuple[tuple[str, "Kind"], ...]

    def field(self, name: str) -> "Kind | None":
        return dict(self.fields).get(name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Stack:
    element: Structure
    size: int

    def __str__(self) -> str:
        return f"{self.element}[{self.size}]"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type whose values are not supported, such as `varbit` or a tuple."""

    name: str

    def __str__(self) -> str:
        return self.name


Kind = Simple | Structure | Stack | Opaque

PORT = Bits(9)
DROP_PORT = 511
"""The value that `mark_to_drop` gives to `egress_spec`."""

ERROR = Enumerated(
    "error",
    (
        *("NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds", "HeaderTooShort"),
        *("ParserTimeout", "ParserInvalidArgument"),
    ),
)

STANDARD_METADATA = Structure(
    "standard_metadata_t",
    False,
    (
        ("ingress_port", PORT),
        ("egress_spec", PORT),
        ("egress_port", PORT),
        ("instance_type", Bits(32)),
        ("packet_length", Bits(32)),
        ("enq_timestamp", Bits(32)),
        ("enq_qdepth", Bits(19)),
        ("deq_timedelta", Bits(32)),
        ("deq_qdepth", Bits(19)),
        ("ingress_global_timestamp", Bits(48)),
        ("egress_global_timestamp", Bits(48)),
        ("mcast_grp", Bits(16)),
        ("egress_rid", Bits(16)),
        ("checksum_error", Bits(1)),
        ("parser_error", ERROR),
        ("priority", Bits(3)),
    ),
)

_ALGORITHMS = ("crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16")

BUILT_IN: dict[str, Kind] = {
    "bool": Bool(),
    "int": Whole(),
    "standard_metadata_t": STANDARD_METADATA,
    "PortId_t": PORT,
    "HashAlgorithm": Enumerated("HashAlgorithm", _ALGORITHMS),
    "CounterType": Enumerated("CounterType", ("packets", "bytes", "packets_and_bytes")),
    "MeterType": Enumerated("MeterType", ("packets", "bytes")),
    "CloneType": Enumerated("CloneType", ("I2E", "E2E")),
}


class Types:
    """The types and the constants of a program."""

    def __init__(self, program: Program) -> None:
        self.declared: dict[str, RecordType | Alias | EnumType] = {}
        self.errors = list(ERROR.members)
        constants: dict[str, Constant] = {}
        for each in program.declarations:
            match each:
                case EnumType(name="error", members=members):
                    self.errors += [member.name for member in members]
                case RecordType(name=name) | Alias(name=name) | EnumType(name=name):
                    if name in self.declared or name in ("bool", "int", "standard_metadata_t"):
                        raise refuse(UNKNOWN, f"type {quote_name(name)} is declared twice", each.span)
                    self.declared[name] = each
                case Constant(name=name):
                    constants[name] = each
                case _:
                    pass
        self._values: dict[str, int] = {}
        for name, declared in constants.items():
            value = constant_of(declared.value, self._values)
            if value is not None:
                self._values[name] = value
        self._found: dict[str, Kind] = {
            name: kind for name, kind in BUILT_IN.items() if name not in self.declared
        }
        self._open: set[str] = set()

    def constant(self, expression: Expression) -> int:
        """The value of a width or size; raises `InputError`."""
        found = constant_of(expression, self._values)
        if found is None:
            raise refuse(UNKNOWN, "this width or size is not a constant", expression.span)
        return found

    def resolve(self, written: Type) -> Kind:
        """The kind of a written type; raises `InputError` if it is not declared."""
        match written:
            case BitType(width=width, signed=signed):
                bits = self.constant(width)
                if not 0 < bits <= 2048:
                    hint = "widths go from 1 to 2048"
                    raise refuse(UNKNOWN, f"a width of {bits} bits is not possible", written.span, hint)
                return Bits(bits, signed)
            case VarbitType():
                return Opaque("varbit")
            case TupleType():
                return Opaque("tuple")
            case StackType(element=element, size=size):
                inner = self.resolve(element)
                if not isinstance(inner, Structure) or not inner.is_header:
                    raise refuse(UNKNOWN, "the elements of a stack have to be headers", written.span)
                return Stack(inner, self.constant(size))
            case NamedType(name=name):
                return self._resolve_name(written, name)

    def without_aliases(self, written: Type) -> Type:
        """The type that a name stands for, as it is written where the name is declared."""
        seen: set[str] = set()
        while isinstance(written, NamedType) and written.name not in seen:
            seen.add(written.name)
            declared = self.declared.get(written.name)
            if not isinstance(declared, Alias) or written.arguments:
                break
            written = declared.type
        return written

    def _resolve_name(self, written: NamedType, name: str) -> Kind:
        if name == "error":
            return Enumerated("error", tuple(self.errors))
        if name not in self._found:
            declared = self.declared.get(name)
            if declared is None or name in self._open:
                message = f"nothing declares a type {quote_name(name)}"
                raise refuse(UNKNOWN, message, written.span, "declare it before its first use")
            self._open.add(name)
            self._found[name] = self._of(declared)
        return self._found[name]

    def _of(self, declared: RecordType | Alias | EnumType) -> Kind:
        match declared:
            case Alias(type=written):
                return self.resolve(written)
            case EnumType(underlying=underlying) if underlying is not None:
                return self.resolve(underlying)
            case EnumType(name=name, members=members):
                return Enumerated(name, tuple(member.name for member in members))
            case RecordType(kind=Record.UNION):
                hint = "use a header for each of its members"
                raise refuse(UNSUPPORTED, "`header_union` is not supported", declared.span, hint)
            case RecordType(kind=kind, name=name, fields=fields):
                found = tuple((each.name, self.resolve(each.type)) for each in fields)
                return Structure(name, kind is Record.HEADER, found)


def leaves(path: str, kind: Kind) -> Iterator[tuple[str, Simple]]:
    """The simple parts of a value: fields, and the validity of headers."""
    match kind:
        case Structure(is_header=is_header, fields=fields):
            if is_header:
                yield valid(path), Bool()
            for name, inner in fields:
                yield from leaves(f"{path}.{name}", inner)
        case Stack(element=element, size=size):
            for index in range(size):
                yield from leaves(f"{path}[{index}]", element)
        case Opaque():
            return
        case _:
            yield path, kind


def valid(path: str) -> str:
    """The path that says whether a header is valid."""
    return f"{path}.isValid()"
