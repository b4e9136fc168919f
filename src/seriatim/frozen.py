"""Immutable records: `dataclass(frozen=True, slots=True)`, but each method is made when it is first used.

Making methods is nearly all that it costs to declare a dataclass, and few runs of a program use many of them.
Once used, records are as fast as dataclasses or faster, and behave alike: arguments and their errors, order,
hash values, texts, matching, pickles; functions of `dataclasses` take them for dataclasses. What differs:

- `super()` works in methods, as it does in dataclasses from Python 3.14 on;
- a subclass is immutable even if it is not decorated;
- a class without a docstring gets none;
- what nobody here needs does not exist, such as `kw_only`, `InitVar`, and fields that are no arguments.
"""

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache, partial, reduce
from itertools import pairwise
from reprlib import recursive_repr
from types import CodeType, FunctionType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from dataclasses import Field, replace
else:  # It does the same; but of that one, type checkers know which changes fit which class.

    def replace(record, /, **changes):
        """A copy of a record, or of a dataclass, with other values in some fields."""
        if not hasattr(record, "__frozen_fields__"):
            import dataclasses

            return dataclasses.replace(record, **changes)
        kept = {name: getattr(record, name) for name in record.__frozen_fields__}
        return record.__class__(**kept | changes)


__all__ = ["field", "frozen", "replace"]

Record = TypeVar("Record")
Value = TypeVar("Value")

# --- fields -------------------------------------------------------------------------------------------------

_NOTHING = object()
"""Where there is no default."""


class _Field:
    """What a class says about a field."""

    __slots__ = ("compare", "default", "factory", "is_optional", "repr")

    def __init__(
        self, default: Any, factory: Any = _NOTHING, compare: bool = True, repr: bool = True
    ) -> None:
        self.default = default
        self.factory = factory
        self.is_optional = default is not _NOTHING or factory is not _NOTHING
        self.compare = compare
        self.repr = repr


@overload
def field(*, default: Value, compare: bool = True, repr: bool = True) -> Value: ...
@overload
def field(*, default_factory: Callable[[], Value], compare: bool = True, repr: bool = True) -> Value: ...
@overload
def field(*, compare: bool = True, repr: bool = True) -> Any: ...
def field(
    *, default: Any = _NOTHING, default_factory: Any = _NOTHING, compare: bool = True, repr: bool = True
) -> Any:
    """Says of a field what a default cannot say; `compare` is about order and hash, too."""
    if default is not _NOTHING and default_factory is not _NOTHING:
        raise ValueError("cannot specify both default and default_factory")
    return _Field(default, default_factory, compare, repr)


_PLAIN = _Field(_NOTHING)


def _own_fields(cls: type) -> Iterator[tuple[str, _Field]]:
    for name, annotation in cls.__annotations__.items():
        kind = _find_name(annotation, cls.__module__) if isinstance(annotation, str) else annotation
        if not _is_class_variable(kind):
            value = vars(cls).get(name, _PLAIN)
            if "dataclasses" in (getattr(kind, "__module__", None), getattr(value, "__module__", None)):
                raise TypeError(
                    f"{cls.__qualname__}.{name}: InitVar, KW_ONLY and fields of dataclasses are not supported"
                )
            said = value if isinstance(value, _Field) else _Field(value)
            if said.is_optional and not isinstance(said.default, Hashable):
                raise ValueError(f"{cls.__qualname__}.{name}: mutable default, use default_factory")
            yield name, said


def _find_name(annotation: str, module: str) -> object:
    """What it begins with, such as `ClassVar` in `typing.ClassVar[int]`."""
    names = annotation.partition("[")[0].strip().split(".")
    found: Any = sys.modules.get(module)
    return reduce(lambda value, name: getattr(value, name, None), names, found)


def _is_class_variable(kind: object) -> bool:
    if isinstance(kind, (type, UnionType)):
        return False  # most are; to look for a missing attribute would be slow
    return kind is ClassVar or getattr(kind, "__origin__", None) is ClassVar


