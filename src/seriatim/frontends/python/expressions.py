"""Expressions of a service, evaluated from left to right as Python does."""

import ast
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.app_state import application
from seriatim.frontends.python.attributes import Attributes
from seriatim.frontends.python.bounds import bounds, compute_scope, negate
from seriatim.frontends.python.domains import constant, integers
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External, Instance, Keyed
from seriatim.frontends.python.values import (
    Callee,
    Composite,
    Named,
    Quoted,
    Reference,
    Scalar,
    Started,
    Value,
    is_refused,
)
from seriatim.program.semantics import apply
from seriatim.program.syntax import (
    Binary,
    Expression,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
)
from seriatim.source import Span

ARITHMETIC: dict[type[ast.operator], Operator] = {
    ast.Add: Operator.ADD,
    ast.Sub: Operator.SUBTRACT,
    ast.Mult: Operator.MULTIPLY,
    ast.Mod: Operator.MODULO,
}


class Expressions(Attributes):
    """Evaluates expressions: what has effects is emitted, what is left has none."""

    @abstractmethod
    def call(self, node: ast.Call, is_awaited: bool) -> Value: ...

    @abstractmethod
    def raise_name(self, exception: str, span: Span, text: str = "") -> None: ...

    @abstractmethod
    def await_task(self, number: int, node: ast.AST) -> Value: ...

    @abstractmethod
    def comprehension(self, node: ast.ListComp) -> Value: ...

    parts: dict[str, Scalar]
    """The parts of the request that are parameters, by the text that stands for them."""

    @property
    def application(self) -> Keyed | Instance | None:
        """What a web service keeps in its application, which each request knows."""
        found = self.root.members.get(application(self.module) or "")
        return found if isinstance(found, Keyed | Instance) else None

    def part_of_request(self, node: ast.expr) -> Scalar | None:
        """What a part of the request is; one that is awaited may take any time."""
        if not isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
            return None
        found = self.parts.get(ast.unparse(node))
        if found is not None and isinstance(node, ast.Await):
            self.await_request(node.value)
        return None if found is None else self.place_scalar(found, self.places(node))

    @abstractmethod
    def await_request(self, node: ast.expr) -> None: ...

    def await_value(self, value: Value, node: ast.Await) -> Value:
        if isinstance(value, Started) and not value.is_list:
            return self.await_task(value.tasks[0], node)
        hint = "await calls of coroutines, and tasks that were started here; instead of a future, use an"
        hint += " asyncio.Event that is made in __init__"
        raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)

    # Names and attributes

    def evaluate(self, node: ast.expr) -> Value:
        """What an expression stands for; raises `Refused`."""
        if self.parts and not self.names.suffix and (found := self.part_of_request(node)) is not None:
            return found
        match node:
            case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()) if (
                literal(node) is not ...
            ):
                return self.constant(node, self.places(node))
            case ast.Name(id=name):
                return self.name(name, node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Await(value=ast.Call() as call):
                return self.call(call, is_awaited=True)
            case ast.Await(value=value):
                return self.await_value(self.evaluate(value), node)
            case ast.Call():
                return self.call(node, is_awaited=False)
            case ast.NamedExpr(target=target, value=value):
                self.assign_local(target.id, self.scalar(value), self.places(node))
                return self.name(target.id, node)
            case ast.Lambda(body=body, args=args) if not args.args:
                return Quoted(lambda: self.evaluate(body))
            case _:
                return self.compute_value(node)

    def compute_value(self, node: ast.expr) -> Value:
        """What operators and displays make of other values."""
        match node:
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.Compare():
                return self.boolean(self.comparison(node))
            case ast.BoolOp():
                return self.connect_values(node)
            case ast.IfExp():
                return self.conditional(node)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                opening, closing = ("(", ")") if isinstance(node, ast.Tuple) else ("[", "]")
                return self.compose(opening, closing, elements, is_sequence=True)
            case ast.ListComp():
                return self.comprehension(node)
            case ast.Dict():
                return self.dictionary(node)
            case ast.JoinedStr():
                return self.format_string(node)
            case _:
                what = type(node).__name__
                hint = (
                    "use variables, comparisons and arithmetic, or move it into a call marked # ser: opaque"
                )
                is_told = isinstance(node, ast.Yield)  # That the function is a generator.
                raise Refused("SER923", f"{quote_code(node)} ({what}) is not translated", node, hint, is_told)

    def constant(self, node: ast.expr, span: Span) -> Scalar:
        found = constant(literal(node))
        if found is None:
            raise Refused(
                "SER923",
                f"the constant {quote_code(node)} is not translated",
                node,
                "use int, str, bool or None",
            )
        domain, value = found
        return Scalar(Number(value if isinstance(value, int) else self.atoms.code(value), span), domain)

    def name(self, name: str, node: ast.AST) -> Value:
        span, names = self.places(node), self.names
        if name in names.bound:
            return self.place(names.bound[name], span)
        if name in names.locals:
            core = names.core(name)
            if core not in self.assigned:
                hint = "give it a value on every path to this line"
                raise Refused("SER923", f"`{name}` may have no value here", node, hint)
            if name in names.shapes:
                return names.shapes[name]
            return Scalar(Read(core, span), self.inference.read(f"local {self.owner} {core}"))
        if name == names.self_name and names.owner is not None:
            return Reference(names.owner)
        if name in self.root.members:
            return self.read_item(self.root.members[name], span)
        if name in self.module.functions:
            return Callee(self.module.functions[name])
        return Named(self.module.full_name(ast.Name(name)))

    def place(self, value: Value, span: Span) -> Value:
        """A constant at the place where it is used."""
        return self.place_scalar(value, span) if isinstance(value, Scalar) else value

    @staticmethod
    def place_scalar(value: Scalar, span: Span) -> Scalar:
        return Scalar(Number(value.known, span), value.domain) if value.known is not None else value

    def subscript(self, node: ast.Subscript) -> Value:
        base, key = self.operands([node.value, node.slice])
        match base:
            case Reference(item=Keyed() as keyed):
                return self.at_key(keyed, self.to_scalar(key, node.slice), node)
            case Composite(is_sequence=True, parts=parts):
                index = self.to_scalar(key, node.slice).known
                if index is not None and -len(parts) <= index < len(parts):
                    return parts[index]
        hint = "only state with known keys has entries"
        if isinstance(base, Reference) and isinstance(base.item, External):
            hint = "keep what requests share in module variables or a class; for what a request brings along,"
            hint += f" say which values to look at: value = {ast.unparse(node)}  # ser: {{'a', 'b'}}"
        raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint, is_refused(base))

    @abstractmethod
    def at_key(self, keyed: Keyed, key: Scalar, node: ast.expr) -> Value: ...

    @abstractmethod
    def contains(self, keyed: Keyed, key: Scalar, span: Span) -> Expression: ...

    # Arithmetic

    def arithmetic(self, node: ast.BinOp) -> Scalar:
        left, right = self.operands([node.left, node.right])
        return self.compute(
            node.op,
            self.to_scalar(left, node.left),
            self.to_scalar(right, node.right),
            node,
            node.left,
            node.right,
        )

    def compute(
        self,
        operator: ast.operator,
        left: Scalar,
        right: Scalar,
        node: ast.AST,
        left_node: ast.expr,
        right_node: ast.expr,
    ) -> Scalar:
        span = self.places(node)
        if type(operator) not in ARITHMETIC:
            hint = (
                "use +, -, * or % by a constant; if nobody looks at the value but calls that are marked, mark"
            )
            hint += " the line # ser: ignore"
            raise Refused("SER923", f"the operator of {quote_code(node)} is not translated", node, hint)
        left, right = self.numeric(left, left_node), self.numeric(right, right_node)
        chosen = ARITHMETIC[type(operator)]
        if chosen is Operator.MODULO and (right.known is None or right.known <= 0):
            raise Refused(
                "SER923",
                f"{quote_code(node)} divides by something else than a positive constant",
                node,
                "use a constant",
            )
        if left.known is not None and right.known is not None:
            found = self.number(apply(chosen, left.known, right.known), span)
            return replace(
                found, domain=replace(found.domain, given=compute_scope(chosen, left.domain, right.domain))
            )
        return Scalar(Binary(chosen, left.code, right.code, span), bounds(chosen, left.domain, right.domain))

    def unary(self, node: ast.UnaryOp) -> Scalar:
        span = self.places(node)
        if isinstance(node.op, ast.Not):
            return self.boolean(negate(self.condition(node.operand), span))
        value = self.numeric(self.scalar(node.operand), node.operand)
        match node.op:
            case ast.USub():
                if value.known is not None:
                    return self.number(-value.known, span)
                return Scalar(
                    Unary(Prefix.MINUS, value.code, span),
                    bounds(Operator.SUBTRACT, integers(0, 0), value.domain),
                )
            case ast.UAdd():
                return value
            case _:
                raise Refused(
                    "SER923", f"the operator of {quote_code(node)} is not translated", node, "use - or not"
                )

    # Values that are put together

    def compose(
        self, opening: str, closing: str, nodes: Sequence[ast.expr], is_sequence: bool = False
    ) -> Composite:
        values = [self.part(value, node) for value, node in zip(self.operands(nodes), nodes, strict=True)]
        between = [", "] * (len(values) - 1)
        pieces = (opening, *between, closing) if values else (opening + closing,)
        return Composite(pieces, tuple(values), is_sequence)

    def part(self, value: Value, node: ast.expr) -> Scalar | Composite:
        return value if isinstance(value, Composite) else self.to_scalar(value, node)

    def dictionary(self, node: ast.Dict) -> Composite:
        keys = [literal(key) if key is not None else ... for key in node.keys]
        if any(key is ... for key in keys):
            raise Refused(
                "SER923", f"{quote_code(node)} has keys that are not constants", node, "write the keys out"
            )
        values = [
            self.part(value, part)
            for value, part in zip(self.operands(node.values), node.values, strict=True)
        ]
        if not values:
            return Composite(("{}",), ())
        pieces = [f"{{{keys[0]!r}: ", *(f", {key!r}: " for key in keys[1:]), "}"]
        return Composite(tuple(pieces), tuple(values))

    def format_string(self, node: ast.JoinedStr) -> Composite | Scalar:
        pieces, parts = ["f'"], []
        for value in node.values:
            if isinstance(value, ast.Constant):
                pieces[-1] += str(value.value)
            else:
                assert isinstance(value, ast.FormattedValue)
                if value.format_spec is not None or value.conversion != -1:
                    raise Refused(
                        "SER923", f"the format in {quote_code(node)} is not translated", node, "use plain {…}"
                    )
                parts.append(value.value)
                pieces[-1] += "{"
                pieces.append("}")
        pieces[-1] += "'"
        values = [self.part(value, part) for value, part in zip(self.operands(parts), parts, strict=True)]
        return Composite(tuple(pieces), tuple(values), is_text=True)
