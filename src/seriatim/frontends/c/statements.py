"""Threads of C to steps: declarations, inlined calls, and what a thread returns."""

from collections import ChainMap
from collections.abc import Callable
from copy import copy as shallow
from typing import TYPE_CHECKING, TypeVar

from pycparser import c_ast

from seriatim.frontends.c.atomic_tests import test
from seriatim.frontends.c.calls import GIVEN, special_call
from seriatim.frontends.c.control import Control
from seriatim.frontends.c.effects import is_plain
from seriatim.frontends.c.elements import address_of, look_at_moves, look_at_overlap
from seriatim.frontends.c.endings import Handler, begin, finish
from seriatim.frontends.c.extensions import AUTO
from seriatim.frontends.c.functions import each_function, functions_at, name_called
from seriatim.frontends.c.graph import Graph
from seriatim.frontends.c.initial import initial_values
from seriatim.frontends.c.inlining import SECTION, Frame, inline
from seriatim.frontends.c.locks import count_of
from seriatim.frontends.c.loops import asks_for_memory, counted, gotos, trips
from seriatim.frontends.c.lvalues import NO_ADDRESS
from seriatim.frontends.c.memory import bytes_of, is_lvalue
from seriatim.frontends.c.operators import ZERO, Operand, convert
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.structures import copy, local_like
from seriatim.frontends.c.symbols import (
    Array,
    Function,
    Scalar,
    Structure,
    Symbol,
    holds_opaque,
    kind_of,
    name_of,
    opaques,
    scalars,
)
from seriatim.frontends.c.types import INT, LONG, CType
from seriatim.frontends.c.unknown_calls import unknown_call
from seriatim.frontends.c.variable_arrays import variable_array
from seriatim.program.threads.syntax import FINISHED, Assign, Havoc, Type
from seriatim.source import Span
from seriatim.terms.expressions import TRUE, Constant, Expression, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.translation import Unit

FENCE = "$fence"
"""A global to which a fence writes; nobody reads it."""
RESULT = "$return"
"""What a thread gives to those who join it."""

Found = TypeVar("Found")


