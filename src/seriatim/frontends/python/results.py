"""What functions and requests return."""

import ast
from abc import abstractmethod

from seriatim.frontends.python.assignments import Assignments
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Keyed
from seriatim.frontends.python.surroundings import Calling, Finalizer
from seriatim.frontends.python.values import Composite, Reference, Scalar, Value
from seriatim.program.syntax import Expression, Read
from seriatim.source import Span


class Results(Assignments):
    """Ends functions and requests."""

    shapes: dict[str, Composite]
    """Of its answers."""

    def return_value(self, value: Value, node: ast.AST) -> None:
        span = self.places(node)
        for surrounding in reversed(self.surroundings):
            if isinstance(surrounding, Calling):
                kept = self.keep_result(value, surrounding, node, span)
                self.leave(surrounding)
                self.note_result(surrounding, kept, node)
                self.jump(surrounding.after, span)
                return
        if any(isinstance(each, Finalizer) for each in self.surroundings):
            value = self.keep_value(value, span)
        self.leave(None)
        self.answer_with(self.part_of_answer(value, node), span)

    def keep_value(self, value: Value, span: Span) -> Value:
        if isinstance(value, Composite):
            return value.with_leaves(iter([self.keep(leaf, span) for leaf in value.leaves()]))
        return self.keep(value, span) if isinstance(value, Scalar) else value

    def keep_result(self, value: Value, calling: Calling, node: ast.AST, span: Span) -> Value:
        """The result of an inlined call, in locals of its own."""
        match value:
            case Scalar():
                self.set_local(calling.result, value, span)
                return Scalar(
                    Read(calling.result, span), self.inference.read(f"local {self.owner} {calling.result}")
                )
            case Composite():
                slots: list[Scalar] = []
                for index, leaf in enumerate(value.leaves()):
                    name = f"{calling.result}#{index}"
                    self.set_local(name, leaf, span)
                    slots.append(Scalar(Read(name, span), self.inference.read(f"local {self.owner} {name}")))
                return value.with_leaves(iter(slots))
            case Reference():
                return value
            case _:
                raise Refused(
                    "SER923", f"{quote_code(node)} is not a value that can be returned", node, "return values"
                )

    def note_result(self, calling: Calling, value: Value, node: ast.AST) -> None:
        old = calling.value
        if old is None:
            calling.value = value
            return
        is_same = (
            (isinstance(old, Scalar) and isinstance(value, Scalar))
            or (isinstance(old, Composite) and isinstance(value, Composite) and old.shape == value.shape)
            or old == value
        )
        if not is_same:
            hint = "let all returns of it have one shape"
            raise Refused(
                "SER923", f"`{calling.function.name}` returns values of different shapes", node, hint
            )

    def part_of_answer(self, value: Value, node: ast.AST) -> Scalar | Composite:
        match value:
            case Scalar() | Composite():
                return value
            case Reference(item=Keyed() as keyed):
                return self.snapshot(keyed, node)
            case _:
                return self.to_scalar(value, node)

    def snapshot(self, keyed: Keyed, node: ast.AST) -> Composite:
        """A container as an answer: all of its entries."""
        span = self.places(node)
        cells = [self.cell_of(keyed, key, node) for key in keyed.keys]
        values = [self.read_cell(cell, span) for cell in cells]
        names = [keyed.key_domain.name(key, self.atoms) for key in keyed.keys]
        opening, closing = ("[", "]") if keyed.kind == "list" else ("{", "}")
        before = [f"{name}: " if keyed.kind != "list" else "" for name in names]
        pieces = (
            [opening + before[0], *(f", {each}" for each in before[1:]), closing]
            if names
            else [opening + closing]
        )
        return Composite(tuple(pieces), tuple(values))

    def answer_with(self, value: Scalar | Composite, span: Span) -> None:
        """Ends the request with an answer."""
        if isinstance(value, Scalar):
            self.inference.assign(f"answer {self.handler}", value.domain)
            self.answer(value.code, span)
            return
        shape = value.shape
        self.shapes.setdefault(shape, value)
        leaves = list(value.leaves())
        for index, leaf in enumerate(leaves):
            self.inference.assign(f"answer {self.handler} {shape} {index}", leaf.domain)
        self.answer(self.encode(shape, leaves, span), span)

    @abstractmethod
    def encode(self, shape: str, leaves: list[Scalar], span: Span) -> Expression: ...
