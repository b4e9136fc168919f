"""Records behave as frozen dataclasses with slots do: `dataclasses` says what to expect."""

import copy
import dataclasses
import inspect
import operator
import pickle
import subprocess
import sys
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial, wraps
from itertools import product
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seriatim.frozen import field, frozen, replace

if TYPE_CHECKING:
    from fractions import Fraction

Item = TypeVar("Item")


class Kind(NamedTuple):
    """A way to declare records."""

    decorate: Any
    field: Any


def reference(cls: type | None = None, /, **options: bool) -> Any:
    return dataclasses.dataclass(cls, frozen=True, slots=True, **options)


OURS = Kind(frozen, field)
THEIRS = Kind(reference, dataclasses.field)

# --- shapes: a class, and arguments for it, not all of which fit --------------------------------------------

Shape = tuple[Any, list[Any]]


def empty(kind: Kind) -> Shape:
    @kind.decorate
    class Empty:
        """Has no fields."""

    return Empty, [(), (1,)]


def plain(kind: Kind) -> Shape:
    @kind.decorate
    class Point:
        """Has two."""

        x: int
        """Across."""
        y: int = 2

        def sum(self) -> int:
            return self.x + self.y

    return Point, [(1,), (1, 2), (1, 3), (2, 1), (), (1, 2, 3), ([],)]


def ordered(kind: Kind) -> Shape:
    @kind.decorate(order=True)
    class Ordered:
        """Does not look at all fields."""

        first: int
        unseen: str = kind.field(default="", compare=False, repr=False)
        last: str = "z"

    return Ordered, [(1,), (1, "a"), (1, "b", "a"), (0, "c"), ("text",), (1, "", "a")]


def identical(kind: Kind) -> Shape:
    @kind.decorate(eq=False)
    class Identical:
        """Equals nothing else."""

        x: int

    return Identical, [(1,), (1,)]


def collecting(kind: Kind) -> Shape:
    @kind.decorate
    class Collecting:
        """Has lists of its own."""

        name: str
        found: list[int] = kind.field(default_factory=list)
        unseen: str = kind.field(default="", repr=False)

    return Collecting, [("a",), ("a", [1]), ("a", [], "b"), ("a", [], "c")]


def without_a_default(kind: Kind) -> Shape:
    @kind.decorate
    class Located:
        """A described field may be required."""

        place: int = kind.field(compare=False)
        value: int = kind.field()

    return Located, [(1, 2), (2, 2), (1,)]


def with_own_methods(kind: Kind) -> Shape:
    @kind.decorate
    class Own:
        """Has its own idea of equality."""

        x: int
        y: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.x == other.x

        def __repr__(self) -> str:
            return f"own {self.x}"

    return Own, [(1, 2), (1, 3), (2, 2)]


def with_own_hash(kind: Kind) -> Shape:
    @kind.decorate
    class OwnHash:
        """All alike."""

        x: int
        y: int

        def __hash__(self) -> int:
            return 7

    return OwnHash, [(1, 2), (1, 3)]


