"""Operands from left to right, as single values or as numbers; locals that keep them."""

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence

from seriatim.frontends.python.builder import Builder
from seriatim.frontends.python.core_code import without_atoms
from seriatim.frontends.python.domains import Domain, Unbounded, join_all
from seriatim.frontends.python.names import Names
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External, Instance
from seriatim.frontends.python.values import Composite, Named, Reference, Scalar, Started, Value
from seriatim.program.syntax import (
    Assign,
    Expression,
    Number,
    Prefix,
    Read,
    Unary,
)
from seriatim.source import Span

UNBOUNDED_HINT = "bound the integers: Annotated[int, Range(0, 3)], or # ser: 0..3 where the variable is set"


UNKNOWN_HINT = (
    "get it by a call, in a line that says what it can be: value = current()  # ser: opaque -> 0..1;"
    " or make it a parameter with known values"
)


def unknown_start(name: str, start: ast.expr | None) -> tuple[str, str]:
    """Why it is not known what a part of the state is at the start, and what to do about that."""
    if start is None:
        hint = "where it is set first, write a constant, or a default of the parameter it comes from"
        return f"{name} starts with a value that is not known", hint
    where = f"{name} starts with {quote_code(start)} in line {start.lineno}"
    has_fractions = any(
        (isinstance(part, ast.Constant) and isinstance(part.value, float))
        or isinstance(part, ast.Div)
        or (isinstance(part, ast.Name) and part.id == "float")
        for part in ast.walk(start)
    )
    if has_fractions:
        return f"{where}, and fractions are not translated", "count in whole units, and write an integer"
    if isinstance(start, ast.Name):
        hint = f"give it a default, such as {start.id}=1, or write the constant there"
        return f"{where}, which has no value that the file tells", hint
    return f"{where}, which only a run can tell", "write a constant there, such as 0, 'closed' or None"


