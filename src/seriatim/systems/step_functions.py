"""Atomic steps at speed: each stretch of a handler between two resting points as a generated Python function.

Claim: for a point p, values of its live locals and globals, `StepFunctions.outcomes` are the big steps ⇒ of
the reference interpreter (`seriatim.program.semantics`) from the configuration that p stands for, up to
dead locals. Why: blocks and terminators are executed in the order in which the interpreter evaluates; a
path can only be endless by passing a loop head infinitely often, and a loop head or choice seen before in
the same step can add no outcome that its first visit does not add.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from seriatim.budget import Deadline
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import MAX_BITS, response
from seriatim.program.syntax import (
    Binary,
    Connective,
    Expression,
    Fault,
    Handler,
    Logical,
    Number,
    Operator,
    Prefix,
    Program,
    Read,
    Unary,
    global_names,
    is_global,
    mentioned_globals,
)
from seriatim.systems.control_flow import (
    Choose,
    Fail,
    Finish,
    FlowBranch,
    Goto,
    Graph,
    Pause,
    live_at_start,
    remaining_code,
)
from seriatim.systems.flow_from_handler import control_flow
from seriatim.systems.growth import growth
from seriatim.systems.limits import Growth, LimitReached, Limits

Values = tuple[int, ...]

PAUSES, ANSWERS, FAILS, GOES_ON, CHOOSES = range(5)

Outcome = tuple[int, int, Values, Values, Values]
"""(PAUSES, point, globals, locals, ()), (ANSWERS, value, globals, (), ()), (FAILS, fault, globals, (), ()),
(GOES_ON, point, globals, locals, ()) or (CHOOSES, point, globals, locals if 0, locals if 1); the last two
happen inside an atomic step only."""

StepFunction = Callable[[Values, Values], Outcome]

CHECK_EVERY = 1024
"""States inside an atomic step between two looks at the clock."""

FEW_OTHERS = 8
"""Up to this many globals that a handler does not name are copied one by one."""

MAX_INDENTATION = 40
"""Deeper branches become points of their own: Python indents to 100 levels only."""


@dataclass(frozen=True, slots=True)
class StepPoint:
    """A place in a handler where a generated function begins."""

    handler: int
    block: int
    live: tuple[str, ...]
    is_loop_head: bool
    pause: Pause | None
    """The pause that ends here, if other requests may run at this point."""


class StepFunctions:
    """A compiled program."""

    def __init__(self, program: Program, limits: Limits, deadline: Deadline) -> None:
        self.program = program
        self.limits = limits
        self.deadline = deadline
        self.global_names = global_names(program)
        self.points: list[StepPoint] = []
        self.starts: list[int] = []
        self.faults: list[Fault] = []
        """The mistakes that steps can make, by number."""
        sources: list[str] = []
        with deep_recursion():
            for index, handler in enumerate(program.handlers):
                self.starts.append(len(self.points))
                generator = Generator(index, handler, self.global_names, len(self.points), self.faults)
                for source in generator.sources():
                    deadline.check()
                    sources.append(source)
                self.points.extend(generator.points)
        namespace: dict[str, StepFunction] = {}
        # The text is made of numbers and fixed words only: every name has become an index.
        exec(compile("\n".join(sources), "<handlers>", "exec"), {"multiply": multiply}, namespace)
        self.functions = [namespace[f"point{index}"] for index in range(len(self.points))]
        self.is_loop_head = [point.is_loop_head for point in self.points]

    def outcomes(self, point: int, locals_: Values, globals_: Values) -> list[Outcome]:
        """All ends of the atomic step from here, PAUSES, ANSWERS or FAILS; some may come twice."""
        first = self.functions[point](globals_, locals_)
        if first[0] <= FAILS:
            return [first]
        functions, is_loop_head = self.functions, self.is_loop_head
        ends: list[Outcome] = []
        pending = [first]
        seen: set[Outcome] = set()
        while pending:
            outcome = pending.pop()
            kind, target, globals_, locals_, alternative = outcome
            if kind == GOES_ON:
                if is_loop_head[target]:
                    if outcome in seen:
                        continue
                    seen.add(outcome)
                    self.check_number(seen)
                    self.check_values(seen, globals_, locals_)
                pending.append(functions[target](globals_, locals_))
            elif kind == CHOOSES:
                if outcome in seen:
                    continue
                seen.add(outcome)
                self.check_number(seen)
                pending.append(functions[target](globals_, alternative))
                pending.append(functions[target](globals_, locals_))
            else:
                ends.append(outcome)
        return ends

    def check_number(self, seen: set[Outcome]) -> None:
        """Stops loops and choices that keep making new states without ever handing over."""
        if len(seen) % CHECK_EVERY == 0:
            self.deadline.check()
        if len(seen) > self.limits.max_states:
            raise LimitReached("--max-states", self.limits.max_states, self.growth(seen))

    def check_values(self, seen: set[Outcome], globals_: Values, locals_: Values) -> None:
        """Stops a loop that keeps making larger values without ever handing over."""
        bound = self.limits.max_value
        if goes_beyond(globals_, bound) or goes_beyond(locals_, bound):
            raise LimitReached("--max-value", bound, self.growth(seen))

    def growth(self, seen: set[Outcome]) -> Growth | None:
        globals_ = ((self.global_names, values) for _, _, values, _, _ in seen)
        locals_ = ((self.points[at].live, values) for kind, at, _, values, _ in seen if kind == GOES_ON)
        return growth(self.program.handlers, chain(globals_, locals_))


def goes_beyond(values: Values, bound: int) -> bool:
    """Whether some value is larger than this, or smaller than its negation."""
    return bool(values) and (max(values) > bound or min(values) < -bound)


def multiply(left: int, right: int) -> int:
    if left.bit_length() + right.bit_length() > MAX_BITS:
        raise LimitReached("--max-value", 1 << MAX_BITS)
    return left * right


class Generator:
    """Writes the functions of one handler; points are numbered as they are found, from `first` on."""

    def __init__(
        self,
        index: int,
        handler: Handler,
        global_names: tuple[str, ...],
        first: int,
        faults: list[Fault],
    ) -> None:
        self.handler = index
        self.faults = faults
        self.graph = control_flow(handler)
        self.first = first
        self.live = live_at_start(self.graph)
        self.globals = {name: f"g{index}" for index, name in enumerate(global_names)}
        named = mentioned_globals(handler.body)
        self.named = [index for index, name in enumerate(global_names) if name in named]
        """The positions of the globals that the text of the handler names."""
        self.locals: dict[str, str] = {}
        self.points: list[StepPoint] = []
        self.point_of: dict[int, int] = {}
        self.paused_with: dict[Expression, int] = {handler.body: first}
        """The point for each remaining code: pauses with the same remaining code share one."""
        self.is_join = joins(self.graph)
        self.lines: list[str] = []

    def sources(self) -> Iterator[str]:
        self.point(0, None)
        done = 0
        while done < len(self.points):
            yield self.function(done)
            done += 1

    def point(self, block: int, pause: Pause | None) -> int:
        """The number of the point at the start of a block."""
        if block not in self.point_of:
            self.point_of[block] = len(self.points)
            self.points.append(
                StepPoint(self.handler, block, self.live[block], block in self.graph.loop_heads, pause)
            )
        return self.first + self.point_of[block]

    def paused_point(self, pause: Pause) -> int:
        """The point after a pause. Names of held operands are no part of the code, so these stay apart."""
        if pause.held:
            return self.point(pause.block, pause)
        code = remaining_code(pause)
        if code not in self.paused_with:
            self.paused_with[code] = self.point(pause.block, pause)
        return self.paused_with[code]

    def function(self, index: int) -> str:
        point = self.points[index]
        self.lines = [f"def point{self.first + index}(g, l):"]
        self.unpack_globals()
        if point.live:
            self.write(1, f"{self.pack_locals(point.live)} = l")
        self.block(point.block, 1, False)
        return "\n".join(self.lines)

    def unpack_globals(self) -> None:
        if self.names_most():
            self.write(1, f"{pack(self.globals.values())} = g")
        else:
            for index in self.named:
                self.write(1, f"g{index} = g[{index}]")

    def pack_globals(self) -> str:
        """The text of the globals after a write. Those that the handler does not name are copied in one
        piece: so the text of a program with many handlers and variables grows with what they name."""
        if self.names_most():
            return pack(self.globals.values())
        parts: list[str] = []
        end = 0
        for index in (*self.named, len(self.globals)):
            if end < index:
                parts.append(f"*g[{end}:{index}]")
            if index < len(self.globals):
                parts.append(f"g{index}")
            end = index + 1
        return pack(parts)

    def names_most(self) -> bool:
        return len(self.globals) <= FEW_OTHERS + 2 * len(self.named) and bool(self.globals)

    def write(self, indentation: int, text: str) -> None:
        self.lines.append(" " * indentation + text)

    def block(self, block: int, indentation: int, wrote_global: bool) -> None:
        """The code of a block and of what follows it, up to the next point on each path."""
        content = self.graph.blocks[block]
        for statement in content.statements:
            target = self.variable(statement.target)
            self.write(indentation, f"{target} = {self.value(statement.value)}")
            wrote_global = wrote_global or is_global(statement.target)
        globals_ = self.pack_globals() if wrote_global else "g"
        match content.end:
            case Goto(block=after):
                self.go_on(after, indentation, wrote_global)
            case FlowBranch(condition=condition, yes=yes, no=no):
                self.write(indentation, f"if {self.condition(condition)}:")
                self.go_on(yes, indentation + 1, wrote_global)
                self.go_on(no, indentation, wrote_global)
            case Choose(target=target, block=after):
                at = self.point(after, None)
                zero, one = (self.pack_locals(self.live[after], {target: value}) for value in "01")
                self.write(indentation, f"return {CHOOSES}, {at}, {globals_}, {zero}, {one}")
            case Pause(block=after) as pause:
                answer = response(remaining_code(pause))
                if answer is not None:
                    self.write(indentation, f"return {ANSWERS}, {answer}, {globals_}, (), ()")
                else:
                    at = self.paused_point(pause)
                    locals_ = self.pack_locals(self.points[at - self.first].live)
                    self.write(indentation, f"return {PAUSES}, {at}, {globals_}, {locals_}, ()")
            case Finish(value=value):
                self.write(indentation, f"return {ANSWERS}, {self.value(value)}, {globals_}, (), ()")
            case Fail(fault=fault):
                self.write(indentation, f"return {FAILS}, {len(self.faults)}, {globals_}, (), ()")
                self.faults.append(fault)

    def go_on(self, block: int, indentation: int, wrote_global: bool) -> None:
        if block in self.graph.loop_heads or block in self.is_join or indentation > MAX_INDENTATION:
            globals_ = self.pack_globals() if wrote_global else "g"
            at, locals_ = self.point(block, None), self.pack_locals(self.live[block])
            self.write(indentation, f"return {GOES_ON}, {at}, {globals_}, {locals_}, ()")
        else:
            self.block(block, indentation, wrote_global)

    # --- names and expressions as Python text ---------------------------------------------------------------

    def variable(self, name: str) -> str:
        if is_global(name):
            return self.globals[name]
        return self.locals.setdefault(name, f"l{len(self.locals)}")

    def pack_locals(self, names: tuple[str, ...], instead: dict[str, str] | None = None) -> str:
        known = instead or {}
        return pack([known.get(name) or self.variable(name) for name in names])

    def condition(self, expression: Expression) -> str:
        """Python text that is true when the expression is not 0."""
        match expression:
            case Unary(operator=Prefix.NOT, operand=operand):
                return f"(not {self.condition(operand)})"
            case Logical(connective=connective, left=left, right=right):
                word = "and" if connective is Connective.AND else "or"
                return f"({self.condition(left)} {word} {self.condition(right)})"
            case Binary(operator=operator, left=left, right=right) if operator not in ARITHMETIC:
                return f"({self.value(left)} {operator} {self.value(right)})"
            case _:
                return self.value(expression)

    def value(self, expression: Expression) -> str:
        """Python text for the value of an expression without effects."""
        match expression:
            case Number(value=value):
                return f"({value})"
            case Read(name=name):
                return self.variable(name)
            case Unary(operator=Prefix.MINUS, operand=operand):
                return f"(-{self.value(operand)})"
            case Binary(operator=Operator.MULTIPLY, left=left, right=right):
                return f"multiply({self.value(left)}, {self.value(right)})"
            case Binary(operator=operator, left=left, right=right) if operator in ARITHMETIC:
                return f"({self.value(left)} {operator} {self.value(right)})"
            case _:
                return f"(1 if {self.condition(expression)} else 0)"


ARITHMETIC = frozenset({Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.MODULO})


def pack(names: Iterable[str]) -> str:
    """The text of a tuple."""
    return "(" + "".join(f"{name}, " for name in names) + ")"


def joins(graph: Graph) -> frozenset[int]:
    """Blocks that are entered in more than one way."""
    reached = {0}
    twice: set[int] = set()
    pending = [0]
    while pending:
        for after in graph.blocks[pending.pop()].successors():
            if after in reached:
                twice.add(after)
            else:
                reached.add(after)
                pending.append(after)
    return frozenset(twice)
