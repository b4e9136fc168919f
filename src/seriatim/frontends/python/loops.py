"""Loops: those that go on until something happens, and those over known things."""

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.results import Results
from seriatim.frontends.python.state import Keyed
from seriatim.frontends.python.surroundings import Loop
from seriatim.frontends.python.values import Composite, Reference, Scalar, Value, is_refused
from seriatim.source import Span

Found = TypeVar("Found")

MAX_UNROLLED = 64
"""Rounds of a loop over known things."""

ENDLESS = "this loop never ends: nothing leaves it, so the request gets no answer that could be compared"
ENDLESS_HINT = (
    "say which call ends it, as in # ser: opaque -> 0..1 raises WebSocketDisconnect; or make a round of it a"
    " coroutine of its own that is marked # ser: handler, and mark this one # ser: internal"
)


def _take_as_is(value: Value) -> Value:
    return value


class Loops(Results):
    """Executes loops."""

    def loop(self, node: ast.While) -> None:
        if node.orelse:
            raise Refused("SER923", "`while … else` is not translated", node, "use a flag")
        around = Loop(self.target(), self.target())
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def body() -> None:
            self.execute_body(node.body)
            self.land(around.again)

        self.surroundings.append(around)
        refused = len(self.refusals)
        is_left = self.repeat(lambda: self.condition(node.test), body, self.places(node.test))
        self.surroundings.pop()
        if is_endless:
            self.is_dead = True
            if not is_left and len(self.refusals) == refused:
                raise Refused("SER923", ENDLESS, node, ENDLESS_HINT)
        self.land(around.after)

    def unroll(self, node: ast.For) -> None:
        """A loop over known things, round by round."""
        if node.orelse:
            raise Refused("SER923", "`for … else` is not translated", node, "use a flag")
        rounds = self.rounds(node.iter)
        if len(rounds) > MAX_UNROLLED:
            raise Refused(
                "SER923", f"{quote_code(node.iter)} has more than {MAX_UNROLLED} rounds", node, "use fewer"
            )
        around = Loop(self.target(), self.target())
        self.surroundings.append(around)
        for value in rounds:
            if self.is_dead:
                break
            around_again = self.target()
            self.surroundings[-1] = around = Loop(around.after, around_again)
            self.next_round(node, value())
            self.execute_body(node.body)
            self.land(around_again)
        self.surroundings.pop()
        self.land(around.after)

    def next_round(self, node: ast.For, value: Value) -> None:
        """Gives the variable of a loop its value; a constant needs no variable."""
        target = node.target
        is_constant = isinstance(value, Scalar) and value.known is not None
        if is_constant and isinstance(target, ast.Name) and self.is_of_loop_alone(target.id, node):
            self.names.bound[target.id] = value
            return
        self.assign(target, value, node.iter)

    def is_of_loop_alone(self, name: str, loop: ast.For) -> bool:
        """Whether a variable gets its values from a loop, and is read nowhere else."""
        inside = {id(part) for part in ast.walk(loop)}
        return self.names.stored.count(name) == 1 and not any(
            isinstance(part, ast.Name) and part.id == name and id(part) not in inside
            for part in ast.walk(self.names.function)
        )

    def rounds(self, node: ast.expr) -> list[Callable[[], Value]]:
        """The values of the variable of a loop."""
        span = self.places(node)
        match node:
            case ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]):
                numbers = [self.scalar(each).known for each in arguments]
                if all(number is not None for number in numbers):
                    found = range(*(number for number in numbers if number is not None))
                    return [partial(self.number, each, span) for each in found]
            case ast.Call(func=ast.Name(id="enumerate"), args=[counted], keywords=[]):
                inner = self.rounds(counted)
                return [partial(self.make_pair, number, each, span) for number, each in enumerate(inner)]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                values = self.operands(elements)
                return [partial(_take_as_is, each) for each in values]
            case ast.Name() | ast.Attribute():
                value = self.evaluate(node)
                if isinstance(value, Composite) and value.is_sequence:
                    return [partial(_take_as_is, each) for each in value.parts]
                if isinstance(value, Reference) and isinstance(value.item, Keyed):
                    return list(self.entries(value.item, span, node))
        hint = "loop over range(…) with constants, a tuple that is written out, or a list of the state"
        follows = any(map(self.is_unknown_part, ast.walk(node)))
        raise Refused("SER923", f"it is not known how often {quote_code(node)} repeats", node, hint, follows)

    def is_unknown_part(self, node: ast.AST) -> bool:
        """Whether something is not known because it was refused already."""
        try:
            return isinstance(node, ast.Name | ast.Attribute) and is_refused(self.evaluate(node))
        except Refused:
            return False

    def make_pair(self, number: int, value: Callable[[], Value], span: Span) -> Value:
        """A pair of `enumerate`."""
        found = value()
        if not isinstance(found, Scalar | Composite):
            hint = "loop over the numbers: for i in range(3)"
            raise Refused("SER923", "`enumerate` over parts of the state that are no values", span.line, hint)
        return Composite(("(", ", ", ")"), (self.number(number, span), found), is_sequence=True)

    def entries(self, keyed: Keyed, span: Span, node: ast.AST) -> Iterator[Callable[[], Value]]:
        for key in keyed.keys:
            if keyed.kind == "list":
                cell = self.cell_of(keyed, key, node)
                yield partial(self.read_cell, cell, span)
            else:
                hint = "loop over the keys that are written out: for key in ('a', 'b')"
                raise Refused("SER923", f"the order of {keyed.name} depends on the run", node, hint)

    def leave_loop(self, node: ast.Break | ast.Continue) -> None:
        around = next(each for each in reversed(self.surroundings) if isinstance(each, Loop))
        self.leave(around)
        self.jump(around.after if isinstance(node, ast.Break) else around.again, self.places(node))

    def each_round(
        self, node: ast.ListComp | ast.GeneratorExp, evaluate: Callable[[ast.expr], Found]
    ) -> list[Found]:
        """What comes of the element of a comprehension over known things, round by round."""
        target = node.generators[0].target
        if len(node.generators) != 1 or node.generators[0].ifs or not isinstance(target, ast.Name):
            hint = "write one `for`, with one variable and without `if`"
            raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)
        found: list[Found] = []
        for value in self.rounds(node.generators[0].iter):
            self.names.bound[target.id] = self.keep_value(value(), self.places(node))
            found.append(evaluate(node.elt))
        self.names.bound.pop(target.id, None)
        return found