class Statements(Control):
    """One thread: the function that it runs, with all that it calls."""

    def __init__(self, unit: "Unit", function: str) -> None:
        super().__init__(unit.source, unit.names, unit.addresses)
        self.unit = unit
        self.arrays = unit.arrays
        self.guards = ChainMap({}, unit.addresses.guards)
        self.lengths = unit.lengths
        self.function = function
        self.frames: list[Frame] = []
        self.repeated = 0
        """How many calls led to a function that was being translated."""
        self.parameters: list[str] = []
        """What the thread gets, among its locals."""
        self.handlers: list[Handler] = []
        """What was pushed for the end of the thread."""
        self.specific: dict[str, str] = {}
        """For keys, what the thread keeps under them."""
        self.counts: dict[str, str] = {}
        """For mutexes whose type matters, how often the thread holds them."""
        self.declared: dict[str, str] = {}
        """Locals of a thread that runs once, and where they are declared."""

    def thread(self) -> None:
        """The whole thread, up to its end."""
        definition = self.unit.functions[self.function]
        self.scopes.blocks[0] = dict(self.unit.names)  # Every thread has its own thread-locals.
        self.unit.reader.scopes = self.scopes  # Enumerators may belong to a block.
        for name, node in self.unit.thread_locals.items():
            symbol = self.unit.symbol_of(node, name, self.note_local)
            self.scopes.declare(name, symbol)
            for scalar, value in initial_values(symbol, node.init, self.span(node)):
                self.begin(scalar, value, True, node)
        self.scopes.enter()
        if self.function == "main":
            self.declare_arguments(definition)
        for parameter, kind in self.unit.parameters(definition).items():
            name = self.fresh(parameter)
            self.parameters.append(name)
            self.scopes.declare(parameter, Scalar(name, LONG, shared=False, points_to=kind))
            self.unit.note_shown(name, bool(kind) and kind != "void")
        if self.unit.wants_results and self.function != "main":
            self.fresh(RESULT)
        begin(self, definition)
        for mutex in sorted(self.addresses.typed):
            self.graph.locally(Assign((count_of(self, mutex),), (ZERO,), self.span(definition)))
        self.frames.append(Frame(self.function, FINISHED, None))
        self.labels.append({})
        if self.function.startswith(SECTION):
            self.graph.mark(1, self.span(definition))  # It ends when the thread does.
        self.statement_of(definition.body)
        self.leave(definition)
        self.scopes.leave()

    def declare_arguments(self, definition: c_ast.FuncDef) -> None:
        """The number of arguments of main is any; the arguments themselves are not known."""
        for each in self.unit.declarations(definition)[:1]:
            name = self.fresh(each.name)
            self.scopes.declare(each.name, Scalar(name, INT, shared=False))
            count = self.any_value(INT, each, low=0)
            self.graph.locally(Assign((name,), (count.expression,), self.span(each)))

    def leave(self, node: c_ast.Node) -> None:
        """The thread returns; when main does, the program ends, and nobody joins it."""
        if self.graph.here is None:
            return
        span = self.span(node)
        if self.function == "main":
            self.graph.stop(span, "main ends")
        else:
            finish(self, node, has_left=False)
            self.graph.go(FINISHED, span, f"{self.function} returns")

    def give(self, node: c_ast.Node | None, where: c_ast.Node) -> None:
        """What a thread returns, for those who join it."""
        if node is None or (self.function == "main" or not self.unit.wants_results):
            if node is not None:
                self.discard(node)
            return
        value = convert(self.value(node), LONG)
        self.graph.locally(Assign((RESULT,), (value,), self.span(where)))

    def leave_thread(self, node: c_ast.FuncCall) -> None:
        """`pthread_exit`, from whatever function."""
        self.give(node.args.exprs[0] if node.args is not None else None, node)
        finish(self, node, has_left=True)
        if self.graph.here is not None:
            self.graph.go(FINISHED, self.span(node), self.told())

    def argument(self, node: c_ast.Node) -> Expression:
        """What a thread gets: a pointer, or an integer in one."""
        return convert(self.value(node), LONG)

    def pass_over(self, node: c_ast.Node | None) -> None:
        """A handler is pushed and popped by the text, also where a `pthread_exit` stands between."""
        if isinstance(node, c_ast.FuncCall):
            name = name_called(self, node.name)
            if name == "pthread_cleanup_push":
                self.handlers.append(Handler([], Operand(ZERO, INT)))  # Popped before control comes back.
            elif name == "pthread_cleanup_pop" and self.handlers:
                self.handlers.pop()

    def is_one_step(self, node: c_ast.Node) -> bool:
        return self.unit.statements_are_steps and not self.unit.is_sectioning(node)

    def return_from(self, node: c_ast.Return) -> None:
        self.note(node)
        frame = self.frames[-1]
        if frame.exit == FINISHED:
            self.give(node.expr, node)
        elif node.expr is not None and frame.result is None:
            self.discard(node.expr)
        elif node.expr is not None:
            value = self.value(node.expr)
            if isinstance(frame.result, Structure):
                copy(self, [(TRUE, frame.result)], value, node)
            elif frame.result is not None:
                self.look_at_kinds(value, frame.result, node)
                self.store(frame.result, convert(value, frame.result.type), node)
        if frame.exit == FINISHED:
            self.leave(node)
        else:
            self.graph.go(frame.exit, self.span(node))

    # Declarations

    def declare(self, node: c_ast.Decl) -> None:
        if isinstance(node.type, c_ast.FuncDecl):
            return
        self.declare_types(node.type)
        if node.name is None:
            return
        if "_Thread_local" in node.storage:
            refuse("a local that each thread keeps", self.span(node), "declare it outside functions")
        if "static" in node.storage:
            self.scopes.declare(node.name, self.unit.static(self.frames[-1].function, node))
            return
        if "extern" in node.storage:
            self.declare_extern(node)
            return
        if getattr(getattr(node.type, "type", None), "names", None) == [AUTO]:
            node = shallow(node)
            node.type = self.type_like(node.init, is_value=True)
        symbol = variable_array(self, node) or self.variable_of(node)
        self.scopes.declare(node.name, symbol)
        is_shared = holds_opaque(symbol) and not self.unit.only_starts(node)
        if is_shared and not (self.function == "main" or self.unit.starts_once(self.function)):
            what = "a lock or an id of a thread that is a local of a thread"
            refuse(what, self.span(node), "make it global")
        if isinstance(symbol, Structure) and not isinstance(node.init, c_ast.InitList | None):
            self.assignment("=", c_ast.ID(node.name, node.coord), node.init, node)
            return
        for scalar, value in initial_values(symbol, node.init, self.span(node)):
            self.unit.look_for_type(scalar)
            self.begin(scalar, value, node.init is not None, node)
        if node.init is not None and self.is_in_loop():
            for each in opaques(symbol):  # A new one in each round, and free.
                self.graph.shared(
                    (Assign((each.name,), (ZERO,), self.span(node)),), self.span(node), self.told()
                )

    def declare_extern(self, node: c_ast.Decl) -> None:
        """The global, although a local may have its name."""
        known = self.scopes.blocks[0].get(node.name)
        if known is None:
            refuse(f"`{node.name}`, which is not defined,", self.span(node), "define it in this file")
        self.scopes.declare(node.name, known)

    def declare_types(self, type_: c_ast.Node) -> None:
        """Types that a block declares hold in the whole file, so they must not differ."""
        unit = self.unit
        structures, enumerations = dict(unit.structures), dict(unit.enumerations)
        unit.note_type(type_)
        for name, structure in structures.items():
            if unit.structures[name] is not structure:
                refuse(f"another structure `{name}`", self.span(type_), "give it a name of its own")
        for name, integer in enumerations.items():
            if unit.enumerations[name] != integer:
                refuse(f"another enumeration `{name}`", self.span(type_), "give it a name of its own")

    def name_type(self, node: c_ast.Typedef) -> None:
        known = self.unit.typedefs.setdefault(node.name, node.type)
        if known is not node.type:
            refuse(f"another type `{node.name}`", self.span(node), "give it a name of its own")
        self.declare_types(node.type)

    def begin(self, scalar: Scalar, value: c_ast.Node | None, is_listed: bool, node: c_ast.Node) -> None:
        """The first value of a local: what the text says, or any."""
        if value is not None:
            found = self.value(value)
            self.look_at_kinds(found, scalar, node)
        elif is_listed or scalar.points_to:
            # What a list leaves out is 0. A pointer without a value must not be followed, like NULL.
            found = Operand(ZERO, scalar.type)
        elif scalar.type.signed and scalar.type.bits >= INT.bits:
            # To read it before it is written is undefined in C, so it may be any integer. It is chosen then.
            self.forget_value(scalar, self.span(node))
            return
        else:
            found = self.any_value(scalar.type, node)
        self.store(scalar, convert(found, scalar.type), node)

    def fence(self, node: c_ast.Node) -> None:
        """What was written before is in memory. That is always so, unless stores wait in buffers."""
        if self.unit.has_buffers:
            self.unit.note_number(FENCE)
            self.graph.shared((Assign((FENCE,), (ZERO,), self.span(node)),), self.span(node), self.told())

    def forget_value(self, scalar: Scalar, span: Span) -> None:
        action = Havoc(scalar.name, span)
        if scalar.shared:
            self.graph.shared((action,), span, self.told())
        else:
            self.graph.locally(action)

    def variable_of(self, node: c_ast.Decl) -> Symbol:
        """A new local; where a thread runs once, one whose address is used as a value is a global."""
        if self.runs_once():
            where = " ".join([*(frame.where for frame in self.frames), str(node.coord)])
            if where in self.addresses.escaping:
                return self.unit.symbol_of(node, self.unit.unique(node.name), self.unit.note_global)
            name = self.fresh(node.name)
            self.declared[name] = where
        else:
            name = self.fresh(node.name)
        del self.types[name]
        return self.unit.symbol_of(node, name, self.note_local)

    def fresh_group(self, hint: str) -> str:
        """A name for a local of several parts, none of which has it."""
        name = self.fresh(hint)
        del self.types[name]
        return name

    def temporary(self, symbol: Symbol) -> Symbol:
        return local_like(symbol, self.fresh_group("$copy"), self.note_local)

    def unnamed(self, node: c_ast.CompoundLiteral) -> Symbol:
        """`(type){ … }` is a local without a name."""
        type_ = node.type.type
        symbol = self.variable_of(
            c_ast.Decl("$literal", [], [], [], [], type_, node.init, None, coord=node.coord)
        )
        for scalar, value in initial_values(symbol, node.init, self.span(node)):
            self.begin(scalar, value, True, node)
        return symbol

    def note_local(self, name: str, type_: Type) -> bool:
        """Notes a variable; whether others can see it."""
        self.types[name] = type_
        return False

    # Addresses

    def address_at(self, operand: c_ast.Node, node: c_ast.Node) -> Operand:
        return address_of(self, operand, node)

    def look_at_overlap(self, node: c_ast.Node) -> None:
        look_at_overlap(self, node)

    def look_at_moves(self, node: c_ast.Node) -> None:
        look_at_moves(self, node)

    def is_static(self, symbol: Symbol) -> bool:
        if isinstance(symbol, Structure) and not any(True for _ in scalars(symbol)):
            return root_of(symbol) not in self.declared  # Of locks alone, which are shared.
        return all(each.shared for each in scalars(symbol))

    def escape(self, symbol: Symbol, node: c_ast.Node) -> None:
        root = root_of(symbol)
        if root not in self.declared and self.runs_once():
            refuse("the address of this", self.span(node), "use that of a global, or of a variable of main")
        if root not in self.declared:
            what = "the address of a local of a thread that may be started more than once"
            refuse(what, self.span(node), NO_ADDRESS)
        self.addresses.escaping.add(self.declared[root])

    def nothing(self, kind: str, node: c_ast.Node) -> Symbol:
        return self.unit.nothing(kind, self.span(node))

    def pointer_to(self, node: c_ast.Node) -> str:
        return self.unit.pointer_to(node)

    def runs_once(self) -> bool:
        """Whether at most one thread runs this code."""
        return self.function == "main" or self.unit.starts_once(self.function)

    def is_in_loop(self) -> bool:
        """Whether a thread may come here more than once; what is called is a copy for each call."""
        passed = zip(self.frames, self.labels, strict=True)
        return self.loops > 0 or any(
            not gotos(self.unit.functions[frame.function].body).isdisjoint(labels) for frame, labels in passed
        )

    def trips(self, node: c_ast.Node) -> int | None:
        """Loops stay loops, except those in which each round asks for memory."""
        if self.is_in_loop() or not asks_for_memory(node, self.unit.functions, frozenset()):
            return None
        return trips(node, self.known_number, self.is_plain_local)

    def counted(self, node: c_ast.Node) -> dict[str, tuple[int, int]]:
        """Only of variables that hold all these numbers."""
        found = counted(node, self.known_number, self.is_plain_local)
        symbol = None if found is None else self.scopes.find(found[0])
        if found is None or not isinstance(symbol, Scalar) or found[2] > symbol.type.high or symbol.shared:
            return {}
        return {symbol.name: found[1:]}

    def known_number(self, node: c_ast.Node) -> int | None:
        found = fold(self.unevaluated(node).expression) if is_plain(node) else None
        return int(found.value) if isinstance(found, Constant) else None

    def is_plain_local(self, name: str) -> bool:
        symbol = self.scopes.find(name)
        return isinstance(symbol, Scalar) and not symbol.shared and not symbol.type.is_bool

    # Sizes and strings

    def size(self, node: c_ast.Node, where: c_ast.Node, is_alignment: bool) -> int:
        return bytes_of(self, node, where, is_alignment)

    def type_like(self, node: c_ast.Node, is_value: bool = False) -> c_ast.Node:
        """The type of an expression; of its value, where arrays are pointers and nothing is atomic."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return c_ast.PtrDecl([], self.type_like(node.expr))
        symbol = None
        if is_lvalue(node) and not self.is_alias(node):
            symbol = self.without_effect(lambda: self.cases(node))[0][1]
        if isinstance(symbol, Array) and not is_value:
            refuse("the type of an array", self.span(node), "name the type")
        if symbol is not None and not is_value:
            kind = kind_of(symbol)
        else:
            value = self.unevaluated(node)
            structure = kind_of(value.cases[0][1]) if value.cases else ""
            kind = structure or (f"*{value.points_to}" if value.points_to else value.type.kind)
        found = self.unit.type_named(kind)
        if found is None:
            refuse("the type of this", self.span(node), "name the type")
        return found

    def literal(self, text: str, values: list[int]) -> Array:
        return self.unit.literal(text, values)

    def unevaluated(self, node: c_ast.Node) -> Operand:
        """The type of an expression that is not evaluated; its value means nothing."""
        return self.without_effect(lambda: self.value(node))

    def without_effect(self, work: Callable[[], Found]) -> Found:
        """What some work finds out, without the steps that it would take."""
        graph, types = self.graph, dict(self.types)
        self.graph = Graph()
        found = work()
        self.graph, self.types = graph, types
        return found

    # Calls

    def is_own(self, name: str) -> bool:
        """Whether the program defines a function that is called with its meaning."""
        return name in self.unit.functions and (name not in GIVEN or name == "assert")

    def function_named(self, name: str) -> Function | None:
        definition = self.unit.definitions.get(name)
        if definition is None or (name in GIVEN and name != "assert") or name == "main":
            return None
        return Function(name, self.unit.kind(definition.decl.type))

    def call(self, node: c_ast.FuncCall) -> Operand:
        arguments = list(node.args.exprs) if node.args is not None else []
        name = name_called(self, node.name)
        if name is None:
            functions = functions_at(self, node.name)
            return each_function(self, functions, lambda each: inline(self, each, arguments, node), node)
        if self.is_own(name):
            return inline(self, name, arguments, node)
        found = special_call(self, name, arguments, node) or unknown_call(self, name, arguments, node)
        if found is None:
            remedy = "write its body in this file, or call __VERIFIER_nondet_int() for any value"
            return refuse(f"a call of `{name}`, which has no body,", self.span(node), remedy)
        return found

    def atomic_test(self, node: c_ast.FuncCall, yes: int, no: int) -> bool:
        name = name_called(self, node.name)
        if name is None or self.is_own(name):
            return False
        return test(self, name, list(node.args.exprs) if node.args is not None else [], node, yes, no)

    def cast_type(self, node: c_ast.Node) -> CType | None:
        return self.unit.cast_type(node)


def root_of(symbol: Symbol) -> str:
    """The name of the variable of which something is a part."""
    return name_of(symbol).partition("[")[0].partition(".")[0]
