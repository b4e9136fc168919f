"""Conditions: comparisons, connectives, membership."""

import ast
from abc import abstractmethod
from functools import partial

from seriatim.frontends.python.bounds import connect, decide, negate, same
from seriatim.frontends.python.core_code import every, join_code, some
from seriatim.frontends.python.domains import ABSENT, NONE, Domain, Unbounded, join
from seriatim.frontends.python.operands import UNBOUNDED_HINT, Operands
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Instance, Keyed
from seriatim.frontends.python.values import Callee, Composite, Reference, Scalar, Value, is_refused
from seriatim.program.syntax import (
    Assign,
    Binary,
    Connective,
    Expression,
    If,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
)
from seriatim.source import Span

ORDER: dict[type[ast.cmpop], Operator] = {
    ast.Lt: Operator.LESS,
    ast.LtE: Operator.LESS_EQUAL,
    ast.Gt: Operator.GREATER,
    ast.GtE: Operator.GREATER_EQUAL,
}


EQUALITY = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)


class Conditions(Operands):
    """Evaluates conditions."""

    @abstractmethod
    def contains(self, keyed: Keyed, key: Scalar, span: Span) -> Expression: ...

    def condition(self, node: ast.expr) -> Expression:
        """Whether an expression counts as true."""
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negate(self.condition(node.operand), self.places(node))
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
                found = connect(connective, found, right, span)
                continue
            assert before == len(self.out)
            result = self.temporary()
            self.emit(Assign(result, found, span))
            test: Expression = Read(result, span)
            if connective is Connective.OR:
                test = Unary(Prefix.NOT, test, span)
            self.emit(If(test, join_code([*code, Assign(result, right, span)]), None, span))
            self.pending = self.pending | jumps
            self.assigned, self.is_fresh = self.assigned & assigned, self.is_fresh and fresh
            found = Read(result, span)
        return found

    def connect_values(self, node: ast.BoolOp) -> Scalar:
        """`and` and `or` as values: one of the operands."""
        span = self.places(node)
        is_and = isinstance(node.op, ast.And)
        value = self.scalar(node.values[0])
        for operand in node.values[1:]:
            value = self.keep(value, span)
            test = self.truth(value, span)
            if not is_and:
                test = negate(test, span)
            value = self.either(test, partial(self.scalar, operand), partial(same, value), span)
        return value

    def conditional(self, node: ast.IfExp) -> Scalar:
        test = self.condition(node.test)
        return self.either(
            test, lambda: self.scalar(node.body), lambda: self.scalar(node.orelse), self.places(node)
        )

    def comparison(self, node: ast.Compare) -> Expression:
        span = self.places(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = self.membership(node.left, node.comparators[0], node)
            return negate(found, span) if isinstance(node.ops[0], ast.NotIn) else found
        parts = [node.left, *node.comparators]
        values = [
            self.to_scalar(value, part) for value, part in zip(self.operands(parts), parts, strict=True)
        ]
        tests = [
            self.compare(operator, left, right, node, left_node, right_node)
            for operator, left, right, left_node, right_node in zip(
                node.ops, values, values[1:], parts, parts[1:], strict=False
            )
        ]
        for test in tests:
            if isinstance(test, Number) and test.value == 0:
                return test
        return every([test for test in tests if not isinstance(test, Number)], span)

    def compare(
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
        if isinstance(operator, ast.Is | ast.IsNot):
            self.demand_identity(left, right, node)
        if isinstance(operator, EQUALITY):
            equal = self.equality(left, right, node)
            return negate(equal, span) if isinstance(operator, ast.NotEq | ast.IsNot) else equal
        if type(operator) not in ORDER:
            raise Refused(
                "SER923", f"the comparison {quote_code(node)} is not translated", node, "use ==, <, in …"
            )
        left, right = self.numeric(left, left_node), self.numeric(right, right_node)
        chosen = ORDER[type(operator)]
        decided = decide(chosen, left.domain, right.domain)
        if decided is not None:
            return Number(int(decided), span)
        return Binary(chosen, left.code, right.code, span)

    def demand_identity(self, left: Scalar, right: Scalar, node: ast.AST) -> None:
        """`is` means `==` for None, True, False and members of enumerations, and for nothing else."""
        numbers = [each.domain for each in (left, right) if each.domain.has_numbers]
        if len(numbers) == 2 and not all(domain.is_boolean for domain in numbers):
            raise Refused("SER923", f"{quote_code(node)} compares integers by identity", node, "use ==")
        quotes = ("'", '"', "b'", 'b"')
        if all(any(atom.text.startswith(quotes) for atom in each.domain.atoms) for each in (left, right)):
            raise Refused("SER923", f"{quote_code(node)} compares strings by identity", node, "use ==")

    def demand_in_scope(self, left: Scalar, right: Scalar, node: ast.AST) -> None:
        """A constant outside of a scope would kill a branch silently; an argument is not such a constant."""
        for value, other in ((left, right), (right, left)):
            scope = other.domain.given or other.domain
            is_scope = other.domain.given is not None or (scope.is_scope and other.known is None)
            if value.known is None or value.domain.given is not None or not is_scope:
                continue
            if self.is_outside(value, value.known, scope):
                shown = value.domain.name(value.known, self.atoms)
                raise Refused(
                    "SER928",
                    f"{quote_code(node)} compares with {shown}, which is outside of the scope {scope}",
                    node,
                    "widen the scope, or choose the constant and the scope smaller together",
                )

    @staticmethod
    def is_outside(value: Scalar, number: int, scope: Domain) -> bool:
        """Whether a constant is of the kind of some values of a scope, but none of them."""
        if value.domain.has_numbers:
            return scope.has_numbers and not (
                (scope.low is None or scope.low <= number) and (scope.high is None or number <= scope.high)
            )
        others = scope.atoms - {NONE, ABSENT}
        return bool(others) and not value.domain.atoms <= scope.atoms | {NONE, ABSENT}

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
                message = f"in {quote_code(node)}, integers without bounds meet other values"
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
            for each in values:
                self.demand_in_scope(value, each, node)
            tests = [self.equality(value, each, node) for each in values]
            if any(isinstance(test, Number) and test.value for test in tests):
                return Number(1, span)
            return some([test for test in tests if not isinstance(test, Number)], span)
        key, container = self.operands([left, right])
        if isinstance(container, Reference) and isinstance(container.item, Keyed):
            return self.contains(container.item, self.to_scalar(key, left), span)
        raise Refused(
            "SER923",
            f"{quote_code(node)} is not translated",
            node,
            "`in` works for state with known keys, and for tuples",
            follows=is_refused(container),
        )
