"""Assignments to locals, to the state, and to entries of containers."""

import ast

from seriatim.frontends.python.bounds import negated
from seriatim.frontends.python.calls import Calls
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import Cell, External, Instance, Keyed, Variable
from seriatim.frontends.python.values import Composite, Reference, Scalar, Value


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
                if isinstance(value, Reference) and isinstance(value.item, External):
                    self.names.bound[name] = value
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
                keyed, key = self.kept_operands([base, index], value)
                if not (isinstance(keyed, Reference) and isinstance(keyed.item, Keyed)):
                    raise Refused(
                        "SER923",
                        f"{written(target)} is not translated",
                        target,
                        "only state with known keys has entries",
                    )
                self.store(keyed.item, self.to_scalar(key, index), self.to_scalar(value, node), target)
            case _:
                self.write_cell(self.cell_at(target), self.to_scalar(value, node), span)

    def kept_operands(self, nodes: list[ast.expr], _: Value) -> list[Value]:
        return self.operands(nodes)

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
        hint = "set it in __init__ with a constant; containers and locks keep their place"
        raise Refused(
            "SER923", f"{written(target)} is no variable of the state that can be assigned to", target, hint
        )

    def unpack(self, targets: list[ast.expr], value: Value, target: ast.expr, node: ast.AST) -> None:
        if not isinstance(value, Composite) or not value.is_sequence or len(value.parts) != len(targets):
            hint = "unpack tuples of the same length that are written out"
            raise Refused("SER923", f"{written(target)} cannot be unpacked from this", target, hint)
        span = self.places(target)
        parts = [self.keep(part, span) if isinstance(part, Scalar) else part for part in value.parts]
        for each, part in zip(targets, parts, strict=True):
            self.assign(each, part, node)

    def augment(self, node: ast.AugAssign) -> None:
        """Python reads the target first, then evaluates the value, then writes."""
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        for part in ast.walk(load):
            ast.copy_location(part, node.target)
        if isinstance(node.target, ast.Subscript) and any(
            isinstance(each, ast.Await | ast.Call) for each in ast.walk(node.target)
        ):
            raise Refused("SER923", f"{written(node.target)} has effects", node, "compute the key before")
        old, new = self.operands([load, node.value])
        value = self.computed(
            node.op,
            self.to_scalar(old, node.target),
            self.to_scalar(new, node.value),
            node,
            node.target,
            node.value,
        )
        self.assign(node.target, value, node.value)

    def delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            base, key = self.operands([target.value, target.slice])
            if isinstance(base, Reference) and isinstance(base.item, Keyed) and base.item.kind == "dict":
                span, found = self.places(target), self.to_scalar(key, target.slice)
                found = self.keep(found, span)
                there = self.contains(base.item, found, span)
                keyed = base.item
                self.choose(negated(there, span), lambda: self.missing(keyed, span), lambda: None, span)
                self.remove(keyed, found, target)
                return
        raise Refused(
            "SER923",
            f"`del` of {written(target)} is not translated",
            target,
            "delete keys of dictionaries alone",
        )