def _annotations(cls: type[Any]) -> dict[str, Any]:
    """Those of its fields."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found |= getattr(base, "__annotations__", {})
    return {name: found[name] for name in cls.__frozen_fields__}


def _inherited_fields(cls: type) -> dict[str, _Field]:
    found: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__frozen_fields__" in vars(base):
            found |= vars(base)["__frozen_fields__"]
        elif "__dataclass_fields__" in vars(base):
            raise TypeError(f"{cls.__qualname__}: cannot inherit from the dataclass {base.__qualname__}")
    return found


# --- methods that are made late -----------------------------------------------------------------------------

_Make = Callable[[type[Any], str], Any]
"""Makes the method of this name for this class."""

_OPERATORS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")

_TO_MAKE = object()
"""Where an argument is missing that is made for each record."""


class _Late:
    """A method that is made when it is first looked up, and then takes the place of this."""

    __slots__ = ("make", "name", "owner")

    def __init__(self, make: _Make) -> None:
        self.make = make

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.owner = owner
        self.name = name

    def __get__(self, record: object, kind: type) -> Any:
        made = self.make(self.owner, self.name)
        setattr(self.owner, self.name, made)
        return made.__get__(record, kind)


@cache
def _code(text: str) -> CodeType:
    """Compiled once for all classes whose methods differ in the names of fields only."""
    (code,) = (part for part in compile(text, __name__, "exec").co_consts if isinstance(part, CodeType))
    return code


def _method(
    owner: type, name: str, fields: Iterable[str], text: str, *defaults: object, **known: object
) -> FunctionType:
    """The text has `_0`, `_1`, … for the fields, so that no field can hide anything else that it names."""
    names = {f"_{index}": each for index, each in enumerate(fields)}
    code = _code(f"def {name}{text}")
    code = code.replace(
        co_varnames=tuple(names.get(each, each) for each in code.co_varnames),
        co_names=tuple(names.get(each, each) for each in code.co_names),
    )
    made = FunctionType(code, {"__name__": owner.__module__, **known}, name, defaults)
    made.__qualname__ = f"{owner.__qualname__}.{name}"
    return made


def _init(owner: type[Any], name: str) -> FunctionType:
    """Fills the slots directly. `__self` is no field: a class renames what begins like that."""
    fields: dict[str, _Field] = owner.__frozen_fields__
    parameters, body = "__self", ""
    defaults: list[object] = []
    known: dict[str, object] = {"to_make": _TO_MAKE}
    for index, (each, said) in enumerate(fields.items()):
        value = f"_{index}"
        parameters += f", {value}"
        if said.factory is not _NOTHING:
            value = f"make_{index}() if {value} is to_make else {value}"
            known[f"make_{index}"] = said.factory
        if said.is_optional:
            defaults.append(said.default if said.factory is _NOTHING else _TO_MAKE)
        body += f" fill_{index}(__self, {value})\n"
        known[f"fill_{index}"] = getattr(owner, each).__set__
    if hasattr(owner, "__post_init__"):
        body += " __self.__post_init__()\n"
    made = _method(owner, name, fields, f"({parameters}):\n{body} return None", *defaults, **known)
    made.__annotations__ = _annotations(owner) | {"return": None}
    return made


def _list_compared(owner: type[Any]) -> list[str]:
    return [name for name, said in owner.__frozen_fields__.items() if said.compare]


def _values(record: str, count: int) -> str:
    """As a tuple: that does not look into what is identical."""
    return f"({''.join(f'{record}._{index}, ' for index in range(count))})"


def _comparison(owner: type[Any], name: str) -> FunctionType:
    fields = _list_compared(owner)
    left, right = _values("self", len(fields)), _values("other", len(fields))
    result = f"{left} {_OPERATORS[name]} {right} if other.__class__ is self.__class__ else NotImplemented"
    return _method(owner, name, fields, f"(self, other):\n return {result}")


def _hash(owner: type[Any], name: str) -> FunctionType:
    fields = _list_compared(owner)
    return _method(owner, name, fields, f"(self):\n return hash({_values('self', len(fields))})")


def _repr(owner: type[Any], name: str) -> Callable[[object], str]:
    fields = [each for each, said in owner.__frozen_fields__.items() if said.repr]
    shown = ", ".join(f"{each}={{self._{index}!r}}" for index, each in enumerate(fields))
    text = f"(self):\n return f'{{self.__class__.__qualname__}}({shown})'"
    return recursive_repr()(_method(owner, name, fields, text))


# --- methods that all records share -------------------------------------------------------------------------


def _refusal(act: str) -> Callable[..., None]:
    def refuse(_: object, name: str, *__: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {act} field {name!r}")

    return refuse


_refuse_assignment = _refusal("assign to")
_refuse_deletion = _refusal("delete")


def _get_state(record: Any) -> list[object]:
    return [getattr(record, name) for name in record.__frozen_fields__]


def _set_state(record: Any, state: list[object]) -> None:
    for name, value in zip(record.__frozen_fields__, state, strict=True):
        object.__setattr__(record, name, value)


class _DataclassFields:
    """What the functions of `dataclasses` want to know of a class; made when one of them asks."""

    def __get__(self, _: object, kind: type[Any]) -> "dict[str, Field[Any]]":
        import dataclasses

        fields = []
        for name, annotation in _annotations(kind).items():
            said: _Field = kind.__frozen_fields__[name]
            given = {"default": said.default, "default_factory": said.factory}
            given = {option: value for option, value in given.items() if value is not _NOTHING}
            told: Any = dataclasses.field(compare=said.compare, repr=said.repr, **given)
            fields.append((name, annotation, told))
        twin = dataclasses.make_dataclass(kind.__name__, fields, init=False, repr=False, eq=False)
        found = {each.name: each for each in dataclasses.fields(twin)}
        kind.__dataclass_fields__ = found
        return found


# --- classes ------------------------------------------------------------------------------------------------


@overload
def frozen(cls: type[Record], /) -> type[Record]: ...
@overload
def frozen(
    *, order: bool = False, eq: bool = True, repr: bool = True
) -> Callable[[type[Record]], type[Record]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[Record] | None = None, /, *, order: bool = False, eq: bool = True, repr: bool = True
) -> type[Record] | Callable[[type[Record]], type[Record]]:
    """Makes the objects of a class immutable records, with a slot for each annotated name."""
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    methods: dict[str, _Make] = {"__init__": _init}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods |= {"__eq__": _comparison, "__hash__": _hash}
    if order:
        methods |= dict.fromkeys(_ORDER, _comparison)
    return partial(_record, methods) if cls is None else _record(methods, cls)


def _record(methods: dict[str, _Make], cls: type[Record]) -> type[Record]:
    """The class again, with slots, which no class gets afterwards; what its body defines stays."""
    inherited = _inherited_fields(cls)
    own = dict(_own_fields(cls))
    fields = inherited | own
    body = {name: value for name, value in vars(cls).items() if name not in own}
    _refuse_unsupported(cls, methods, fields, body)
    if "__eq__" in body and body["__hash__"] is None:
        del body["__hash__"]  # which Python has put there, because of the other
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    late = {name: _Late(make) for name, make in methods.items()}
    usual = {"__match_args__": tuple(fields), "__getstate__": _get_state, "__setstate__": _set_state}
    fixed = {
        "__qualname__": cls.__qualname__,
        "__slots__": tuple(name for name in own if name not in inherited),
        "__setattr__": _refuse_assignment,
        "__delattr__": _refuse_deletion,
        "__replace__": replace,
        "__frozen_fields__": fields,
        "__dataclass_fields__": _DataclassFields(),
    }
    metaclass: Any = type(cls)
    made: type[Record] = metaclass(cls.__name__, cls.__bases__, late | usual | body | fixed)
    _redirect_super(body, made)
    return made


def _refuse_unsupported(
    cls: type, methods: dict[str, _Make], fields: dict[str, _Field], body: dict[str, Any]
) -> None:
    for name, value in body.items():
        if name in ("__slots__", "__setattr__", "__delattr__") or (name in methods and name in _ORDER):
            raise TypeError(f"{cls.__qualname__}: cannot overwrite {name}")
        if isinstance(value, _Field):
            raise TypeError(f"{cls.__qualname__}.{name}: a field without an annotation")
    for (earlier, said), (later, said_later) in pairwise(fields.items()):
        if said.is_optional and not said_later.is_optional:
            raise TypeError(f"{cls.__qualname__}: {later} without a default follows {earlier} with one")


def _redirect_super(body: dict[str, Any], made: type) -> None:
    """Lets `super()` and `__class__` mean the new class: they are one variable, which all methods share."""
    for value in body.values():
        for method in (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,):
            function = getattr(method, "__func__", method)
            while isinstance(function, FunctionType):
                cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
                if "__class__" in cells:
                    cells["__class__"].cell_contents = made
                    return
                function = getattr(function, "__wrapped__", None)