def with_own_init(kind: Kind) -> Shape:
    @kind.decorate
    class Half:
        """Takes twice of what it keeps."""

        x: int

        def __init__(self, doubled: int) -> None:
            object.__setattr__(self, "x", doubled // 2)

    return Half, [(2,), (3,), (4,), ()]


def validated(kind: Kind) -> Shape:
    @kind.decorate
    class Positive:
        """Looks at its fields once they are there."""

        x: int

        def __post_init__(self) -> None:
            if self.x <= 0:
                raise ValueError("not positive")

    return Positive, [(1,), (0,), (2,)]


def with_class_variables(kind: Kind) -> Shape:
    @kind.decorate
    class Named:
        """Has one field."""

        name: ClassVar[str] = "name"
        bare: ClassVar = 1
        written: "ClassVar[int]" = 2
        dotted: "typing.ClassVar[int]" = 3
        unknown: "Fraction | None"
        constant = 4

    return Named, [(1,), (2,), ()]


def generic(kind: Kind) -> Shape:
    @kind.decorate
    class Box(Generic[Item]):
        """For anything."""

        content: Item
        more: tuple[Item, ...] = ()

    return Box, [(1,), (1, (2,)), ("text",), ()]


def inheriting(kind: Kind) -> Shape:
    @kind.decorate(repr=False)
    class Base:
        """Tells little."""

        x: int
        y: float = 2.5

        def __repr__(self) -> str:
            return "one of its kind"

    @kind.decorate(repr=False)
    class Middle(Base):
        """Tells no more, and has another default."""

        y: int = 2

    @kind.decorate
    class Derived(Middle):
        """Gives the first field a default after all."""

        z: int = 3
        x: int = 1

    return Derived, [(), (1,), (1, 2), (1, 2, 3), (1, 2, 4), (5,), (1, 2, 3, 4)]


def inheriting_methods(kind: Kind) -> Shape:
    @kind.decorate
    class Base:
        """Shows and compares one field."""

        x: int

    @kind.decorate(repr=False, eq=False)
    class Derived(Base):
        """Has a second one."""

        y: int

    return Derived, [(1, 2), (1, 3)]


def not_decorated(kind: Kind) -> Shape:
    @kind.decorate
    class Base:
        """Is decorated."""

        x: int

    class Derived(Base):
        """Is not."""

    return Derived, [(1,), (2,), ()]


def of_an_abstract_class(kind: Kind) -> Shape:
    class Abstract(ABC):
        __slots__ = ()

        @abstractmethod
        def size(self) -> int: ...

    @kind.decorate
    class Concrete(Abstract):
        """Lacks nothing."""

        x: int

        def size(self) -> int:
            return self.x

    return Concrete, [(1,), (2,)]


def oddly_named(kind: Kind) -> Shape:
    @kind.decorate
    class Odd:
        """Takes all names that generated code might use."""

        self: int
        other: int
        hash: int
        _0: int
        _1: int
        fill_0: int = 6
        to_make: list[int] = kind.field(default_factory=list, compare=False)
        make_6: int = 7

    return Odd, [(1, 2, 3, 4, 5), (1, 2, 3, 4, 6), (1, 2, 3, 5, 4, 6)]


SHAPES = [
    empty,
    plain,
    ordered,
    identical,
    collecting,
    without_a_default,
    with_own_methods,
    with_own_hash,
    with_own_init,
    validated,
    with_class_variables,
    generic,
    inheriting,
    inheriting_methods,
    not_decorated,
    of_an_abstract_class,
    oddly_named,
]

# --- what they do -------------------------------------------------------------------------------------------

COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def outcome(act: Callable[..., object], *arguments: object) -> object:
    """What comes of it; an error, too."""
    try:
        return act(*arguments)
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)


def behaviour(shape: Shape) -> Iterator[object]:
    """Whatever can be asked of a class and of what it makes; in words, where classes would differ."""
    cls, given = shape
    yield cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__
    yield cls.__match_args__, cls.__dict__.get("__slots__")
    yield {name: getattr(cls, name) for name in cls.__annotations__ if name not in cls.__match_args__}
    parameters = inspect.signature(cls).parameters.values()
    yield [(each.name, each.annotation, each.default is each.empty) for each in parameters]
    yield repr(dataclasses.fields(cls))
    records = []
    for arguments in given:
        record = outcome(cls, *arguments)
        yield repr(record)
        if isinstance(record, cls):
            records.append(record)
    for record in records:
        yield from asked_alone(record)
    for (left, right), compare in product(product(records, repeat=2), COMPARISONS):
        yield outcome(compare, left, right)


def asked_alone(record: Any) -> Iterator[object]:
    cls: Any = type(record)
    yield repr(record), [getattr(record, name) for name in cls.__match_args__]
    yield "its own" if cls.__hash__ is object.__hash__ else outcome(hash, record)
    yield record == record, record == 1, outcome(operator.lt, record, 1)
    for name in cls.__match_args__:
        yield outcome(setattr, record, name, 1), outcome(delattr, record, name)
        yield repr(outcome(partial(dataclasses.replace, record, **{name: 5})))
    yield outcome(partial(dataclasses.replace, record, new=1))
    yield dataclasses.is_dataclass(record), dataclasses.asdict(record), dataclasses.astuple(record)
    yield hasattr(record, "__dict__"), hasattr(record, "__weakref__")
    for twin in (copy.copy(record), copy.deepcopy(record)):
        yield type(twin) is cls, repr(twin), twin == record


@pytest.mark.parametrize("shape", SHAPES)
def test_a_record_is_a_dataclass(shape: Callable[[Kind], Shape]) -> None:
    assert list(behaviour(shape(OURS))) == list(behaviour(shape(THEIRS)))


class Stated(NamedTuple):
    """What a drawn class says of one field."""

    default: int | Callable[[], list[int]] | None
    compare: bool
    repr: bool

    def told(self, kind: Kind) -> object:
        shown = {"compare": self.compare, "repr": self.repr}
        if callable(self.default):
            return kind.field(default_factory=self.default, **shown)
        return kind.field(**shown) if self.default is None else kind.field(default=self.default, **shown)


