"""Calls of C functions: a copy of the body for each call.

Recursion is translated if its depth is known: a parameter that nobody changes, and whose argument is a
constant, is a constant in the copy, so tests on it are decided, and what they exclude is not copied. Copies
end where no call is left. That is exact; recursion whose depth depends on anything else is refused.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.elements import is_inside
from seriatim.frontends.c.loops import changes, measures, renews
from seriatim.frontends.c.operators import ZERO, Operand, convert
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.structures import copy, structure_value
from seriatim.frontends.c.symbols import Array, Enumerator, Scalar, Structure, Symbol, kind_of
from seriatim.frontends.c.types import INT, POINTER
from seriatim.terms.expressions import TRUE, Constant, Variable, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

SECTION = "__VERIFIER_atomic_"
"""How the names of functions begin that are one step."""
MAX_DEPTH = 60
"""Of calls within calls."""
MAX_REPEATED = 200
"""Copies of functions within copies of themselves, in one thread."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A function that is being translated: where `return` leads, and where its value goes."""

    function: str
    exit: int
    result: Scalar | Structure | None
    where: str = ""
    """The call."""


def inline(thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    definition = thread.unit.functions[name]
    parameters = thread.unit.declarations(definition)
    more: list[c_ast.Node] = []
    if takes_any(definition):
        arguments, more = arguments[: len(parameters)], arguments[len(parameters) :]
    if len(parameters) != len(arguments):
        refuse(f"a call of `{name}` with {len(arguments)} arguments", span, "give one for each parameter")
    given = Arguments(thread, definition).given(parameters, arguments)
    for each in more:  # Those for `...`, of which nobody reads the values.
        thread.ignore(each)
    look_at_depth(thread, name, given, node)
    is_section = name.startswith(SECTION)
    if is_section:
        thread.graph.mark(1, span)
    result = result_of(thread, definition)
    frame = Frame(name, thread.graph.place(), result, str(node.coord))
    outer, thread.scopes.blocks = thread.scopes.blocks, [thread.scopes.blocks[0], given]
    thread.frames.append(frame)
    thread.labels.append({})
    kept = thread.statement
    thread.statement_of(definition.body)
    thread.graph.join_at(frame.exit, span)
    thread.statement = kept
    thread.labels.pop()
    thread.frames.pop()
    thread.scopes.blocks = outer
    if is_section:
        thread.graph.mark(-1, span)
    if result is None:
        return Operand(ZERO, INT)
    if isinstance(result, Structure):
        return structure_value([(TRUE, result)])
    return Operand(Variable(result.name), result.type, points_to=result.points_to)


def takes_any(definition: c_ast.FuncDef) -> bool:
    """Whether a function takes more arguments than it names (`...`)."""
    listed = definition.decl.type.args
    return listed is not None and any(isinstance(each, c_ast.EllipsisParam) for each in listed.params)


def look_at_depth(thread: "Statements", name: str, given: dict[str, Symbol], node: c_ast.FuncCall) -> None:
    """Raises `InputError` where recursion may not end."""
    is_repeated = any(frame.function == name for frame in thread.frames)
    is_counted = any(isinstance(each, Enumerator) for each in given.values())
    thread.repeated += is_repeated
    is_deep = len(thread.frames) > MAX_DEPTH or thread.repeated > MAX_REPEATED
    if is_deep or (is_repeated and not is_counted):
        remedy = "write a loop, or let a constant argument decide in an `if` where it ends"
        refuse(f"recursion of `{name}`", thread.span(node), remedy)


class Arguments:
    """What parameters stand for: new locals, what arguments point to, or constants."""

    def __init__(self, thread: "Statements", definition: c_ast.FuncDef) -> None:
        self.thread = thread
        self.body = definition.body
        self.is_recursive = thread.unit.is_recursive(definition.decl.name)

    def given(self, parameters: list[c_ast.Decl], arguments: list[c_ast.Node]) -> dict[str, Symbol]:
        thread = self.thread
        found: dict[str, Symbol] = {}
        for parameter, argument in zip(parameters, arguments, strict=True):
            array = self.array(parameter, argument)
            if array is not None:
                found[parameter.name] = array
                continue
            is_named = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
            is_fixed = isinstance(parameter.type, c_ast.PtrDecl) and not renews(self.body, parameter.name)
            is_one = thread.is_alias(argument) or (is_named and is_inside(thread, argument.expr))
            if is_fixed and is_one:
                cases = thread.pointed(argument)
                if len(cases) == 1:
                    self.look_at_kind(parameter, cases[0][1], argument)
                    found[f"*{parameter.name}"] = cases[0][1]
                    continue
                value = thread.address(cases, argument)
            else:
                value = thread.value(argument)
            found[parameter.name] = self.held(parameter, value, argument)
        return found

    def look_at_kind(self, parameter: c_ast.Decl, symbol: Symbol, argument: c_ast.Node) -> None:
        """Raises `InputError` where a parameter points to another type than its argument."""
        if {kind_of(symbol), self.thread.pointer_to(parameter.type)}.isdisjoint(("", "void")):
            value = Operand(ZERO, POINTER, points_to=kind_of(symbol))
            wanted = Scalar("", POINTER, False, self.thread.pointer_to(parameter.type))
            self.thread.look_at_kinds(value, wanted, argument)

    def array(self, parameter: c_ast.Decl, argument: c_ast.Node) -> Array | None:
        """A local array of a thread has no address: the parameter stands for it, if that is the same."""
        thread, type_ = self.thread, self.thread.unit.resolved(parameter.type)
        if not isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl) or thread.runs_once():
            return None
        if not isinstance(argument, c_ast.ID | c_ast.StructRef) or thread.is_alias(argument):
            return None
        cases = thread.without_effect(lambda: thread.cases(argument))
        symbol = cases[0][1]
        if len(cases) != 1 or not isinstance(symbol, Array) or thread.is_static(symbol):
            return None
        is_same = not renews(self.body, parameter.name) and not measures(self.body, parameter.name)
        return symbol if is_same and thread.unit.kind(type_.type) == kind_of(symbol) else None

    def held(self, parameter: c_ast.Decl, value: Operand, argument: c_ast.Node) -> Symbol:
        thread = self.thread
        if thread.unit.structure_of(parameter.type) is not None:
            symbol = thread.variable_of(parameter)
            copy(thread, [(TRUE, symbol)], value, argument)
            return symbol
        scalar = self.scalar(parameter)
        thread.look_at_kinds(value, scalar, argument)
        stored = convert(value, scalar.type)
        known = fold(thread.graph.constant(stored) or stored)
        is_constant = isinstance(known, Constant) and not scalar.points_to
        if self.is_recursive and is_constant and not changes(self.body, parameter.name):
            assert isinstance(known, Constant)
            return Enumerator(int(known.value), scalar.type)
        thread.store(scalar, stored, parameter)
        return scalar

    def scalar(self, parameter: c_ast.Decl) -> Scalar:
        """A new variable; its address may be used like that of a local."""
        unit = self.thread.unit
        if isinstance(unit.resolved(parameter.type), c_ast.ArrayDecl | c_ast.FuncDecl):
            return unit.parameter(parameter, self.thread.fresh(parameter.name))
        symbol = self.thread.variable_of(parameter)
        if not isinstance(symbol, Scalar):
            refuse("a parameter of this type", self.thread.span(parameter), "use integer types and pointers")
        return symbol


def result_of(thread: "Statements", definition: c_ast.FuncDef) -> Scalar | Structure | None:
    unit, returned = thread.unit, definition.decl.type.type
    if unit.structure_of(returned) is not None:
        name = thread.fresh_group("$result")
        found = unit.symbol_like(returned, name, thread.note_local, definition.decl)
        assert isinstance(found, Structure), "its type is one"
        return found
    pointed = unit.pointer_to(returned)
    type_ = POINTER if pointed else unit.result_type(definition)
    if type_ is None:
        return None
    return Scalar(thread.fresh("$result"), type_, shared=False, points_to=pointed)
