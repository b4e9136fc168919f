"""Expressions of a service, evaluated from left to right as Python does."""

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.builder import Builder, every, joined_code, some, without_atoms
from seriatim.frontends.python.domains import (
    NOTHING,
    Atom,
    Domain,
    Unbounded,
    constant,
    integers,
    join,
    join_all,
)
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import External, Fixed, Instance, Item, Keyed, Variable
from seriatim.frontends.python.values import Callee, Composite, Named, Quoted, Reference, Scalar, Value
from seriatim.program.semantics import apply
from seriatim.program.syntax import (
    Assign,
    Binary,
    Connective,
    Expression,
    If,
    Logical,
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

ORDER: dict[type[ast.cmpop], Operator] = {
    ast.Lt: Operator.LESS,
    ast.LtE: Operator.LESS_EQUAL,
    ast.Gt: Operator.GREATER,
    ast.GtE: Operator.GREATER_EQUAL,
}

EQUALITY = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)

UNBOUNDED_HINT = "bound the integers: Annotated[int, Range(0, 3)], or # ser: 0..3 where the variable is set"


class Names:
    """What names mean in one function."""

    def __init__(self, suffix: str, owner: Instance | None, self_name: str, function: ast.AST) -> None:
        self.suffix = suffix
        self.owner = owner
        self.self_name = self_name
        self.bound: dict[str, Value] = {}
        """Parameters that need no variable."""
        self.shapes: dict[str, Composite] = {}
        """Locals that hold something put together."""
        self.stored = [
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        ]
        """The names that get values, as often as they do."""
        shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        self.locals = frozenset(self.stored) - shared

    def core(self, name: str) -> str:
        plain = name if not name[0].isupper() else f"_{name}"
        return f"{plain}{self.suffix}"


