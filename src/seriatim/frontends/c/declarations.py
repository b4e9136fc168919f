"""What declarations of C stand for: variables, arrays, structures, memory, ids of threads."""

from abc import ABC, abstractmethod
from collections.abc import Callable, MutableMapping

from pycparser import c_ast

from seriatim.frontends.c.addresses import NOTHING, Addresses
from seriatim.frontends.c.cases import OUTSIDE, Guard, add_guard, not_freed
from seriatim.frontends.c.initial import KIND, initial_values, string_values
from seriatim.frontends.c.kinds import FUNCTION, Kinds
from seriatim.frontends.c.preprocessing import Prepared
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import (
    Array,
    Attributes,
    Barrier,
    Cells,
    Condition,
    Enumerator,
    Function,
    Key,
    Mutex,
    Once,
    Opaque,
    ReadWriteLock,
    Scalar,
    Semaphore,
    Structure,
    Symbol,
    name_of,
    scalars,
)
from seriatim.frontends.c.types import CHAR, INT, POINTER, UNSIGNED, CType, converted
from seriatim.program.threads.syntax import Integers, Range, Type
from seriatim.source import Diagnostic, InputError, Span
from seriatim.terms.expressions import Constant, Expression, Value, Variable, apply, fold

MAX_ELEMENTS = 1024
"""Of an array."""

OBJECTS: dict[str, tuple[type[Opaque], dict[str, Type]]] = {
    "pthread_mutex_t": (Mutex, {"": Range(0, 1)}),
    "sem_t": (Semaphore, {"": Integers()}),
    "pthread_rwlock_t": (ReadWriteLock, {"": Integers()}),
    "pthread_once_t": (Once, {"": Range(0, 2)}),
    "pthread_barrier_t": (Barrier, dict.fromkeys((".size", ".arrived", ".leaving", ".claimed"), Integers())),
    "pthread_cond_t": (Condition, dict.fromkeys((".waiting", ".woken"), Integers())),
}
"""What pthreads define, and the variables that each of them is."""

Note = Callable[[str, Type], bool]
"""Notes a new variable, and says whether others can see it."""


