"""Code of the core as it is put together: statements, temporaries, jumps, pauses.

*Jumps.* The core has no jumps but `return`. Leaving a block early sets the local `#jump` to the number of a
label; while it may be set, each further statement is executed only if it is 0; where the label stands, it is
reset. Locks are released, and `finally` blocks repeated, on the way.
"""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from seriatim.frontends.python.core_code import (
    choose_value,
    equal_to,
    every,
    is_equal,
    join_code,
    some,
    within,
)
from seriatim.frontends.python.domains import BOOLEANS, FIRST_CODE, NONE, Atom, Atoms, Domain, atomic
from seriatim.frontends.python.inference import Inference
from seriatim.frontends.python.module import Function, Module
from seriatim.frontends.python.places import Refused
from seriatim.frontends.python.state import Cell
from seriatim.frontends.python.surroundings import Finalizer, Gate, Surrounding, Target
from seriatim.frontends.python.values import Scalar
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Binary,
    Expression,
    Fault,
    If,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Unary,
    While,
    Yield,
    walk,
)
from seriatim.source import Span

JUMP = "#jump"


class Builder:
    """Puts the code of one handler together."""

    def __init__(self, module: Module, atoms: Atoms, inference: Inference, owner: str) -> None:
        self.module = module
        self.atoms = atoms
        self.inference = inference
        self.owner = owner
        """What distinguishes the domains of this handler's locals from those of others."""
        self.out: list[Expression] = []
        self.surroundings: list[Surrounding] = []
        self.pending: set[int] = set()
        """The targets of jumps that may be under way."""
        self.is_dead = False
        """Whether what follows is never executed."""
        self.is_fresh = True
        """Whether the state was not looked at since the request began or paused."""
        self.assigned: set[str] = set()
        """The locals that surely have a value."""
        self.executed: set[int] = set()
        """The functions that are executed, by identity."""
        self.refusals: list[Refused] = []
        self.pauses: dict[Span, str] = {}
        self.gates: dict[tuple[int, int], Gate] = {}
        """Calls that stand for something outside, by line and column as Python counts them."""
        self.records: dict[tuple[int, int], str] = {}
        """Calls that make objects which are told by their arguments, by line and column."""
        self.suspended: tuple[Function, ...] = ()
        """The generators that wait at a `yield`, while what they gave is used."""
        self.raises = 0
        """How often an exception was raised, wherever it went."""
        self.temporaries = 0
        self.targets = 0
        self.task = 0
        """The task whose code is put together; 0 executes the handler itself."""
        self.ancestors: tuple[Function, ...] = ()
        """The functions that are executed where the task is started."""

    # Statements

    def emit(self, statement: Expression) -> None:
        if self.is_dead:
            return
        if self.pending:
            statement = If(is_equal(Read(JUMP), 0), statement)
        self.out.append(statement)

    @contextmanager
    def block(self) -> Iterator[list[Expression]]:
        """Collects statements apart."""
        outer, self.out = self.out, []
        pending, self.pending = self.pending, set()
        try:
            yield self.out
        finally:
            self.out = outer
            self.pending = pending

    @contextmanager
    def probe(self) -> Iterator[None]:
        """Looks at what something means; the code of that is dropped, and nothing is known from it."""
        flow = (self.is_dead, self.is_fresh, set(self.assigned))
        try:
            with self.block():
                yield
        finally:
            self.is_dead, self.is_fresh, self.assigned = flow

    def branch(self, fill: Callable[[], None]) -> tuple[Expression, set[int], bool]:
        """The code of a branch, where it may jump to, and whether it never ends."""
        with self.block() as code:
            fill()
            jumps, is_dead = self.pending, self.is_dead
        self.is_dead = False
        return join_code(code), jumps, is_dead

    def choose(
        self, condition: Expression, then: Callable[[], None], otherwise: Callable[[], None], span: Span
    ) -> None:
        """`if condition: then else: otherwise`, with what is known afterwards."""
        if isinstance(condition, Number):
            (then if condition.value else otherwise)()
            return
        if self.is_dead:
            return
        before, fresh = set(self.assigned), self.is_fresh
        yes, yes_jumps, yes_dead = self.branch(then)
        after_yes, yes_fresh = self.assigned, self.is_fresh
        self.assigned, self.is_fresh = before, fresh
        no, no_jumps, no_dead = self.branch(otherwise)
        if no_dead and not yes_dead:
            self.assigned, self.is_fresh = after_yes, yes_fresh
        elif yes_dead == no_dead:
            self.assigned = self.assigned & after_yes
            self.is_fresh = self.is_fresh and yes_fresh
        self.emit(If(condition, yes, None if isinstance(no, Number) else no, span))
        self.is_dead = yes_dead and no_dead
        self.pending = self.pending | yes_jumps | no_jumps

    @property
    def of_task(self) -> str:
        """What distinguishes names of one task from those of others."""
        return f"~{self.task}" if self.task else ""

    def temporary(self, prefix: str = "") -> str:
        self.temporaries += 1
        return f"#{prefix}{self.temporaries}"

    def keep(self, value: Scalar, span: Span) -> Scalar:
        """The value in a local of its own, from now on."""
        if isinstance(value.code, Number):
            return value
        name = self.temporary()
        self.emit(Assign(name, value.code, span))
        return Scalar(Read(name, span), value.domain)

    def repeat(self, test: Callable[[], Expression], body: Callable[[], None], span: Span) -> bool:
        """`while test: body`; what the test does is done in each round. Whether something in it leaves it."""
        before = set(self.assigned)
        with self.block() as head:
            condition = test()
            head_jumps = self.pending
        after_test = set(self.assigned)
        self.is_dead = False
        with self.block() as code:
            body()
            jumps = self.pending | head_jumps
        self.is_dead = False
        self.assigned = before & after_test
        self.is_fresh = False
        whole = join_code([*head, condition])
        if jumps:
            whole = If(is_equal(Read(JUMP), 0), whole, Number(0))
        loop = While(whole, join_code(code), span)
        self.emit(loop)
        self.pending = self.pending | jumps
        return bool(jumps) or any(isinstance(part, Return) for part in walk(loop))

    # Jumps

    def target(self) -> Target:
        self.targets += 1
        return Target(self.targets)

    def jump(self, target: Target, span: Span) -> None:
        """Goes to a label; nothing after it is executed."""
        self.emit(Assign(JUMP, Number(target.number, span), NOWHERE))
        target.is_used = True
        target.assigned = set(self.assigned) if target.assigned is None else target.assigned & self.assigned
        self.pending = self.pending | {target.number}
        self.is_dead = True

    def land(self, *targets: Target) -> None:
        """Here stand some labels: jumps to them go on here."""
        used = [target for target in targets if target.is_used]
        if not used:
            return
        for target in used:
            assert target.assigned is not None
            self.assigned = set(target.assigned) if self.is_dead else self.assigned & target.assigned
            self.is_dead = False
        self.is_fresh = False
        for target in used:
            arrived = is_equal(Read(JUMP), target.number)
            self.out.append(If(arrived, Assign(JUMP, Number(0))))
        self.pending = self.pending - {target.number for target in used}

    def leave(self, until: Surrounding | None) -> None:
        """Executes what stands on the way out, up to a surrounding construct or out of the handler."""
        inner = self.surroundings
        place = len(inner)
        while place > 0 and inner[place - 1] is not until:
            place -= 1
            here = inner[place]
            if isinstance(here, Finalizer):
                self.surroundings = inner[:place]
                here.run()
        self.surroundings = inner

    def answer(self, code: Expression, span: Span) -> None:
        """Ends the request."""
        self.emit(Return(code, span))
        self.is_dead = True

    # Pauses

    def pause(self, span: Span, what: str) -> None:
        self.emit(Yield(span))
        self.pauses[span] = what
        self.is_fresh = True

    # State

    def domain_of(self, cell: Cell) -> Domain:
        return cell.scope if cell.scope is not None else self.inference.read(f"cell {cell.family}")

    def read_cell(self, cell: Cell, span: Span) -> Scalar:
        self.is_fresh = False
        return Scalar(Read(cell.name, span), self.domain_of(cell))

    def write_cell(self, cell: Cell, value: Scalar, span: Span) -> None:
        """Assigns to a variable of the state; to leave its scope is a fault."""
        self.is_fresh = False
        if cell.scope is None:
            self.inference.assign(f"cell {cell.family}", value.domain)
        elif not within(value.domain, cell.scope):
            value = self.keep(value, span)
            inside = self.is_in(value.code, cell.scope, span)
            fault = Fault("SER804", f"{cell.name} gets a value outside {cell.scope}", span)
            self.emit(If(Unary(Prefix.NOT, inside, span), fault, None, span))
        self.emit(Assign(cell.name, value.code, span))

    def is_in(self, code: Expression, domain: Domain, span: Span) -> Expression:
        """Whether a value is in a domain."""
        tests: list[Expression] = []
        if domain.only is not None:
            tests += [equal_to(code, number, span) for number in domain.numbers()]
        elif domain.has_numbers:
            bounds: list[Expression] = []
            if domain.low is not None:
                bounds.append(Binary(Operator.GREATER_EQUAL, code, Number(domain.low, span), span))
            if domain.high is not None:
                bounds.append(Binary(Operator.LESS_EQUAL, code, Number(domain.high, span), span))
            tests.append(every(bounds, span))
        tests += [equal_to(code, self.atoms.code(atom), span) for atom in domain.in_order()]
        return some(tests, span)

    # Values

    def number(self, value: int, span: Span) -> Scalar:
        return Scalar(Number(value, span), Domain(True, value, value))

    def boolean(self, code: Expression) -> Scalar:
        if isinstance(code, Number):
            return Scalar(code, Domain(True, code.value, code.value, is_boolean=True))
        return Scalar(code, BOOLEANS)

    def atom(self, atom: Atom, span: Span) -> Scalar:
        return Scalar(Number(self.atoms.code(atom), span), atomic(atom))

    def none(self, span: Span) -> Scalar:
        return self.atom(NONE, span)

    def any_of(self, domain: Domain, span: Span) -> Scalar:
        """Any value of a domain, chosen each time."""
        values = domain.values(self.atoms)
        return Scalar(choose_value(values, span), domain)

    def truth(self, value: Scalar, span: Span) -> Expression:
        """Whether it counts as true."""
        domain = value.domain
        if value.known is not None:
            falsy = {self.atoms.code(atom) for atom in domain.in_order() if not atom.truthy}
            return Number(int(value.known != 0 and value.known not in falsy), span)
        if domain.is_boolean and not domain.atoms:
            return value.code
        tests: list[Expression] = []
        if domain.has_numbers:
            tests.append(Binary(Operator.UNEQUAL, value.code, Number(0, span), span))
        tests += [
            Binary(Operator.UNEQUAL, value.code, Number(self.atoms.code(atom), span), span)
            for atom in domain.in_order()
            if not atom.truthy
        ]
        return every(tests, span)

    def is_number(self, code: Expression, span: Span) -> Expression:
        return Binary(Operator.LESS, code, Number(FIRST_CODE, span), span)

    def places(self, node: ast.AST) -> Span:
        return self.module.places.span(node)
