"""Assignments to locals, to the state, and to entries of containers."""

import ast

from seriatim.frontends.python.bounds import negate
from seriatim.frontends.python.calls import Calls
from seriatim.frontends.python.operands import unknown_start
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Cell, External, Instance, Keyed, Variable
from seriatim.frontends.python.values import Composite, Reference, Scalar, Started, Value, is_refused


class Assignments(Calls):
    """Executes assignments."""

    def assign_all(self, targets: list[ast.expr], value: ast.expr) -> None:
        found = self.evaluate(value)
        if len(targets) > 1 and isinstance(found, Scalar):
            found = self.keep(found, self.places(value))
        for target in targets:
            self.assign(target, found, value)

    def assign(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        span = (
            self.places(target).to(self.places(node)) if getattr(node, "lineno", 0) else self.places(target)
        )
        match target:
            case ast.Name(id=name) if name in self.names.locals:
                is_unknown = isinstance(value, Reference) and isinstance(value.item, External)
                is_new = isinstance(value, Started) and self.names.stored.count(name) == 1
                if is_unknown or is_new or self.is_alias(name, value):
                    self.names.bound[name] = value
                elif name in self.names.bound and self.is_forgotten(name):
                    return
                elif name in self.names.bound:
                    raise Refused(
                        "SER923",
                        f"`{name}` holds an unknown object, then something else",
                        target,
                        "use two names",
                    )
                else:
                    self.assign_local(name, value, span)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                self.unpack(elements, value, target, node)
            case ast.Subscript(value=base, slice=index):
                value, keyed, key = self.after_value(value, [base, index], node)
                if not (isinstance(keyed, Reference) and isinstance(keyed.item, Keyed)):
                    raise Refused(
                        "SER923",
                        f"{quote_code(target)} is not translated",
                        target,
                        "only state with known keys has entries",
                        follows=is_refused(keyed),
                    )
                self.store(keyed.item, self.to_scalar(key, index), self.to_scalar(value, node), target)
            case _:
                self.write_cell(self.cell_at(target), self.to_scalar(value, node), span)

    def is_alias(self, name: str, value: Value) -> bool:
        """Whether a variable is just another name of a part of the state that always keeps its place.

        It gets no other value, and gets this one on every path: nothing surrounds the assignment.
        """
        return (
            isinstance(value, Reference)
            and name not in self.names.bound
            and self.names.stored.count(name) == 1
            and any(self.statement is each for each in getattr(self.names.function, "body", ()))
        )

    def is_forgotten(self, name: str) -> bool:
        """Whether a variable is not known because of something that was refused."""
        return is_refused(self.names.bound[name])

    def after_value(self, value: Value, nodes: list[ast.expr], node: ast.AST) -> tuple[Value, Value, Value]:
        """The value, which was evaluated first, and two operands of the target, which come then."""
        position = len(self.out)
        base, index = self.operands(nodes)
        if len(self.out) > position:
            value = self.keep_at(value, position, self.places(node))
        return value, base, index

    def cell_at(self, target: ast.expr) -> Cell:
        """The variable of the state that a target means."""
        item: object = None
        if isinstance(target, ast.Name):
            item = self.root.members.get(target.id)
        elif isinstance(target, ast.Attribute):
            base = self.evaluate(target.value)
            if isinstance(base, Reference) and isinstance(base.item, Instance):
                item = base.item.members.get(target.attr)
        if isinstance(item, Variable):
            return item.cell
        follows = isinstance(item, External) and item.is_refused
        hint = "set it in __init__ with a constant; containers and locks keep their place"
        message = f"{quote_code(target)} is not a variable of the state that can be assigned to"
        if isinstance(item, External) and item.start is not None:
            message, hint = unknown_start(item.name, item.start)
        raise Refused("SER923", message, target, hint, follows)

    def unpack(self, targets: list[ast.expr], value: Value, target: ast.expr, node: ast.AST) -> None:
        if not isinstance(value, Composite) or not value.is_sequence or len(value.parts) != len(targets):
            hint = "unpack tuples of the same length that are written out"
            raise Refused("SER923", f"{quote_code(target)} cannot be unpacked from this", target, hint)
        span = self.places(target)
        parts = [self.keep(part, span) if isinstance(part, Scalar) else part for part in value.parts]
        for each, part in zip(targets, parts, strict=True):
            self.assign(each, part, node)

    def augment(self, node: ast.AugAssign) -> None:
        """Python evaluates the place once, reads it, then evaluates the value, then writes."""
        target = node.target
        if isinstance(target, ast.Subscript):
            self.augment_entry(target, node)
            return
        load = ast.parse(ast.unparse(target), mode="eval").body
        for part in ast.walk(load):
            ast.copy_location(part, target)
        old, new = self.operands([load, node.value])
        value = self.compute(
            node.op, self.to_scalar(old, target), self.to_scalar(new, node.value), node, target, node.value
        )
        self.assign(target, value, node.value)

    def augment_entry(self, target: ast.Subscript, node: ast.AugAssign) -> None:
        base, index = self.operands([target.value, target.slice])
        if not (isinstance(base, Reference) and isinstance(base.item, Keyed)):
            hint = "only state with known keys has entries"
            raise Refused("SER923", f"{quote_code(target)} is not translated", target, hint, is_refused(base))
        span = self.places(node)
        key = self.keep(self.to_scalar(index, target.slice), span)
        old = self.to_scalar(self.at_key(base.item, key, target), target)
        position = len(self.out)
        new = self.scalar(node.value)
        if len(self.out) > position:
            kept = self.keep_at(old, position, span)
            assert isinstance(kept, Scalar)
            old = kept
        value = self.compute(node.op, old, new, node, target, node.value)
        self.store(base.item, key, value, target)

    def delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            base, key = self.operands([target.value, target.slice])
            if isinstance(base, Reference) and isinstance(base.item, Keyed) and base.item.kind == "dict":
                span, found = self.places(target), self.to_scalar(key, target.slice)
                found = self.keep(found, span)
                there = self.contains(base.item, found, span)
                keyed = base.item
                self.choose(negate(there, span), lambda: self.missing(keyed, span), lambda: None, span)
                self.remove(keyed, found, target)
                return
        raise Refused(
            "SER923",
            f"`del` of {quote_code(target)} is not translated",
            target,
            "delete keys of dictionaries only",
        )