class Declarations(Kinds, ABC):
    """The names of a C file, and the variables that they stand for."""

    def __init__(self, source: Prepared) -> None:
        super().__init__(source)
        self.arrays: dict[str, Array] = {}
        """Arrays by the names of their elements."""
        self.literals: dict[str, Array] = {}
        self.names: dict[str, Symbol] = {}
        self.functions: dict[str, c_ast.FuncDef] = {}
        self.types: dict[str, Type] = {}
        self.initial: dict[str, Value] = {}
        self.changed: frozenset[str] = frozenset()
        """Variables that are written, or whose addresses are taken, by name alone."""
        self.thread_locals: dict[str, c_ast.Decl] = {}
        """Variables of which every thread has its own."""
        self.ordinary: set[str] = set()
        """Globals whose accesses can race."""
        self.atomics: set[str] = set()
        """Other globals that hold a value of C."""
        self.addresses = Addresses()
        self.lengths: dict[str, Expression] = {}
        """How many elements arrays have, by their names, where that is not known before."""
        self.weak_order = ""
        """An order of memory that allows more runs than those that are looked at."""
        self.waiting: set[str] = set()
        """Globals that count who waits for signals."""
        self.unknown_waits = ""
        """What makes threads wait in a way that is not modelled."""
        self.pointers: set[str] = set()
        self.plain: set[str] = set()
        """Names of pointers, and of other variables."""
        self.cells = 0
        self.keys: list[str] = []
        """Of thread-specific data."""
        self.destructors: dict[str, str] = {}
        """For keys, the functions that get the data of a thread when it ends."""
        self.prototypes: dict[str, c_ast.Decl] = {}
        """Functions that are declared."""
        self.notes: dict[str, Diagnostic] = {}
        """What the reader of the verdict should know."""
        self.leaks: dict[int, Diagnostic] = {}
        """Memory that is never freed, by the lines that ask for it."""
        self.sizes: dict[c_ast.Node, int] = {}
        """Of arrays, where their types are declared."""

    def declare(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.FuncDef(decl=c_ast.Decl(type=c_ast.FuncDecl()) as decl):
                self.functions[decl.name] = node
            case c_ast.Typedef(name=name, type=type_):
                self.note_type(type_)
                self.typedefs[name] = type_
            case c_ast.Decl(type=c_ast.FuncDecl()):
                self.prototypes.setdefault(node.name, node)
            case c_ast.Decl(type=c_ast.Struct() | c_ast.Enum() | c_ast.Union()):
                self.note_type(node.type)
            case c_ast.Decl(storage=storage) if "_Thread_local" in storage:
                self.note_type(node.type)
                if node.init is not None or node.name not in self.thread_locals:
                    self.thread_locals[node.name] = node
            case c_ast.Decl(storage=storage, init=None) if "extern" in storage:
                self.note_type(node.type)  # Another declaration has to define it.
            case c_ast.Decl():
                self.note_type(node.type)
                is_repeated = node.name in self.names and node.init is None
                if not is_repeated:  # `int x = 5; int x;` is one variable, with the value of the first.
                    self.names[node.name] = self.constant_of(node) or self.global_of(node, node.name)
            case c_ast.Pragma() | c_ast.StaticAssert():
                pass
            case _:
                refuse("this declaration", self.span(node), "leave it out")

    def note_later(self, node: c_ast.Node) -> None:
        """A structure of the file, which variables may have as their type before it is declared."""
        type_ = getattr(node, "type", None)
        while isinstance(type_, c_ast.TypeDecl):
            type_ = type_.type
        if isinstance(type_, c_ast.Struct) and type_.name is not None and type_.decls is not None:
            self.structures.setdefault(type_.name, type_)

    def note_type(self, type_: c_ast.Node) -> None:
        """Structures and enumerations that a type declares."""
        match type_:
            case c_ast.TypeDecl(type=inner) | c_ast.PtrDecl(type=inner):
                self.note_type(inner)
            case c_ast.ArrayDecl(type=inner, dim=size):
                self.note_type(inner)
                self.note_size(size)
            case c_ast.Struct(name=name, decls=members) if members is not None:
                if name is not None:
                    self.structures[name] = type_
                for member in members:
                    self.note_type(member.type if isinstance(member, c_ast.Decl) else member)
            case c_ast.Enum(values=values) if values is not None:
                self.note_enumeration(type_)

    def note_enumeration(self, node: c_ast.Enum) -> None:
        """Names for numbers; variables of the type are unsigned if none of them is negative, as in gcc."""
        number, is_signed = 0, False
        for each in node.values.enumerators:
            if each.value is not None:
                number = self.constant(each.value)
            if not INT.low <= number <= INT.high:
                refuse("an enumerator that does not fit into int", self.place(each), "use a smaller number")
            self.declare_number(each.name, Enumerator(number))
            is_signed = is_signed or number < 0
            number += 1
        self.enumerations[node.name or str(node.coord)] = INT if is_signed else UNSIGNED

    def constant_of(self, node: c_ast.Decl) -> Symbol | None:
        """`const int n = 3;`, if nobody writes it nevertheless, or takes its address."""
        integer = self.integer_type(node.type)
        is_simple = isinstance(self.resolved(node.type), c_ast.TypeDecl) and not self.is_atomic(node.type)
        if integer is None or node.init is None or not is_simple:
            return None
        if "const" not in node.quals or node.name in self.changed:
            return None
        stored = fold(converted(Constant(self.constant(node.init)), CType("", 128, True), integer))
        assert isinstance(stored, Constant), "of constants"
        return Enumerator(int(stored.value), integer)

    def global_of(self, node: c_ast.Decl, name: str) -> Symbol:
        """A variable that exists once; it starts with what the text says, or 0."""
        symbol = self.symbol_of(node, name, self.note_global)
        for scalar, value in initial_values(symbol, node.init, self.span(node)):
            self.look_for_type(scalar)
            start = Constant(0) if value is None else Constant(self.constant(value))
            if value is not None:
                self.look_at_first(scalar, value)
            stored = fold(converted(start, CType("", 128, True), scalar.type))
            assert isinstance(stored, Constant)
            self.initial[scalar.name] = stored.value
        return symbol

    def scalar(self, name: str, type_: CType, note: Note, points_to: str, is_atomic: bool) -> Scalar:
        """A new variable of one value."""
        shared = note(name, Integers())
        if shared:
            (self.atomics if is_atomic else self.ordinary).add(name)
        self.note_shown(name, bool(points_to))
        return Scalar(name, type_, shared, points_to, is_atomic)

    def note_shown(self, name: str, is_pointer: bool) -> None:
        """Remembers whether a name that runs show is that of a pointer, wherever it is declared."""
        (self.pointers if is_pointer else self.plain).add(name.partition("$")[0])

    def note_global(self, name: str, type_: Type) -> bool:
        self.types[name] = type_
        self.initial[name] = 0
        return True

    def unique(self, name: str) -> str:
        """A name for a global that no identifier of C has."""
        return self.untaken(f"main.{name}", "$")

    def untaken(self, name: str, sign: str) -> str:
        """The name, with a number if there is a global of this name."""
        found, number = name, 1
        while self.is_taken(found):
            number += 1
            found = f"{name}{sign}{number}"
        return found

    def is_taken(self, name: str) -> bool:
        """Whether there is a global of this name, or a part of one."""
        return any(each == name or each.startswith((f"{name}.", f"{name}[")) for each in self.types)

    def symbol_of(self, node: c_ast.Decl, name: str, note: Note) -> Symbol:
        """What a declared name stands for."""
        type_ = node.type
        text = string_values(node.init)
        if isinstance(node.init, c_ast.InitList) and [type(each) for each in node.init.exprs] == [
            c_ast.Constant
        ]:
            is_text = self.integer_type(getattr(type_, "type", type_)) is not None
            text = string_values(node.init.exprs[0]) if is_text else text
        if isinstance(type_, c_ast.ArrayDecl) and type_.dim is None and text is not None:
            return self.array_of(type_, len(text) + 1, name, note, node)
        if isinstance(type_, c_ast.ArrayDecl) and type_.dim is None and isinstance(node.init, c_ast.InitList):
            if any(isinstance(each, c_ast.NamedInitializer) for each in node.init.exprs):
                refuse(
                    "an array without a size whose elements have numbers", self.span(node), "give its size"
                )
            return self.array_of(type_, len(node.init.exprs), name, note, node)
        return self.symbol_like(type_, name, note, node)

    def symbol_like(self, type_: c_ast.Node, name: str, note: Note, node: c_ast.Node) -> Symbol:
        found = self.resolved(type_)
        if isinstance(found, c_ast.ArrayDecl):
            return self.array_of(found, self.size_of(found), name, note, node)
        if isinstance(found, c_ast.PtrDecl):
            kind = self.pointer_to(found)
            return self.scalar(name, POINTER, note, kind, self.is_atomic(type_))
        opaque = self.opaque(self.word(found), name, note)
        if opaque is not None:
            return opaque
        structure = self.structure_of(found)
        if structure is not None:
            self.look_at_members(structure, type_)
            members: dict[str, Symbol] = {
                member.name: self.symbol_of(member, f"{name}.{member.name}", note)
                for member in structure.decls or []
            }
            return Structure(name, self.kind(found), members)
        integer = self.integer_type(found)
        if integer is None:
            refuse(f"a variable of {self.type_name(found)}", self.span(node), "use integer types")
        return self.scalar(name, integer, note, "", self.is_atomic(type_))

    def opaque(self, word: str, name: str, note: Note) -> Symbol | None:
        """What pthreads define; it is always shared, also if it is a local: then its name is a new one."""
        name = name if note == self.note_global else self.unique(name)
        match word:
            case "pthread_t":
                return self.new_cells(1, None)
            case "pthread_attr_t":
                return Attributes()
            case "pthread_key_t":
                self.keys.append(name)
                return Key(name)
            case _ if word in OBJECTS:
                made, parts = OBJECTS[word]
                for part, type_ in parts.items():
                    self.note_global(f"{name}{part}", type_)
                if made is Condition:
                    self.waiting |= {f"{name}{part}" for part in parts}
                if made is Mutex and name in self.addresses.typed:
                    self.note_typed(name)
                return made(name)
            case _:
                return None

    def note_typed(self, mutex: str) -> None:
        """A mutex whose type matters has a variable for it."""
        self.addresses.typed.add(mutex)
        self.types.setdefault(f"{mutex}{KIND}", Range(0, 2))
        self.initial.setdefault(f"{mutex}{KIND}", 0)

    def look_for_type(self, scalar: Scalar) -> None:
        """Notes the mutex whose type a variable is, if it is one."""
        if scalar.name.endswith(KIND) and scalar.atomic and scalar.name not in self.types:
            self.note_typed(scalar.name.removesuffix(KIND))

    def look_at_members(self, structure: c_ast.Struct, type_: c_ast.Node) -> None:
        """Raises `InputError` where members are not variables of their own."""
        if self.is_atomic(type_):
            refuse("an atomic structure", self.place(structure), "make its members atomic, or use a lock")
        for member in structure.decls or []:
            if not isinstance(member, c_ast.Decl) or member.name is None:
                refuse("a structure without a name in another one", self.place(structure), "name it")
            if member.bitsize is not None:
                refuse("a bit-field", self.place(member), "use a member of an integer type")

    def array_of(self, type_: c_ast.ArrayDecl, size: int, name: str, note: Note, node: c_ast.Node) -> Symbol:
        if self.word(type_.type) == "pthread_t":
            return self.new_cells(size, size)
        if not 0 < size <= MAX_ELEMENTS:
            remedy = f"give it 1 to {MAX_ELEMENTS} elements"
            refuse("an array of this size", self.span(node), remedy)
        elements = tuple(
            self.symbol_like(type_.type, f"{name}[{number}]", note, node) for number in range(size)
        )
        array = Array(name, elements)
        self.arrays |= {name_of(each): array for each in elements}
        return array

    def allocated(self, type_: c_ast.Node, count: int, span: Span) -> Symbol:
        """A block of memory that a program asks for: `memory:8` if that is in line 8."""
        name = self.untaken(f"memory:{span.line}", "#")
        if count == 1:
            return self.symbol_like(type_, name, self.note_global, type_)
        if not 0 < count <= MAX_ELEMENTS:
            refuse("memory of this size", span, f"use 1 to {MAX_ELEMENTS} elements")
        array = Array(
            name,
            tuple(
                self.symbol_like(type_, f"{name}[{number}]", self.note_global, type_)
                for number in range(count)
            ),
        )
        self.arrays |= {name_of(each): array for each in array.elements}
        return array

    def note_heap(self, symbol: Symbol, address: int) -> None:
        """Memory that the program may free."""
        name = f"$freed.{name_of(symbol)}"
        self.note_number(name)
        self.addresses.heap[name] = address
        for each in scalars(symbol):
            add_guard(self.addresses.guards, each.name, not_freed(name))

    def note_number(self, name: str) -> None:
        """A global that the program does not name; it starts at 0."""
        self.types[name] = Integers()
        self.initial[name] = 0

    def note_length(self, array: Symbol) -> str:
        """The global that says how many elements an array has."""
        name = f"$length.{name_of(array)}"
        self.note_number(name)
        self.bound(self.addresses.guards, array, Variable(name))
        return name

    def bound(self, guards: MutableMapping[str, list[Guard]], array: Symbol, length: Expression) -> None:
        """Only so many elements of an array are there."""
        assert isinstance(array, Array), "it has elements"
        self.lengths[array.name] = length
        for number, element in enumerate(array.elements):
            is_there = apply("<", Constant(number), length)
            for each in scalars(element):
                add_guard(guards, each.name, Guard(is_there, OUTSIDE))

    def leave_open(self, symbol: Symbol) -> None:
        """Fresh memory holds any value of its type at first; a pointer in it points nowhere."""
        for each in scalars(symbol):
            if each.points_to:
                continue
            del self.initial[each.name]
            if not (each.type.signed and each.type.bits >= INT.bits):
                self.types[each.name] = Range(each.type.low, each.type.high)

    def literal(self, text: str, values: list[int]) -> Array:
        """A string: an array that nobody changes."""
        if text not in self.literals:
            name = f"string{len(self.literals)}"
            elements = tuple(
                Scalar(f"{name}[{number}]", CHAR, self.note_global(f"{name}[{number}]", Integers()))
                for number in range(len(values) + 1)
            )
            self.initial |= {each.name: value for each, value in zip(elements, [*values, 0], strict=True)}
            self.literals[text] = Array(name, elements)
            self.arrays |= {each.name: self.literals[text] for each in elements}
        return self.literals[text]

    def nothing(self, kind: str, span: Span) -> Symbol:
        """A variable that nobody reads: following a pointer that points nowhere fails before."""
        if kind.startswith(FUNCTION):
            return Function("", kind)
        if kind not in self.seen:
            refuse("a pointer to this type", span, "use pointers to variables")
        return self.symbol_like(self.seen[kind], NOTHING, self.note_global, self.seen[kind])

    def new_cells(self, count: int, listed: int | None) -> Cells:
        first = self.cells
        self.cells += count
        return Cells(first, listed)

    def static(self, function: str, node: c_ast.Decl) -> Symbol:
        """A static local is one variable for all calls and all threads."""
        key = f"{function}.{node.name} {node.coord}"
        if key not in self.names:
            name = f"{function}.{node.name}"
            while self.is_taken(name):
                name += "$"
            self.names[key] = self.global_of(node, name)
        return self.names[key]

    def parameter(self, node: c_ast.Decl, name: str) -> Scalar:
        """A parameter of a function that is called."""
        found = self.resolved(node.type)
        if isinstance(found, c_ast.ArrayDecl):
            return Scalar(name, POINTER, shared=False, points_to=self.kind(found.type))
        kind = self.kind(found) if isinstance(found, c_ast.FuncDecl) else self.pointer_to(found)
        if kind:
            return Scalar(name, POINTER, shared=False, points_to=kind)
        integer = self.integer_type(found)
        if integer is None:
            refuse("a parameter of this type", self.span(node), "use integer types and pointers")
        return Scalar(name, integer, shared=False)

    def size_of(self, type_: c_ast.ArrayDecl) -> int:
        """How many elements there are; 0 if the text does not say."""
        if type_.dim is None:
            return 0
        return self.sizes[type_.dim] if type_.dim in self.sizes else self.constant(type_.dim)

    def note_size(self, node: c_ast.Node | None) -> None:
        """What a size is where the type is declared; names in it may mean something else elsewhere."""
        try:
            self.sizes |= {} if node is None else {node: self.constant(node)}
        except InputError:  # Said where a variable has the type.
            self.sizes.pop(node, None)

    # Left to the translation

    @abstractmethod
    def declare_number(self, name: str, number: Enumerator) -> None:
        """Notes an enumerator in the block that is read."""

    @abstractmethod
    def look_at_first(self, scalar: Scalar, node: c_ast.Node) -> None:
        """Raises `InputError` where a first value is a pointer to another type, or a number is needed."""

    @abstractmethod
    def constant(self, node: c_ast.Node) -> int:
        """The value of a constant expression."""

    @abstractmethod
    def span(self, node: c_ast.Node) -> Span:
        """Where it is in the text."""