class Root:
    """Hides where an object lives, if a class shows nothing else."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "drawn"


VALUES = st.integers(0, 1) | st.sampled_from(["", "a"])
ARGUMENTS = st.lists(st.lists(VALUES, max_size=5), max_size=4)
STATED = st.builds(Stated, st.sampled_from([None, 0, 1, list]), st.booleans(), st.booleans())
BODIES = st.lists(STATED, max_size=3).map(
    lambda fields: sorted(fields, key=lambda each: each.default is not None)
)
OPTIONS = st.sampled_from([{}, {"order": True}, {"eq": False}, {"repr": False}])
Drawn = list[tuple[list[Stated], dict[str, bool]]]


def declared(kind: Kind, classes: Drawn) -> Any:
    """The last of these classes, each of which inherits from the one before."""
    cls: type = Root
    for depth, (fields, options) in enumerate(classes):
        said = {f"field_{depth}_{index}": stated.told(kind) for index, stated in enumerate(fields)}
        body = {"__annotations__": dict.fromkeys(said, int), "__doc__": "Drawn.", **said}
        cls = kind.decorate(**options)(type("Drawn", (cls,), body))
    return cls


@settings(max_examples=50)
@given(st.lists(st.tuples(BODIES, OPTIONS), min_size=1, max_size=2), ARGUMENTS)
def test_any_record_is_a_dataclass(classes: Drawn, arguments: list[list[object]]) -> None:
    try:
        expected = declared(THEIRS, classes)
    except TypeError:  # a field without a default after one with one
        with pytest.raises(TypeError):
            declared(OURS, classes)
    else:
        assert list(behaviour((declared(OURS, classes), arguments))) == list(behaviour((expected, arguments)))


# --- what is easier to say by itself ------------------------------------------------------------------------


@frozen(order=True)
class Place:
    line: int
    column: int = field(default=0, compare=False)


@frozen
class Tree:
    place: Place
    parts: "tuple[Tree, ...]" = ()
    notes: list[object] = field(default_factory=list, compare=False)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("record", [Place(1, 2), Tree(Place(1), (Tree(Place(2)),), [3])])
def test_pickles(record: object, protocol: int) -> None:
    read = pickle.loads(pickle.dumps(record, protocol))
    assert (read, repr(read), type(read)) == (record, repr(record), type(record))


def test_matching_by_place_and_by_name() -> None:
    match Tree(Place(1, 2)):
        case Tree(Place(line, column), parts=()):
            assert (line, column) == (1, 2)
        case _:
            pytest.fail("no match")


def test_replacing() -> None:
    assert repr(replace(Place(1, 2), line=3)) == "Place(line=3, column=2)"
    assert replace(Tree(Place(1)), parts=(Tree(Place(2)),)) == Tree(Place(1), (Tree(Place(2)),))
    with pytest.raises(TypeError, match="unexpected keyword argument 'row'"):
        partial(replace, Place(1, 2))(row=1)


def test_replacing_as_the_copy_module_does_it() -> None:
    place: Any = Place(1, 2)
    assert repr(place.__replace__(line=3)) == "Place(line=3, column=2)"


def test_replacing_in_a_dataclass() -> None:
    @dataclasses.dataclass
    class Counter:
        count: int
        step: int = 1

    assert replace(Counter(1), step=2) == Counter(1, 2)


def test_a_record_may_contain_itself() -> None:
    tree = Tree(Place(1))
    tree.notes.append(tree)
    assert repr(tree) == "Tree(place=Place(line=1, column=0), parts=(), notes=[...])"


def test_equality_does_not_look_into_what_is_identical() -> None:
    box, _ = generic(OURS)
    unequal_to_itself = float("nan")
    assert box(unequal_to_itself) == box(unequal_to_itself)


def test_subscripted_generic_classes_make_records() -> None:
    box, _ = generic(OURS)
    assert box[int](1) == box(1)


class Counted:
    """What `super()` finds in the next tests."""

    __slots__ = ()

    def method(self) -> int:
        return 1

    @classmethod
    def of_the_class(cls) -> int:
        return 1

    @property
    def value(self) -> int:
        return 1


def test_super_in_a_method() -> None:
    @frozen
    class Derived(Counted):
        x: int

        def method(self) -> int:
            return super().method() + self.x

    assert Derived(2).method() == 3


def test_super_in_a_method_of_the_class() -> None:
    @frozen
    class Derived(Counted):
        x: int

        @classmethod
        def of_the_class(cls) -> int:
            return super().of_the_class() + 1

    assert Derived(2).of_the_class() == 2


def test_super_in_a_property() -> None:
    @frozen
    class Derived(Counted):
        x: int

        @property
        def value(self) -> int:
            return super().value + self.x

    assert Derived(2).value == 3


def test_super_in_a_method_that_another_one_wraps() -> None:
    def doubled(method: Callable[[Any], int]) -> Callable[[Any], int]:
        @wraps(method)
        def twice(self: Any) -> int:
            return 2 * method(self)

        return twice

    @frozen
    class Derived(Counted):
        x: int

        @doubled
        def method(self) -> int:
            return super().method() + self.x

    assert Derived(2).method() == 6


def test_methods_of_bases_stay_theirs() -> None:
    @frozen
    class Base:
        x: int

    @frozen(repr=False)
    class Derived(Base):
        y: int

        def __repr__(self) -> str:
            return f"<{super().__repr__()}>"

    shown = f"<{Derived.__qualname__}(x=1)>"
    assert [repr(Derived(1, 2)), repr(Derived(1, 2))] == [shown, shown]


def test_fields_are_described_once() -> None:
    assert dataclasses.fields(Place)[0] is dataclasses.fields(Place(1))[0]


@pytest.mark.parametrize("shape", [plain, not_decorated])
def test_nothing_can_be_added(shape: Callable[[Kind], Shape]) -> None:
    cls, _ = shape(OURS)
    record = cls(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'new'"):
        record.new = 1


# --- what is refused ----------------------------------------------------------------------------------------


def refused(annotations: dict[str, object], **body: object) -> type:
    return type("Refused", (), {"__annotations__": annotations, "__module__": __name__, **body})


@pytest.mark.parametrize(
    ("cls", "error", "message"),
    [
        (refused({"x": dataclasses.InitVar[int]}), TypeError, "fields of dataclasses are not supported"),
        (refused({"x": "dataclasses.InitVar[int]"}), TypeError, "fields of dataclasses are not supported"),
        (refused({"_": dataclasses.KW_ONLY, "x": int}), TypeError, "fields of dataclasses are not supported"),
        (refused({"x": int}, x=dataclasses.field()), TypeError, "fields of dataclasses are not supported"),
        (refused({"x": int, "y": int}, x=1), TypeError, "y without a default follows x with one"),
        (refused({}, x=field(default=1)), TypeError, "Refused.x: a field without an annotation"),
        (refused({"x": list}, x=[]), ValueError, "mutable default"),
        (refused({"x": list}, x=field(default={})), ValueError, "mutable default"),
        (refused({}, __slots__=()), TypeError, "cannot overwrite __slots__"),
        (refused({}, __setattr__=setattr), TypeError, "cannot overwrite __setattr__"),
        (refused({}, __delattr__=delattr), TypeError, "cannot overwrite __delattr__"),
        (refused({}, __le__=operator.le), TypeError, "cannot overwrite __le__"),
    ],
)
def test_what_is_not_supported_is_refused_at_once(cls: type, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        frozen(order=True)(cls)


def test_dataclasses_are_no_bases() -> None:
    @dataclasses.dataclass
    class Base:
        x: int

    with pytest.raises(TypeError, match="cannot inherit from the dataclass"):
        frozen(type("Derived", (Base,), {}))


def test_options_that_contradict_each_other() -> None:
    with pytest.raises(ValueError, match="eq must be true if order is true"):
        frozen(order=True, eq=False)
    with pytest.raises(ValueError, match="cannot specify both"):
        partial(field, default=1)(default_factory=int)


# --- what it costs ------------------------------------------------------------------------------------------


def test_methods_are_made_when_they_are_used() -> None:
    cls, _ = plain(OURS)

    def made() -> set[str]:
        return {name for name, value in vars(cls).items() if isinstance(value, FunctionType)}

    before = made()
    assert not before & {"__init__", "__eq__", "__hash__", "__repr__"}
    one = cls(1)
    assert made() - before == {"__init__"}
    assert one == cls(1)
    assert made() - before == {"__init__", "__eq__"}
    assert {one, cls(1)} == {one}
    assert made() - before == {"__init__", "__eq__", "__hash__"}


def test_importing_it_imports_nothing_slow() -> None:
    asked = "import sys, seriatim.frozen; print(*{'dataclasses', 'inspect', 'copy'} & sys.modules.keys())"
    told = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.strip() == ""
