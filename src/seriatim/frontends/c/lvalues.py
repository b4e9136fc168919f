"""What can be read and written in C: variables, members, elements of arrays, and what pointers point to.

An lvalue is a list of *cases*: a condition on locals, and the variable that is meant where it holds. A
plain name is one case. Reading evaluates the conditions and reads one variable, in one step; writing is one
step for each case. That an index is within its array, and that a pointer points to a variable of its type,
is asserted.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import NoReturn

from pycparser import c_ast

from seriatim.frontends.c.addresses import Addresses
from seriatim.frontends.c.cases import OUTSIDE, Guard, any_of, by_cases, demands
from seriatim.frontends.c.graph import Graph
from seriatim.frontends.c.kinds import FUNCTION
from seriatim.frontends.c.operators import ZERO, Operand
from seriatim.frontends.c.preprocessing import Prepared
from seriatim.frontends.c.refusing import not_a_value, refuse
from seriatim.frontends.c.symbols import (
    Array,
    Function,
    Scalar,
    Scopes,
    Structure,
    Symbol,
    kind_of,
    name_of,
)
from seriatim.frontends.c.types import POINTER, CType
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Action, Assert, Assign, Assume, Havoc, Integers, Range, Type
from seriatim.source import Span
from seriatim.terms.expressions import FALSE, TRUE, Constant, Expression, Variable, apply

NOWHERE = "the pointer points to no variable of its type"
NO_FUNCTION = "the pointer points to no function of its type"
NO_ADDRESS = "make it global, static, or a local of main"

Change = Callable[[Operand], Expression]
"""A new value, by the old one."""

Case = tuple[Expression, Symbol]
"""Where the condition holds, the symbol is meant."""


@dataclass(frozen=True, slots=True)
class Lvalue:
    cases: tuple[tuple[Expression, Scalar], ...]

    @property
    def type(self) -> CType:
        return self.cases[0][1].type

    @property
    def points_to(self) -> str:
        return self.cases[0][1].points_to

    @property
    def atomic(self) -> bool:
        return any(scalar.atomic for _, scalar in self.cases)

    @property
    def shared(self) -> bool:
        return any(scalar.shared for _, scalar in self.cases)

    @property
    def value(self) -> Expression:
        """What it holds, by cases."""
        return by_cases([(condition, Variable(scalar.name)) for condition, scalar in self.cases])

    def told(self) -> str:
        names = {scalar.name.partition("[")[0] for _, scalar in self.cases}
        return names.pop() if len(names) == 1 else "what the pointer points to"


class Lvalues(ABC):
    """Builds the graph of one thread: names and accesses; values are left to a subclass."""

    def __init__(self, source: Prepared, names: dict[str, Symbol], addresses: Addresses) -> None:
        self.source = source
        self.graph = Graph()
        self.scopes = Scopes(names)
        self.addresses = addresses
        self.arrays: dict[str, Array] = {}
        """Arrays by the names of their elements."""
        self.types: dict[str, Type] = {}
        """Of the thread's locals."""
        self.taken: set[str] = set()
        """Names of locals, also of arrays and structures, whose parts alone are variables."""
        self.guards: MutableMapping[str, list[Guard]] = {}
        """What has to hold where variables are accessed that are not always there, by their names."""
        self.lengths: dict[str, Expression] = {}
        """How many elements arrays have, by their names, where that is not known before."""
        self.bounds: dict[str, tuple[int, int]] = {}
        """Values of variables that count rounds, by their names: the first, and one too many."""
        self.reads_directly = False
        """Whether what others can see is part of an expression, which is one action of an atomic section."""
        self.statement = ""
        """The text of the statement that is translated."""

    # Places and names

    def span(self, node: c_ast.Node) -> Span:
        coordinate = node.coord
        if coordinate is None:
            return self.source.span(1, 1)
        return self.source.span(coordinate.line, coordinate.column or 1)

    def fresh(self, hint: str, type_: Type | None = None) -> str:
        """A new local."""
        name = hint
        number = 1
        while self.is_taken(name):
            number += 1
            name = f"{hint}${number}"
        self.taken.add(name)
        self.types[name] = type_ or Integers()
        return name

    def is_taken(self, name: str) -> bool:
        """Globals keep their names; those of functions precede the names of their static locals."""
        known = name in self.taken or name in self.scopes.blocks[0]
        return known or name == "main" or self.function_named(name) is not None

    def told(self, access: str = "") -> str:
        return f"{access}: {self.statement}" if access else self.statement

    # Reading and writing

    def read(self, lvalue: Lvalue, node: c_ast.Node) -> Operand:
        if not lvalue.shared or self.reads_directly:
            for demand in demands(self.guards, lvalue.cases, self.span(node)):
                self.graph.locally(demand)
            return Operand(lvalue.value, lvalue.type, points_to=lvalue.points_to)
        copy = self.fresh(f"${lvalue.told()}" if len(lvalue.cases) == 1 else "$copy")
        span = self.span(node)
        read = Assign((copy,), (lvalue.value,), span)
        actions: tuple[Action, ...] = (*demands(self.guards, lvalue.cases, span), read)
        self.graph.shared(actions, span, self.told(f"reads {lvalue.told()}"))
        return Operand(Variable(copy), lvalue.type, points_to=lvalue.points_to)

    def write(self, lvalue: Lvalue, value: Expression, node: c_ast.Node) -> None:
        span = self.span(node)
        told = self.told(f"writes {lvalue.told()}")
        if len(lvalue.cases) > 1:
            ways: list[tuple[Action, ...]] = [
                (
                    Assume(condition, span),
                    *demands(self.guards, ((TRUE, scalar),), span),
                    Assign((scalar.name,), (value,), span),
                )
                for condition, scalar in lvalue.cases
            ]
            self.graph.split(ways, span, told)
            return
        action = Assign((lvalue.cases[0][1].name,), (value,), span)
        if lvalue.shared:
            self.graph.shared((*demands(self.guards, lvalue.cases, span), action), span, told)
        else:
            for demand in demands(self.guards, lvalue.cases, span):
                self.graph.locally(demand)
            self.graph.locally(action)

    def change(self, lvalue: Lvalue, new: Change | None, node: c_ast.Node, is_weak: bool = False) -> Operand:
        """Reads a variable and changes it, if there is a new value, in one step; the value that it had."""
        span = self.span(node)
        copy = self.fresh("$before")
        old = Operand(Variable(copy), lvalue.type, points_to=lvalue.points_to)
        ways: list[tuple[Action, ...]] = []
        for condition, scalar in lvalue.cases:
            steps: tuple[Action, ...] = (
                *demands(self.guards, ((TRUE, scalar),), span),
                Assign((copy,), (Variable(scalar.name),), span),
            )
            if new is not None:
                steps += (Assign((scalar.name,), (new(old),), span),)
            ways.append(steps if len(lvalue.cases) == 1 else (Assume(condition, span), *steps))
        self.graph.split(ways, span, self.told(), atomic=True, is_weak=is_weak or new is None)
        return old

    def store(self, scalar: Scalar, value: Expression, node: c_ast.Node) -> None:
        self.write(Lvalue(((TRUE, scalar),)), value, node)

    def any_value(self, type_: CType, node: c_ast.Node, low: int | None = None) -> Operand:
        """What the environment chooses, within the type."""
        name = self.fresh("$any", Range(type_.low if low is None else low, type_.high))
        self.graph.locally(Havoc(name, self.span(node)))
        return Operand(Variable(name), type_)

    def keep(self, operand: Operand, node: c_ast.Node) -> Operand:
        """The value as it is now, whatever happens to its variables later."""
        known = self.graph.constant(operand.expression)
        if known is not None:
            return Operand(known, operand.type, points_to=operand.points_to)
        name = self.fresh("$value")
        self.graph.locally(Assign((name,), (operand.expression,), self.span(node)))
        return Operand(Variable(name), operand.type, points_to=operand.points_to)

    def demand(self, condition: Expression, says: str, node: c_ast.Node) -> None:
        """What has to hold, or the program fails there."""
        if condition != TRUE:
            self.graph.locally(Assert(condition, self.span(node), says, is_about_memory=True))

    # Lvalues

    def lvalue(self, node: c_ast.Node) -> Lvalue:
        """The variables that an expression stands for."""
        return self.lvalue_of(self.cases(node), node)

    def lvalue_of(self, cases: list[Case], node: c_ast.Node) -> Lvalue:
        found = [(condition, symbol) for condition, symbol in cases if isinstance(symbol, Scalar)]
        if len(found) != len(cases) or not found:
            refuse(*not_a_value(cases[0][1] if cases else None, self.span(node)))
        return Lvalue(tuple(found))

    def cases(self, node: c_ast.Node) -> list[Case]:
        match node:
            case c_ast.ID(name=name):
                symbol = self.scopes.find(name) or self.function_named(name)
                if symbol is None:
                    refuse(f"the name `{name}`, which is not declared,", self.span(node), "declare it")
                return [(TRUE, symbol)]
            case c_ast.UnaryOp(op="*", expr=pointer):
                return self.pointed(pointer)
            case c_ast.StructRef(name=base, type="."):
                return self.members(self.cases(base), node)
            case c_ast.StructRef(name=base):
                return self.members(self.pointed(base), node)
            case c_ast.ArrayRef(name=base, subscript=subscript):
                return self.elements(base, subscript, node)
            case c_ast.Cast(expr=inner):
                return self.cases(inner)
            case c_ast.CompoundLiteral():
                return [(TRUE, self.unnamed(node))]
            case _:
                value = self.value(node)  # A structure that a function returns, for example.
                if value.cases:
                    return list(value.cases)
                remedy = "use variables, members, elements of arrays, and `*p`"
                return refuse("a value of this form", self.span(node), remedy)

    def members(self, cases: list[Case], node: c_ast.StructRef) -> list[Case]:
        name = node.field.name
        found: list[Case] = []
        for condition, symbol in cases:
            if not isinstance(symbol, Structure) or name not in symbol.members:
                refuse(f"the member `{name}`", self.span(node), "use structures of integers")
            found.append((condition, symbol.members[name]))
        return found

    def elements(self, base: c_ast.Node, subscript: c_ast.Node, node: c_ast.Node) -> list[Case]:
        is_named = isinstance(base, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef) and not self.is_alias(base)
        arrays = self.cases(base) if is_named else []
        if not arrays or not isinstance(arrays[0][1], Array):
            pointer = self.read(self.lvalue_of(arrays, base), base) if arrays else self.value(base)
            return self.at(self.moved(pointer, self.value(subscript), node), node)
        index = self.value(subscript)
        number = index.expression
        if not isinstance(number, Constant):
            number = self.keep(index, subscript).expression
        found: list[Case] = []
        for condition, array in arrays:
            if not isinstance(array, Array):
                refuse("a pointer to rows of an array", self.span(node), "use the array itself")
            size = len(array.elements)
            if isinstance(number, Constant):
                if not 0 <= number.value < size:
                    self.demand(FALSE if condition == TRUE else apply("==>", condition, FALSE), OUTSIDE, node)
                    found.append((condition, array.elements[0]))
                else:
                    found.append((condition, array.elements[int(number.value)]))
                continue
            inside = apply("&&", apply("<=", ZERO, number), apply("<", number, Constant(size)))
            if not self.is_bounded(subscript, size):
                self.demand(inside if condition == TRUE else apply("==>", condition, inside), OUTSIDE, node)
            for place, element in enumerate(array.elements):
                here = apply("==", number, Constant(place))
                found.append((conjunction((condition, here)), element))
        return found

    def is_bounded(self, subscript: c_ast.Node, size: int) -> bool:
        """Whether an index counts the rounds of a loop, and is inside an array in each of them."""
        symbol = self.scopes.find(subscript.name) if isinstance(subscript, c_ast.ID) else None
        first, last = self.bounds.get(name_of(symbol), (0, size + 1)) if symbol is not None else (0, size + 1)
        return first >= 0 and last <= size

    # Pointers

    def pointed(self, node: c_ast.Node) -> list[Case]:
        """What a pointer points to."""
        match node:
            case c_ast.UnaryOp(op="&", expr=target):
                return self.cases(target)
            case c_ast.ID(name=name):
                alias, symbol = self.scopes.find(f"*{name}"), self.scopes.find(name)
                if alias is not None:
                    return [(TRUE, alias)]
                if isinstance(symbol, Array):
                    return [(TRUE, symbol.elements[0])]
            case c_ast.Cast(to_type=to_type, expr=inner) if self.is_alias(inner):
                found = self.pointed(inner)
                if kind_of(found[0][1]) not in ("", self.pointer_to(to_type)):
                    self.refuse_kind(to_type)
                return found
        return self.at(self.value(node), node)

    def look_at_kinds(self, value: Operand, target: "Lvalue | Scalar", node: c_ast.Node) -> None:
        """Raises `InputError` where a pointer is kept as one to another type, or as a number."""
        points_to = target.points_to
        kinds = {value.points_to, points_to} - {"", "void"}
        if len(kinds) > 1:
            self.refuse_kind(node)
        if not points_to:
            self.look_at_number(value, target.type, node)

    def look_at_number(self, value: Operand, type_: CType, node: c_ast.Node) -> None:
        """Raises `InputError` where an address becomes a number: which one is not known."""
        if value.points_to not in ("", "void") and not type_.is_bool:
            refuse("a pointer as a number", self.span(node), "compare pointers, or use indices")

    def refuse_kind(self, node: c_ast.Node) -> NoReturn:
        refuse("a pointer to a variable of another type", self.span(node), "use a variable of this type")

    def is_alias(self, node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.ID) and self.scopes.find(f"*{node.name}") is not None

    def at(self, pointer: Operand, node: c_ast.Node) -> list[Case]:
        """What lies where a pointer points to."""
        kind = pointer.points_to
        if kind in ("", "void"):
            refuse("what a pointer without a type points to", self.span(node), "cast it to its type")
        place = self.keep(pointer, node).expression
        if isinstance(place, Constant):
            symbol = self.addresses.at(int(place.value), kind)
            if symbol is not None:
                return [(TRUE, symbol)]
        found: list[Case] = [
            (apply("==", place, Constant(number)), symbol) for number, symbol in self.addresses.of_kind(kind)
        ]
        valid = any_of([condition for condition, _ in found])
        self.demand(valid, NO_FUNCTION if kind.startswith(FUNCTION) else NOWHERE, node)
        return found or [(TRUE, self.nothing(kind, node))]

    def address(self, cases: list[Case], node: c_ast.Node) -> Operand:
        """The address of one of several variables."""
        numbers = [(condition, self.address_of(symbol, node)) for condition, symbol in cases]
        found = by_cases([(condition, Constant(number)) for condition, number in numbers])
        return Operand(found, POINTER, points_to=kind_of(cases[0][1]))

    def address_of(self, symbol: Symbol, node: c_ast.Node) -> int:
        if not kind_of(symbol):
            refuse("a pointer to this", self.span(node), "use pointers to variables and mutexes")
        if isinstance(symbol, Array):
            symbol = symbol.elements[0]
        if not self.is_static(symbol):
            self.escape(symbol, node)
            return 0
        return self.addresses.number(symbol, self.arrays.get(name_of(symbol)))

    def moved(self, pointer: Operand, by: Operand, node: c_ast.Node, sign: str = "+") -> Operand:
        """A pointer to an element some places away."""
        if pointer.points_to in ("", "void"):
            is_pointer = bool(pointer.points_to)
            what = (
                "arithmetic on a pointer without a type" if is_pointer else "an index of what is not an array"
            )
            refuse(what, self.span(node), "use arrays and pointers to elements")
        if isinstance(by.expression, Constant) and isinstance(pointer.expression, Constant):
            distance = by.expression.value if sign == "+" else -by.expression.value
            return Operand(
                Constant(pointer.expression.value + distance), POINTER, points_to=pointer.points_to
            )
        place = apply("+" if sign == "+" else "-", pointer.expression, by.expression)
        return Operand(place, POINTER, points_to=pointer.points_to)

    # Left to subclasses

    @abstractmethod
    def value(self, node: c_ast.Node) -> Operand:
        """The value of an expression."""

    @abstractmethod
    def pointer_to(self, node: c_ast.Node) -> str:
        """The kind of what the type of a pointer points to; empty for other types."""

    @abstractmethod
    def unnamed(self, node: c_ast.CompoundLiteral) -> Symbol:
        """`(type){ … }`"""

    @abstractmethod
    def is_static(self, symbol: Symbol) -> bool:
        """Whether a variable exists once, as long as the program runs."""

    @abstractmethod
    def escape(self, symbol: Symbol, node: c_ast.Node) -> None:
        """The address of a local is used as a value."""

    @abstractmethod
    def function_named(self, name: str) -> Function | None:
        """A function of the program."""

    @abstractmethod
    def nothing(self, kind: str, node: c_ast.Node) -> Symbol:
        """Stands for what a pointer points to that points nowhere."""