class Operands(Builder):
    """Evaluates operands in the order of Python."""

    names: Names
    handler: str
    """The function that answers the request, whatever its arguments."""
    root: Instance
    """The variables of the module."""
    models: dict[str, str]
    """The classes of the file that parameters of the handler are objects of."""

    @abstractmethod
    def evaluate(self, node: ast.expr) -> Value: ...

    @abstractmethod
    def raise_name(self, exception: str, span: Span, text: str = "") -> None: ...

    def operands(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """Values from left to right: those evaluated before something with effects are kept."""
        values: list[Value] = []
        ends: list[int] = []
        for node in nodes:
            values.append(self.evaluate(node))
            ends.append(len(self.out))
        for index in reversed(range(len(values))):
            if ends[index] < len(self.out):
                values[index] = self.keep_at(values[index], ends[index], self.places(nodes[index]))
        return values

    def keep_at(self, value: Value, position: int, span: Span) -> Value:
        """The value in locals that get it at an earlier position of the block."""
        if isinstance(value, Composite):
            return value.with_leaves(
                iter([self.leafkept_at(leaf, position, span) for leaf in value.leaves()])
            )
        return self.leafkept_at(value, position, span) if isinstance(value, Scalar) else value

    def leafkept_at(self, value: Scalar, position: int, span: Span) -> Scalar:
        if isinstance(value.code, Number) or (
            isinstance(value.code, Read) and value.code.name.startswith("#")
        ):
            return value
        name = self.temporary()
        statement: Expression = Assign(name, value.code, span)
        self.out.insert(position, statement)
        return Scalar(Read(name, span), value.domain)

    def scalar(self, node: ast.expr) -> Scalar:
        return self.to_scalar(self.evaluate(node), node)

    def to_scalar(self, value: Value, node: ast.AST) -> Scalar:
        if isinstance(value, Scalar):
            return value
        match value:
            case Reference(item=External(name=name, is_parameter=True)):
                message = f"the parameter `{name}` is not known to have finitely many values"
                hint = self.parameter_hint(name)
                if "." in name:
                    message = f"`{name}` belongs to the request, and its values are not known"
                    hint = self.part_hint(name)
                raise Refused("SER924", message, node, hint)
            case Reference(item=External(name=name, is_refused=True)):
                raise Refused("SER923", f"{name} is not known", node, "see where it is set", follows=True)
            case Reference(item=External(name=name, start=start)) if name.startswith(
                (f"{self.module.name}.", "self.")
            ):
                message, hint = unknown_start(name, start)
                raise Refused("SER925", message, node, hint)
            case Reference(item=External(name=name)) | Named(name=name):
                raise Refused("SER925", f"the value of `{name}` is not known", node, UNKNOWN_HINT)
            case Composite():
                hint = "use one value of it; for a key, say which ones there are in one call:"
                hint += " key = new_key()  # ser: opaque -> {'a', 'b'}"
                message = f"{quote_code(node)} is put together of several values, or a text made of them"
                raise Refused("SER923", message, node, hint)
            case _:
                hint = "copy the values that you need; references to state are not passed around"
                raise Refused("SER923", f"{quote_code(node)} is not a single value", node, hint)

    def parameter_hint(self, name: str) -> str:
        """How to say what a parameter of a request can be."""
        if name in self.models:
            cls = self.models[name]
            return f"use its fields, such as {name}.id, and say in the class `{cls}` what they can be"
        return (
            "give it a type that says which ones to look at, Literal['a', 'b'] or"
            f" Annotated[int, Range(0, 3)]; or mark the line of the coroutine # ser: {name} in {{'a', 'b'}},"
            " also to tell objects apart; where it cannot be edited, a line of --scope FILE:"
            f" {self.handler}.{name}: {{'a', 'b'}}"
        )

    def part_hint(self, name: str) -> str:
        """How to say what a part of a request can be."""
        owner, _, member = name.rpartition(".")
        cls = self.models.get(owner)
        if cls is not None:
            return (
                f"in the class `{cls}`, give it a type that says which ones to look at,"
                f" {member}: Annotated[int, Range(0, 3)] or {member}: Literal['a', 'b'], or mark its line"
                " there # ser: 0..3"
            )
        return (
            "take it in the handler, in a line that says which values to look at:"
            f" value = {name}  # ser: {{'a', 'b'}}"
        )

    def numeric(self, value: Scalar, node: ast.expr) -> Scalar:
        """The value as a number; other values raise a TypeError, as in Python."""
        if not value.domain.atoms:
            return value
        if not value.domain.has_numbers:
            hint = "only integers have arithmetic and an order here"
            raise Refused("SER923", f"{quote_code(node)} is not an integer", node, hint)
        span = self.places(node)
        value = self.keep(value, span)
        self.choose(
            Unary(Prefix.NOT, self.is_number(value.code, span), span),
            lambda: self.raise_name("TypeError", span),
            lambda: None,
            span,
        )
        return Scalar(value.code, without_atoms(value.domain))

    def either(
        self, test: Expression, yes: Callable[[], Scalar], no: Callable[[], Scalar], span: Span
    ) -> Scalar:
        """One of two values, of which only one is evaluated."""
        if isinstance(test, Number):
            return yes() if test.value else no()
        name = self.temporary()
        domains: list[Domain] = []

        def keep(evaluate: Callable[[], Scalar]) -> None:
            value = evaluate()
            domains.append(value.domain)
            self.emit(Assign(name, value.code, span))

        self.choose(test, lambda: keep(yes), lambda: keep(no), span)
        return Scalar(Read(name, span), self.join_domains(domains, span))

    def join_domains(self, domains: Sequence[Domain], span: Span) -> Domain:
        try:
            return join_all(domains)
        except Unbounded:
            message = "integers without bounds meet other values here"
            raise Refused("SER924", message, span.line, UNBOUNDED_HINT) from None

    def assign_local(self, name: str, value: Value, span: Span) -> None:
        names, core = self.names, self.names.core(name)
        if isinstance(value, Composite):
            slots: list[Scalar] = []
            for index, leaf in enumerate(value.leaves()):
                self.set_local(f"{core}#{index}", leaf, span)
                slots.append(
                    Scalar(
                        Read(f"{core}#{index}", span),
                        self.inference.read(f"local {self.owner} {core}#{index}"),
                    )
                )
            shape = value.with_leaves(iter(slots))
            if names.shapes.setdefault(name, shape).shape != shape.shape:
                raise Refused(
                    "SER923", f"`{name}` holds values of different shapes", span.line, "use two variables"
                )
            self.assigned.add(core)
            return
        if isinstance(value, Started):
            hint = "give each task its own name, and assign it once"
            raise Refused("SER923", f"`{name}` holds several tasks, one after the other", span.line, hint)
        if isinstance(value, Named):
            raise Refused("SER925", f"the value of `{value.name}` is not known", span.line, UNKNOWN_HINT)
        if not isinstance(value, Scalar):
            hint = "use it directly, or give it one name, once and outside of all blocks: seats = self.seats"
            raise Refused("SER923", f"`{name}` becomes another name of a part of the state", span.line, hint)
        self.set_local(core, value, span)

    def set_local(self, core: str, value: Scalar, span: Span) -> None:
        try:
            self.inference.assign(f"local {self.owner} {core}", value.domain)
        except Unbounded:
            message = f"`{core.partition('@')[0]}` holds integers without bounds and other values"
            raise Refused("SER924", message, span.line, UNBOUNDED_HINT) from None
        self.emit(Assign(core, value.code, span))
        self.assigned.add(core)