class Expressions(Builder):
    """Evaluates expressions: what has effects is emitted, what is left has none."""

    names: Names
    root: Instance
    """The variables of the module."""

    @abstractmethod
    def call(self, node: ast.Call, is_awaited: bool) -> Value: ...

    @abstractmethod
    def raise_name(self, exception: str, span: Span, text: str = "") -> None: ...

    # Names and attributes

    def evaluate(self, node: ast.expr) -> Value:
        """What an expression stands for; raises `Refused`."""
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
            case ast.Call():
                return self.call(node, is_awaited=False)
            case ast.NamedExpr(target=target, value=value):
                self.assign_local(target.id, self.scalar(value), self.places(node))
                return self.name(target.id, node)
            case ast.Lambda(body=body, args=args) if not args.args:
                return Quoted(lambda: self.evaluate(body))
            case _:
                return self.computed_value(node)

    def computed_value(self, node: ast.expr) -> Value:
        """What operators and displays make of other values."""
        match node:
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.Compare():
                return self.boolean(self.comparison(node))
            case ast.BoolOp():
                return self.connected(node)
            case ast.IfExp():
                return self.conditional(node)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                opening, closing = ("(", ")") if isinstance(node, ast.Tuple) else ("[", "]")
                return self.composed(opening, closing, elements, is_sequence=True)
            case ast.Dict():
                return self.dictionary(node)
            case ast.JoinedStr():
                return self.formatted(node)
            case _:
                what = type(node).__name__
                hint = (
                    "use variables, comparisons and arithmetic, or move it into a call marked # ser: opaque"
                )
                raise Refused("SER923", f"{written(node)} ({what}) is not translated", node, hint)

    def constant(self, node: ast.expr, span: Span) -> Scalar:
        found = constant(literal(node))
        if found is None:
            raise Refused(
                "SER923",
                f"the constant {written(node)} is not translated",
                node,
                "use int, str, bool or None",
            )
        domain, value = found
        return Scalar(Number(value if isinstance(value, int) else self.atoms.code(value), span), domain)

    def name(self, name: str, node: ast.AST) -> Value:
        span, names = self.places(node), self.names
        if name in names.bound:
            return self.placed(names.bound[name], span)
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
            return self.stored(self.root.members[name], span)
        if name in self.module.functions:
            return Callee(self.module.functions[name])
        return Named(self.module.full_name(ast.Name(name)))

    @staticmethod
    def placed(value: Value, span: Span) -> Value:
        """A constant at the place where it is used."""
        if isinstance(value, Scalar) and isinstance(value.code, Number):
            return Scalar(Number(value.code.value, span), value.domain)
        return value

    def stored(self, item: Item, span: Span) -> Value:
        """What a part of the state stands for."""
        match item:
            case Variable(cell=cell):
                return self.read_cell(cell, span)
            case Fixed(value=value, domain=domain):
                return Scalar(Number(value, span), domain)
            case _:
                return Reference(item)

    def attribute(self, node: ast.Attribute) -> Value:
        span = self.places(node)
        full = self.module.full_name(node)
        owner, _, member = full.rpartition(".")
        if owner in self.module.enumerations and member in self.module.enumerations[owner]:
            return self.atom(Atom(f"{owner}.{member}"), span)
        base = self.evaluate(node.value)
        match base:
            case Reference(item=Instance() as instance):
                if node.attr in instance.members:
                    return self.stored(instance.members[node.attr], span)
                methods = self.module.methods(instance.cls)
                if node.attr in methods:
                    return Callee(methods[node.attr], instance)
                hint = "set it in __init__"
                raise Refused(
                    "SER923", f"{instance.name} has no attribute `{node.attr}` at the start", node, hint
                )
            case Reference(item=External(name=name)):
                return Reference(External(f"{name}.{node.attr}"))
            case Named(name=name):
                return Named(f"{name}.{node.attr}")
            case Reference():
                return Named(f"{ast.unparse(node.value)}.{node.attr}")
            case _:
                hint = "only objects of classes in this file are followed"
                raise Refused("SER923", f"the attribute {written(node)} is not translated", node, hint)

    def subscript(self, node: ast.Subscript) -> Value:
        base, key = self.operands([node.value, node.slice])
        match base:
            case Reference(item=Keyed() as keyed):
                return self.at_key(keyed, self.to_scalar(key, node.slice), node)
            case Composite(is_sequence=True, parts=parts):
                index = self.to_scalar(key, node.slice).known
                if index is not None and -len(parts) <= index < len(parts):
                    return parts[index]
        raise Refused(
            "SER923", f"{written(node)} is not translated", node, "only state with known keys has entries"
        )

    @abstractmethod
    def at_key(self, keyed: Keyed, key: Scalar, node: ast.expr) -> Value: ...

    @abstractmethod
    def contains(self, keyed: Keyed, key: Scalar, span: Span) -> Expression: ...

    # Operands

    def operands(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """Values from left to right: those evaluated before something with effects are kept."""
        values: list[Value] = []
        ends: list[int] = []
        for node in nodes:
            values.append(self.evaluate(node))
            ends.append(len(self.out))
        for index in reversed(range(len(values))):
            if ends[index] < len(self.out):
                values[index] = self._kept_at(values[index], ends[index], self.places(nodes[index]))
        return values

    def _kept_at(self, value: Value, position: int, span: Span) -> Value:
        """The value in locals that get it at an earlier position of the block."""
        if isinstance(value, Composite):
            return value.with_leaves(
                iter([self._leaf_kept_at(leaf, position, span) for leaf in value.leaves()])
            )
        return self._leaf_kept_at(value, position, span) if isinstance(value, Scalar) else value

    def _leaf_kept_at(self, value: Scalar, position: int, span: Span) -> Scalar:
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
            case Reference(item=External(name=name)) | Named(name=name):
                hint = "say what it can be: # ser: opaque -> 0..1, or make it a parameter with known values"
                raise Refused("SER925", f"the value of `{name}` is not known", node, hint)
            case _:
                hint = "copy the values that you need; references to state are not passed around"
                raise Refused("SER923", f"{written(node)} is not a single value", node, hint)

    def numeric(self, value: Scalar, node: ast.expr) -> Scalar:
        """The value as a number; other values raise a TypeError, as in Python."""
        if not value.domain.atoms:
            return value
        if not value.domain.has_numbers:
            hint = "only integers have arithmetic and an order here"
            raise Refused("SER923", f"{written(node)} is no integer", node, hint)
        span = self.places(node)
        value = self.keep(value, span)
        self.choose(
            Unary(Prefix.NOT, self.is_number(value.code, span), span),
            lambda: self.raise_name("TypeError", span),
            lambda: None,
            span,
        )
        return Scalar(value.code, without_atoms(value.domain))

    # Arithmetic

    def arithmetic(self, node: ast.BinOp) -> Scalar:
        left, right = self.operands([node.left, node.right])
        return self.computed(
            node.op,
            self.to_scalar(left, node.left),
            self.to_scalar(right, node.right),
            node,
            node.left,
            node.right,
        )

    def computed(
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
            raise Refused(
                "SER923",
                f"the operator of {written(node)} is not translated",
                node,
                "use +, -, * or % by a constant",
            )
        left, right = self.numeric(left, left_node), self.numeric(right, right_node)
        chosen = ARITHMETIC[type(operator)]
        if chosen is Operator.MODULO and (right.known is None or right.known <= 0):
            raise Refused(
                "SER923",
                f"{written(node)} divides by something else than a positive constant",
                node,
                "use a constant",
            )
        if left.known is not None and right.known is not None:
            return self.number(apply(chosen, left.known, right.known), span)
        return Scalar(Binary(chosen, left.code, right.code, span), bounds(chosen, left.domain, right.domain))

    def unary(self, node: ast.UnaryOp) -> Scalar:
        span = self.places(node)
        if isinstance(node.op, ast.Not):
            return self.boolean(negated(self.condition(node.operand), span))
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
                    "SER923", f"the operator of {written(node)} is not translated", node, "use - or not"
                )

    # Conditions

    def condition(self, node: ast.expr) -> Expression:
        """Whether an expression counts as true."""
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negated(self.condition(node.operand), self.places(node))
        if isinstance(node, ast.BoolOp):
            return self.all_or_any(node)
        return self.truth_of(self.evaluate(node), node)

    def truth_of(self, value: Value, node: ast.expr) -> Expression:
        span = self.places(node)
        match value:
            case Reference(item=Keyed() as keyed):
                keys = [self.contains(keyed, self.number(key, span), span) for key in keyed.keys]
                return some(keys, span)
            case Reference(item=Instance()) | Callee():
                return Number(1, span)
            case Composite(parts=parts, is_sequence=True):
                return Number(int(bool(parts)), span)
            case _:
                return self.truth(self.to_scalar(value, node), span)

    def all_or_any(self, node: ast.BoolOp) -> Expression:
        """`and` and `or` as conditions: the rest is evaluated only if it matters."""
        span = self.places(node)
        connective = Connective.AND if isinstance(node.op, ast.And) else Connective.OR
        found = self.condition(node.values[0])
        for operand in node.values[1:]:
            if isinstance(found, Number):
                if bool(found.value) is (connective is Connective.OR):
                    return found
                found = self.condition(operand)
                continue
            before, (assigned, fresh) = len(self.out), (set(self.assigned), self.is_fresh)
            with self.block() as code:
                right = self.condition(operand)
                jumps = self.pending
            self.is_dead = False
            if not code:
                found = _logical(connective, found, right, span)
                continue
            assert before == len(self.out)
            result = self.temporary()
            self.emit(Assign(result, found, span))
            test: Expression = Read(result, span)
            if connective is Connective.OR:
                test = Unary(Prefix.NOT, test, span)
            self.emit(If(test, joined_code([*code, Assign(result, right, span)]), None, span))
            self.pending = self.pending | jumps
            self.assigned, self.is_fresh = self.assigned & assigned, self.is_fresh and fresh
            found = Read(result, span)
        return found

    def connected(self, node: ast.BoolOp) -> Scalar:
        """`and` and `or` as values: one of the operands."""
        span = self.places(node)
        is_and = isinstance(node.op, ast.And)
        value = self.scalar(node.values[0])
        for operand in node.values[1:]:
            value = self.keep(value, span)
            test = self.truth(value, span)
            if not is_and:
                test = negated(test, span)
            value = self.either(test, partial(self.scalar, operand), partial(same, value), span)
        return value

    def conditional(self, node: ast.IfExp) -> Scalar:
        test = self.condition(node.test)
        return self.either(
            test, lambda: self.scalar(node.body), lambda: self.scalar(node.orelse), self.places(node)
        )

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
        return Scalar(Read(name, span), self.joined(domains, span))

    def joined(self, domains: Sequence[Domain], span: Span) -> Domain:
        try:
            return join_all(domains)
        except Unbounded:
            message = "integers without bounds meet other values here"
            raise Refused("SER924", message, span.line, UNBOUNDED_HINT) from None

    # Comparisons

    def comparison(self, node: ast.Compare) -> Expression:
        span = self.places(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = self.membership(node.left, node.comparators[0], node)
            return negated(found, span) if isinstance(node.ops[0], ast.NotIn) else found
        parts = [node.left, *node.comparators]
        values = [
            self.to_scalar(value, part) for value, part in zip(self.operands(parts), parts, strict=True)
        ]
        tests = [
            self.compared(operator, left, right, node, left_node, right_node)
            for operator, left, right, left_node, right_node in zip(
                node.ops, values, values[1:], parts, parts[1:], strict=False
            )
        ]
        for test in tests:
            if isinstance(test, Number) and test.value == 0:
                return test
        return every([test for test in tests if not isinstance(test, Number)], span)

    def compared(
        self,
        operator: ast.cmpop,
        left: Scalar,
        right: Scalar,
        node: ast.AST,
        left_node: ast.expr,
        right_node: ast.expr,
    ) -> Expression:
        span = self.places(node)
        self.demand_in_scope(left, right, node)
        if isinstance(operator, EQUALITY):
            equal = self.equality(left, right, node)
            return negated(equal, span) if isinstance(operator, ast.NotEq | ast.IsNot) else equal
        if type(operator) not in ORDER:
            raise Refused(
                "SER923", f"the comparison {written(node)} is not translated", node, "use ==, <, in …"
            )
        left, right = self.numeric(left, left_node), self.numeric(right, right_node)
        chosen = ORDER[type(operator)]
        decided = decide(chosen, left.domain, right.domain)
        if decided is not None:
            return Number(int(decided), span)
        return Binary(chosen, left.code, right.code, span)

    def demand_in_scope(self, left: Scalar, right: Scalar, node: ast.AST) -> None:
        """A constant outside of a scope would kill a branch silently."""
        for value, other in ((left, right), (right, left)):
            number, scope = value.known, other.domain
            if (
                number is None
                or not scope.is_scope
                or not value.domain.has_numbers
                or other.known is not None
            ):
                continue
            low = scope.low is None or scope.low <= number
            high = scope.high is None or number <= scope.high
            if not (low and high):
                raise Refused(
                    "SER928",
                    f"{written(node)} compares with {number}, which is outside of the scope {scope}",
                    node,
                    "widen the scope, or choose the constant and the scope smaller together",
                )

    def equality(self, left: Scalar, right: Scalar, node: ast.AST) -> Expression:
        span = self.places(node)
        if left.known is not None and right.known is not None:
            return Number(int(left.known == right.known), span)
        numbers = left.domain.has_numbers and right.domain.has_numbers
        if not numbers and not left.domain.atoms & right.domain.atoms:
            if left.domain.is_empty or right.domain.is_empty:
                return Binary(Operator.EQUAL, left.code, right.code, span)
            return Number(0, span)
        if left.domain.atoms or right.domain.atoms:
            try:
                join(left.domain, right.domain)
            except Unbounded:
                message = f"in {written(node)}, integers without bounds meet other values"
                raise Refused("SER924", message, node, UNBOUNDED_HINT) from None
        elif decide(Operator.EQUAL, left.domain, right.domain) is False:
            return Number(0, span)
        return Binary(Operator.EQUAL, left.code, right.code, span)

    def membership(self, left: ast.expr, right: ast.expr, node: ast.AST) -> Expression:
        span = self.places(node)
        if isinstance(right, ast.Tuple | ast.List | ast.Set):
            value = self.keep(self.scalar(left), span)
            values = [
                self.to_scalar(each, part)
                for each, part in zip(self.operands(right.elts), right.elts, strict=True)
            ]
            tests = [self.equality(value, each, node) for each in values]
            if any(isinstance(test, Number) and test.value for test in tests):
                return Number(1, span)
            return some([test for test in tests if not isinstance(test, Number)], span)
        key, container = self.operands([left, right])
        if isinstance(container, Reference) and isinstance(container.item, Keyed):
            return self.contains(container.item, self.to_scalar(key, left), span)
        raise Refused(
            "SER923",
            f"{written(node)} is not translated",
            node,
            "`in` works for state with known keys, and for tuples",
        )

    # Values that are put together

    def composed(
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
                "SER923", f"{written(node)} has keys that are no constants", node, "write the keys out"
            )
        values = [
            self.part(value, part)
            for value, part in zip(self.operands(node.values), node.values, strict=True)
        ]
        if not values:
            return Composite(("{}",), ())
        pieces = [f"{{{keys[0]!r}: ", *(f", {key!r}: " for key in keys[1:]), "}"]
        return Composite(tuple(pieces), tuple(values))

    def formatted(self, node: ast.JoinedStr) -> Composite | Scalar:
        pieces, parts = ["f'"], []
        for value in node.values:
            if isinstance(value, ast.Constant):
                pieces[-1] += str(value.value)
            else:
                assert isinstance(value, ast.FormattedValue)
                parts.append(value.value)
                pieces[-1] += "{"
                pieces.append("}")
        pieces[-1] += "'"
        values = [self.part(value, part) for value, part in zip(self.operands(parts), parts, strict=True)]
        return Composite(tuple(pieces), tuple(values), is_text=True)

    # Locals

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
        if not isinstance(value, Scalar):
            hint = "use it directly; references to state are not followed through variables"
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


def same(value: Scalar) -> Scalar:
    return value


def _logical(connective: Connective, left: Expression, right: Expression, span: Span) -> Expression:
    if isinstance(right, Number):
        if bool(right.value) is (connective is Connective.AND):
            return left
        # The left operand has no effects, so that it need not be evaluated.
        return Number(int(connective is Connective.OR), span)
    return Logical(connective, left, right, span)


def negated(code: Expression, span: Span) -> Expression:
    if isinstance(code, Number):
        return Number(int(code.value == 0), span)
    return Unary(Prefix.NOT, code, span)


def bounds(operator: Operator, left: Domain, right: Domain) -> Domain:
    """The numbers that an operation can give."""
    if left.is_empty or right.is_empty:
        return NOTHING
    is_scope = left.is_scope or right.is_scope
    a, b, c, d = left.low, left.high, right.low, right.high
    match operator:
        case Operator.ADD:
            low = None if a is None or c is None else a + c
            high = None if b is None or d is None else b + d
        case Operator.SUBTRACT:
            low = None if a is None or d is None else a - d
            high = None if b is None or c is None else b - c
        case Operator.MODULO:
            assert d is not None
            return integers(0, d - 1, is_scope=is_scope)
        case _:
            if a is None or b is None or c is None or d is None:
                return integers(None, None, is_scope=is_scope)
            products = (a * c, a * d, b * c, b * d)
            low, high = min(products), max(products)
    return integers(low, high, is_scope=is_scope)


def decide(operator: Operator, left: Domain, right: Domain) -> bool | None:
    """The result of a comparison, if bounds tell it."""
    if left.is_empty or right.is_empty:
        return None
    below = left.high is not None and right.low is not None and left.high < right.low
    above = left.low is not None and right.high is not None and left.low > right.high
    no_higher = left.high is not None and right.low is not None and left.high <= right.low
    no_lower = left.low is not None and right.high is not None and left.low >= right.high
    match operator:
        case Operator.EQUAL:
            return False if below or above else None
        case Operator.LESS:
            return True if below else False if no_lower else None
        case Operator.LESS_EQUAL:
            return True if no_higher else False if above else None
        case Operator.GREATER:
            return True if above else False if no_higher else None
        case _:
            return True if no_lower else False if below else None
