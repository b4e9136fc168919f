"""Readers and writers of JSON, derived from the types of records.

Strict: no key is unknown or missing, `true` is no integer, integers are exact. A reader takes a value and its
place, and raises `InputError` with both. An empty place is that of the outermost record. Types say more in
annotations: `AtLeast`, `Key`, `Keys`, `Inline`, `Omitted`, `As`, `Tagged`, or a codec of their own.
`docs/schemas.py` makes JSON Schemas of the same types.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from seriatim.program.state import ShownState
from seriatim.source import quote
from seriatim.strict_json import (
    boolean,
    error,
    global_state,
    integer,
    integer_from,
    items,
    one_of,
    plain_data,
    require,
    shown_state,
    state_fields,
    string,
    values,
    wrong,
)


def unchanged(value: Any) -> Any:
    return value


def anything(_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Codec:
    """How values of a type are read and written."""

    read: Callable[[Any, str], Any]
    write: Callable[[Any], Any] = unchanged
    fits: Callable[[object], bool] = anything
    """Whether a JSON value may be meant to be of this type; unions choose a reader by it."""
    holds: Callable[[object], bool] = anything
    """Whether a value in memory is of this type; unions choose a writer by it."""
    schema: Any = field(default=None, hash=False, compare=False)
    """The JSON Schema, or a type that is written alike; of a codec that is not derived."""


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Of an integer."""

    least: int


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a member, where it is not the name of the attribute."""

    name: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Of a tuple: written as an object with these keys."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inline:
    """Of a record: its members are members of the record around it."""


@dataclass(frozen=True, slots=True)
class Omitted:
    """Of a member with a default: left out where it has this value, or where another member is left out."""

    along_with: str = ""
    """The key of that member."""


class As:
    """Of a record whose types do not say how they are written: the types of all members that are."""

    def __init__(self, **members: Any) -> None:
        self.members = members


@dataclass(frozen=True, slots=True)
class Tagged:
    """Of a union of records: one more key comes first, and says which record it is."""

    key: str
    kinds: tuple[tuple[str, Any], ...]


def read_nothing(value: object, where: str) -> None:
    if value is not None:
        raise wrong(where, "null")


def of_class(kind: type, read: Callable[[Any, str], Any]) -> Codec:
    def holds(value: object) -> bool:
        return type(value) is kind

    return Codec(read, unchanged, holds, holds)


SCALARS = {
    int: of_class(int, integer),
    bool: of_class(bool, boolean),
    str: of_class(str, string),
    NoneType: of_class(NoneType, read_nothing),
}

Natural = Annotated[int, AtLeast(0)]
Positive = Annotated[int, AtLeast(1)]
NUMBERS = {"type": "object", "additionalProperties": {"type": "integer"}}
Values = Annotated[tuple[tuple[str, int], ...], Codec(values, dict, schema=NUMBERS)]
"""Integers by name, written as an object."""
State = Annotated[tuple[tuple[str, int], ...] | str, Codec(global_state, state_fields, schema=Values | str)]
"""A global state."""
StateInWords = Annotated[ShownState, Codec(shown_state, state_fields)]
"""A global state in which values may have names."""
PlainData = Annotated[Mapping[str, object], Codec(plain_data, dict)]
"""What JSON can say, without a type of its own."""


def codec_of(kind: Any) -> Codec:
    """Return the codec of a type; raises `TypeError` for types that have none."""
    return derived(kind)


@cache
def derived(kind: Any) -> Codec:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return annotated(parts[0], parts[1])
    if origin in (Union, UnionType):
        return union([codec_of(each) for each in parts])
    if origin is Literal:
        return Codec(lambda value, where: one_of(value, where, parts))
    if origin is tuple:
        return many(codec_of(parts[0])) if parts[1:] == (...,) else fixed(parts)
    if is_dataclass(kind):
        return record(kind)
    if kind not in SCALARS:
        raise TypeError(f"nothing says how {kind} is written")
    return SCALARS[kind]


def annotated(kind: Any, how: object) -> Codec:
    match how:
        case Codec():
            return how
        case AtLeast(least=least):
            return of_class(int, lambda value, where: integer_from(least, value, where))
        case Keys(names=names):
            return keyed(get_args(kind), names)
        case As(members=members):
            return record(kind, members)
        case Tagged(key=key, kinds=kinds):
            return tagged(key, {tag: codec_of(each) for tag, each in kinds})
        case _:
            return codec_of(kind)


def many(inner: Codec) -> Codec:
    return Codec(
        lambda value, where: items(value, where, inner.read),
        lambda value: [inner.write(each) for each in value],
        lambda value: isinstance(value, list),
        lambda value: isinstance(value, tuple),
    )


def fixed(kinds: tuple[Any, ...]) -> Codec:
    inner = [codec_of(each) for each in kinds]

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, list) or len(value) != len(inner):
            raise wrong(where, f"a list of {len(inner)}")
        parts = enumerate(zip(inner, value, strict=True))
        return tuple(codec.read(each, f"{where}[{number}]") for number, (codec, each) in parts)

    return Codec(read, lambda value: [codec.write(each) for codec, each in zip(inner, value, strict=True)])


def keyed(kinds: tuple[Any, ...], names: tuple[str, ...]) -> Codec:
    inner = dict(zip(names, map(codec_of, kinds), strict=True))

    def read(value: Any, where: str) -> Any:
        expect_keys(value, where, names, names)
        return tuple(codec.read(value[name], f"{where}.{name}") for name, codec in inner.items())

    def write(value: Any) -> Any:
        return {name: codec.write(each) for (name, codec), each in zip(inner.items(), value, strict=True)}

    return Codec(read, write)


def union(inner: list[Codec]) -> Codec:
    """Null comes first, then scalars. The last one reads what fits no other, and says what is wrong."""
    plain = [SCALARS[NoneType], *SCALARS.values()]
    *others, last = sorted(inner, key=lambda codec: plain.index(codec) if codec in plain else len(plain))

    def read(value: Any, where: str) -> Any:
        return next((codec for codec in others if codec.fits(value)), last).read(value, where)

    def write(value: Any) -> Any:
        return next((codec for codec in others if codec.holds(value)), last).write(value)

    return Codec(read, write)


def tagged(tag: str, inner: dict[str, Codec]) -> Codec:
    def read(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise wrong(where, "an object")
        require(value, f"`{where}`", (tag,))
        codec = inner[one_of(value[tag], f"{where}.{tag}", tuple(inner))]
        return codec.read({key: member for key, member in value.items() if key != tag}, where)

    def write(value: Any) -> Any:
        name, codec = next((name, codec) for name, codec in inner.items() if codec.holds(value))
        return {tag: name, **codec.write(value)}

    return Codec(read, write)


def expect_keys(value: object, where: str, required: tuple[str, ...], known: tuple[str, ...]) -> None:
    what = f"`{where}`" if where else "the certificate"
    if not isinstance(value, dict):
        raise error("SER405", f"{what} is not an object")
    require(value, what, required)
    for key in value:
        if key not in known:
            raise error("SER404", f"{what} has a key {quote(key)}, which means nothing there")


@dataclass(frozen=True, slots=True)
class Member:
    """An attribute of a record."""

    attribute: str
    key: str
    codec: Codec
    omitted: object
    """The value with which it is left out; `MISSING` if it is always written."""
    inlined: tuple["Member", ...] | None
    """The members of a record that is written in place."""
    along_with: str
    """The key of the member without which this one is left out; empty if it depends on its value alone."""
    kind: Any
    """Its type, with annotations."""

    @property
    def keys(self) -> list[str]:
        return [self.key] if self.inlined is None else [key for each in self.inlined for key in each.keys]

    @property
    def required(self) -> list[str]:
        if self.inlined is None:
            return [self.key] if self.omitted is MISSING else []
        return [key for each in self.inlined for key in each.required]


def members_of(kind: Any, given: dict[str, Any] | None = None) -> tuple[Member, ...]:
    """The members of a record, in the order of its attributes; types may be given for it."""
    hints = get_type_hints(kind, include_extras=True) if given is None else given
    found: list[Member] = []
    for each in fields(kind):
        if each.name not in hints:
            continue
        hint = hints[each.name]
        notes = {type(note): note for note in getattr(hint, "__metadata__", ())}
        key = notes[Key].name if Key in notes else each.name
        inner = notes[As].members if As in notes else None
        inlined = members_of(get_args(hint)[0], inner) if Inline in notes else None
        omitted = each.default if Omitted in notes else MISSING
        along_with = notes[Omitted].along_with if Omitted in notes else ""
        found.append(Member(each.name, key, codec_of(hint), omitted, inlined, along_with, hint))
    return tuple(found)


def record(kind: Any, given: dict[str, Any] | None = None) -> Codec:
    """The members are looked up when they are first needed: records may contain records of their own kind."""

    @cache
    def shape() -> tuple[tuple[Member, ...], tuple[str, ...], tuple[str, ...], dict[str, str]]:
        members = members_of(kind, given)
        known = tuple(key for each in members for key in each.keys)
        required = tuple(key for each in members for key in each.required)
        return members, known, required, {each.key: each.along_with for each in members if each.along_with}

    def read(value: Any, where: str) -> Any:
        members, known, required, dependent = shape()
        also = tuple(key for key, other in dependent.items() if other in value) if dependent else ()
        without = tuple(key for key in known if key not in dependent or key in also)
        expect_keys(value, where, (*required, *also), without)
        prefix = f"{where}." if where else ""
        made = {}
        for each in members:
            if each.inlined is not None:
                inner = {key: value[key] for key in each.keys if key in value}
                made[each.attribute] = each.codec.read(inner, where)
            elif each.key in value:
                made[each.attribute] = each.codec.read(value[each.key], prefix + each.key)
        return kind(**made)

    def write(value: Any) -> dict[str, object]:
        made: dict[str, object] = {}
        for each in shape()[0]:
            member = getattr(value, each.attribute)
            if each.inlined is not None:
                made |= each.codec.write(member)
            elif each.omitted is MISSING or (
                each.along_with in made if each.along_with else member != each.omitted
            ):
                made[each.key] = each.codec.write(member)
        return made

    def fits(value: object) -> bool:
        return isinstance(value, dict) and all(key in value for key in shape()[2])

    return Codec(read, write, fits, lambda value: isinstance(value, kind))


def read_among(kind: Any, found: dict[str, Any]) -> Any:
    """Read a record whose members stand among others."""
    known = {key for each in members_of(kind) for key in each.keys}
    return codec_of(kind).read({key: value for key, value in found.items() if key in known}, "")
