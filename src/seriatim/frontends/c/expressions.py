"""Expressions of C to steps: each access to something shared is a step of its own.

Operands are evaluated from left to right, and the verdict says so. The right side of `&&`, `||` and `?:` is
evaluated only if it matters; where that accesses something shared, it becomes a branch.
"""

from abc import abstractmethod

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from seriatim.frontends.c.constants import character_value, characters, integer_value
from seriatim.frontends.c.effects import STATEMENTS, is_address, is_plain, is_total, reads_as_formula
from seriatim.frontends.c.extensions import KEPT, SAME
from seriatim.frontends.c.headers import CONSTANTS
from seriatim.frontends.c.lvalues import Lvalue, Lvalues
from seriatim.frontends.c.operators import (
    ONE,
    ZERO,
    Operand,
    combined,
    convert,
    inverted,
    negated,
    of_truth,
    opposite,
    truth,
)
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.structures import choose, copy, either, structure_value
from seriatim.frontends.c.symbols import Array, Enumerator, Function, Scalar, Structure, Symbol
from seriatim.frontends.c.types import (
    INT,
    LONG,
    POINTER,
    UNSIGNED,
    UNSIGNED_LONG,
    CType,
    common,
    promoted,
)
from seriatim.program.threads.syntax import Assign
from seriatim.terms.expressions import (
    TRUE,
    Constant,
    Expression,
    Variable,
    apply,
    can_divide_by_zero,
    fold,
)


class Expressions(Lvalues):
    """Builds the graph of one thread; calls are left to a subclass."""

    # Values

    def value(self, node: c_ast.Node) -> Operand:
        match node:
            case c_ast.Constant():
                return self.constant(node)
            case (
                c_ast.ID()
                | c_ast.StructRef()
                | c_ast.ArrayRef()
                | c_ast.UnaryOp(op="*")
                | c_ast.CompoundLiteral()
            ):
                return self.variable(node)
            case c_ast.UnaryOp(op=op, expr=operand):
                return self.unary(op, operand, node)
            case c_ast.BinaryOp(op=op, left=left, right=right):
                if op in ("&&", "||"):
                    return self.lazily(node)
                return self.operation(op, self.left_operand(left, right), self.value(right), node)
            case c_ast.Assignment(op=op, lvalue=lvalue, rvalue=rvalue):
                return self.assignment(op, lvalue, rvalue, node)
            case c_ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
                return self.choice(condition, then, otherwise, node)
            case c_ast.Cast(to_type=to_type, expr=operand):
                return self.cast(to_type, operand)
            case c_ast.ExprList():
                return self.last_of(node)
            case c_ast.FuncCall():
                return self.call(node)
            case c_ast.Compound():
                return self.block(node)
            case _:
                name = type(node).__name__
                return refuse(f"an expression of this form ({name})", self.span(node), "use integers alone")

    def discard(self, node: c_ast.Node) -> None:
        """A value that nobody uses: finding it may do something, or fail."""
        found = self.value(node)
        if can_divide_by_zero(found.expression):
            self.keep(found, node)

    def ignore(self, node: c_ast.Node) -> None:
        """An argument that does not matter; evaluating it may do something, fail, or race with others."""
        if not (is_plain(node) and is_total(node) and (is_address(node) or not self.has_shared(node))):
            self.discard(node)

    def last_of(self, node: c_ast.ExprList) -> Operand:
        """The operator `,`"""
        for part in node.exprs[:-1]:
            self.discard(part)
        return self.value(node.exprs[-1])

    def variable(self, node: c_ast.Node) -> Operand:
        if self.is_alias(node):
            return self.address(self.pointed(node), node)
        if self.is_constant(node):
            return self.number(CONSTANTS[node.name], node)
        cases = self.cases(node)
        symbol = cases[0][1]
        if isinstance(symbol, Enumerator):
            return Operand(Constant(symbol.value), symbol.type)
        if isinstance(symbol, Array | Function):
            return self.address(cases, node)
        if isinstance(symbol, Structure):
            return structure_value(cases)
        return self.read(self.lvalue_of(cases, node), node)

    def is_constant(self, node: c_ast.Node) -> bool:
        """Whether a name is that of a constant of the standard library."""
        return isinstance(node, c_ast.ID) and node.name in CONSTANTS and self.scopes.find(node.name) is None

    def unary(self, op: str, operand: c_ast.Node, node: c_ast.Node) -> Operand:
        match op:
            case "!":
                return negated(self.value(operand))
            case "-":
                return opposite(self.value(operand))
            case "+":
                found = self.value(operand)
                return Operand(convert(found, promoted(found.type)), promoted(found.type))
            case "&":
                return self.address_at(operand, node)
            case "~":
                return inverted(self.value(operand))
            case "++" | "--" | "p++" | "p--":
                return self.increment(op, operand, node)
            case "sizeof" | "_Alignof":
                return Operand(Constant(self.size(operand, node, op == "_Alignof")), UNSIGNED_LONG)
            case _:
                return refuse(f"the operator `{op}`", self.span(node), "use integers alone")

    def left_operand(self, left: c_ast.Node, right: c_ast.Node) -> Operand:
        found = self.value(left)
        return found if is_plain(right) else self.keep(found, left)

    def operation(self, op: str, left: Operand, right: Operand, node: c_ast.Node) -> Operand:
        if len({left.points_to, right.points_to} - {"", "void"}) > 1:
            self.refuse_kind(node)
        if "void" in (left.points_to, right.points_to) and left.points_to and right.points_to:
            self.look_at_overlap(node)
        if (left.points_to or right.points_to) and op in ("+", "-"):
            self.look_at_moves(node)
        if left.points_to and op in ("+", "-") and not right.points_to:
            return self.moved(left, right, node, op)
        if right.points_to and op == "+":
            return self.moved(right, left, node)
        found = combined(op, left, right)
        if found is None:
            refuse(f"the operator `{op}`", self.span(node), "use arithmetic and comparisons")
        return found

    def constant(self, node: c_ast.Constant) -> Operand:
        if node.type == "string":
            values = characters(node.value)
            if values is None:
                return refuse("a string of this kind", self.span(node), "use plain characters")
            return self.address([(TRUE, self.literal(node.value, values))], node)
        if node.type == "char":
            value = character_value(node.value)
            if value is None:
                return refuse(f"the constant {node.value}", self.span(node), "use one plain character")
            return Operand(Constant(value), INT)
        return self.number(node.value, node)

    def number(self, text: str, node: c_ast.Node) -> Operand:
        """An integer constant, of the first type that holds it."""
        number = integer_value(text)
        if number is None:
            return refuse(f"the constant {text}", self.span(node), "use integers alone")
        suffix = text[len(text.rstrip("uUlL")) :].lower()
        if number < 0:
            return Operand(Constant(number), INT if number >= INT.low else LONG)
        is_decimal = not text.startswith("0")
        plain = [INT, LONG] if is_decimal else [INT, UNSIGNED, LONG, UNSIGNED_LONG]
        candidates = [UNSIGNED, UNSIGNED_LONG] if "u" in suffix else plain
        type_ = next(
            (each for each in candidates if number <= each.high and ("l" not in suffix or each.bits == 64)),
            None,
        )
        if type_ is None:
            refuse(f"the constant {text}", self.span(node), "use a smaller one")
        return Operand(Constant(number), type_)

    def block(self, node: c_ast.Compound) -> Operand:
        """`({ … })`: statements, and the value of the last one."""
        items = node.block_items or []
        self.scopes.enter()
        found = Operand(ZERO, INT)
        for number, item in enumerate(items):
            if number + 1 == len(items) and not isinstance(item, STATEMENTS):
                found = self.value(item)
                found = found if found.cases else self.keep(found, item)
            else:
                self.statement_of(item)
        self.scopes.leave()
        return found

    def changed(
        self, lvalue: Lvalue, operator: str, by: Operand, node: c_ast.Node
    ) -> tuple[Operand, Operand]:
        """An atomic variable changes in one step; what it was, and what it is."""

        def new(old: Operand) -> Expression:
            return convert(self.operation(operator, old, by, node), lvalue.type)

        old = self.change(lvalue, new, node)
        return old, Operand(new(old), lvalue.type, points_to=lvalue.points_to)

    def increment(self, op: str, target: c_ast.Node, node: c_ast.Node) -> Operand:
        lvalue = self.lvalue(target)
        if lvalue.atomic:
            old, new = self.changed(lvalue, op[-1], Operand(ONE, INT), node)
            return old if op.startswith("p") else new
        old = self.read(lvalue, target)
        if not lvalue.shared:
            old = self.keep(old, node)
        sign = "+" if op.endswith("++") else "-"
        new = self.operation(sign, old, Operand(ONE, INT), node)
        stored = convert(new, lvalue.type)
        self.write(lvalue, stored, node)
        return old if op.startswith("p") else Operand(stored, lvalue.type, points_to=lvalue.points_to)

    def assignment(self, op: str, lvalue: c_ast.Node, rvalue: c_ast.Node, node: c_ast.Node) -> Operand:
        cases = self.cases(lvalue)
        if op == "=" and isinstance(cases[0][1], Structure):
            return copy(self, cases, self.value(rvalue), node)
        target = self.lvalue_of(cases, lvalue)
        if op != "=" and target.atomic:
            return self.changed(target, op[:-1], self.keep(self.value(rvalue), node), node)[1]
        if op == "=":
            value = self.value(rvalue)
            self.look_at_kinds(value, target, node)
        else:
            old = self.read(target, lvalue)
            if not is_plain(rvalue):
                old = self.keep(old, node)
            value = self.operation(op[:-1], old, self.value(rvalue), node)
        stored = convert(value, target.type)
        if not isinstance(stored, Constant):
            stored = (
                self.keep(Operand(stored, target.type), node).expression if len(target.cases) > 1 else stored
            )
        self.write(target, stored, node)
        is_plain_local = not target.shared and len(target.cases) == 1
        return Operand(target.value if is_plain_local else stored, target.type, points_to=target.points_to)

    def cast(self, to_type: c_ast.Node, operand: c_ast.Node) -> Operand:
        value = self.value(operand)
        pointed = self.pointer_to(to_type)
        if pointed:
            known = value.points_to in ("", "void", pointed) or pointed == "void"
            if not known:
                self.refuse_kind(to_type)
            kept = value.points_to if pointed == "void" else pointed
            return Operand(convert(value, POINTER), POINTER, points_to=kept or "void")
        type_ = self.cast_type(to_type)
        if type_ is None:  # To void: nobody looks at it.
            return value
        self.look_at_number(value, type_, to_type)
        return Operand(convert(value, type_), type_)

    # Conditions

    def lazily(self, node: c_ast.BinaryOp) -> Operand:
        if self.becomes_formula(node):
            return self.formula(node)
        if self.is_simple(node.right):
            left = truth(self.value(node.left))
            right = truth(self.value(node.right))
            return of_truth(apply("&&" if node.op == "&&" else "||", left, right))
        result = self.fresh("$truth")
        yes, no, end = (self.graph.place() for _ in range(3))
        span = self.span(node)
        self.condition(node, yes, no)
        for place, value in ((yes, ONE), (no, ZERO)):
            self.graph.here = place
            self.graph.locally(Assign((result,), (value,), span))
            self.graph.go(end, span)
        self.graph.here = end
        return Operand(Variable(result), INT)

    def choice(
        self, condition: c_ast.Node, then: c_ast.Node, otherwise: c_ast.Node, node: c_ast.Node
    ) -> Operand:
        if isinstance(then, c_ast.ID) and then.name == SAME:
            return self.same_or(condition, otherwise, node)
        if self.becomes_formula(node) and not self.unevaluated(then).cases:
            return self.formula(node)
        if self.is_simple(then) and self.is_simple(otherwise):
            test = truth(self.value(condition))
            left, right = self.value(then), self.value(otherwise)
            if left.cases:
                return either(truth(self.keep(of_truth(test), node)), left, right)
            type_ = common(left.type, right.type)
            chosen = apply("?", test, convert(left, type_), convert(right, type_))
            return Operand(chosen, type_, points_to=left.points_to or right.points_to)
        values = [self.unevaluated(each) for each in (then, otherwise)]
        if values[0].cases:
            return choose(self, condition, (then, otherwise), values[0], node)
        result = self.fresh("$chosen")
        pointers = {each.points_to for each in values if each.points_to}
        type_ = POINTER if pointers else common(*(each.type for each in values))
        yes, no, end = (self.graph.place() for _ in range(3))
        span = self.span(node)
        self.condition(condition, yes, no)
        for place, part in ((yes, then), (no, otherwise)):
            self.graph.here = place
            self.graph.locally(Assign((result,), (convert(self.value(part), type_),), span))
            self.graph.go(end, span)
        self.graph.here = end
        named = sorted(pointers - {"void"}) or sorted(pointers)
        return Operand(Variable(result), type_, points_to=named[0] if named else "")

    def same_or(self, condition: c_ast.Node, otherwise: c_ast.Node, node: c_ast.Node) -> Operand:
        """`a ?: b`: the value of `a` is found once."""
        value = self.value(condition)
        name = self.fresh("$same")
        self.graph.locally(Assign((name,), (value.expression,), self.span(node)))
        self.scopes.enter()
        self.scopes.declare(KEPT, Scalar(name, value.type, shared=False, points_to=value.points_to))
        same = c_ast.ID(KEPT, node.coord)  # In `a ?: b ?: c`, each hides that of the one around it.
        found = self.choice(same, same, otherwise, c_ast.TernaryOp(same, same, otherwise, node.coord))
        self.scopes.leave()
        return found

    def condition(self, node: c_ast.Node, yes: int, no: int) -> None:
        """Goes to one of two places."""
        match node:
            case c_ast.UnaryOp(op="!", expr=operand):
                self.condition(operand, no, yes)
            case c_ast.BinaryOp(op="&&" | "||" as op, left=left, right=right):
                middle = self.graph.place()
                if op == "&&":
                    self.condition(left, middle, no)
                else:
                    self.condition(left, yes, middle)
                if self.graph.come_to(middle):
                    self.condition(right, yes, no)
            case c_ast.FuncCall() if self.atomic_test(node, yes, no):
                pass
            case _:
                test = fold(truth(self.value(node)))
                span = self.span(node)
                if isinstance(test, Constant):
                    self.graph.go(yes if test.value else no, span)
                else:
                    self.graph.branch(test, yes, no, span, f"if ({CGenerator().visit(node)})")

    def is_simple(self, node: c_ast.Node) -> bool:
        """Whether nobody can see when, or whether, it is evaluated."""
        return is_plain(node) and (self.reads_directly or not self.has_shared(node))

    def becomes_formula(self, node: c_ast.Node) -> bool:
        """Whether an expression in an atomic section can be found in one action, however it branches: others
        do not come in between, and what is read depends on the same conditions."""
        if self.reads_directly or not (is_plain(node) and is_total(node) and self.has_shared(node)):
            return False
        if not reads_as_formula(node):
            return False
        return self.graph.is_atomic_here()

    def formula(self, node: c_ast.Node) -> Operand:
        """The value of an expression that one action computes."""
        self.reads_directly = True
        try:
            found = self.value(node)
        finally:
            self.reads_directly = False
        if found.cases:  # A structure is read where it is copied to.
            return found
        span = self.span(node)
        name = self.fresh("$value")
        self.graph.shared((Assign((name,), (found.expression,), span),), span, self.told())
        return Operand(Variable(name), found.type, points_to=found.points_to)

    def has_shared(self, node: c_ast.Node) -> bool:
        """Whether evaluating it reads something that others can change."""
        match node:
            case c_ast.ID(name=name):
                symbol = self.scopes.find(name)
                return isinstance(symbol, Scalar) and symbol.shared
            case c_ast.StructRef() | c_ast.UnaryOp(op="*") | c_ast.ArrayRef():
                return True  # Or it may fail.
            case _:
                return any(self.has_shared(child) for _, child in node.children())

    # Left to subclasses

    @abstractmethod
    def statement_of(self, node: c_ast.Node | None) -> None:
        """A statement."""

    @abstractmethod
    def atomic_test(self, node: c_ast.FuncCall, yes: int, no: int) -> bool:
        """Goes to one of two places in the step of an atomic operation; whether the call is one."""

    @abstractmethod
    def size(self, node: c_ast.Node, where: c_ast.Node, is_alignment: bool) -> int:
        """The size or the alignment of a type, or of what an expression stands for."""

    @abstractmethod
    def unevaluated(self, node: c_ast.Node) -> Operand:
        """The type of an expression; its value means nothing."""

    @abstractmethod
    def address_at(self, operand: c_ast.Node, node: c_ast.Node) -> Operand:
        """`&x`"""

    @abstractmethod
    def look_at_overlap(self, node: c_ast.Node) -> None:
        """Raises `InputError` where equal addresses may differ."""

    @abstractmethod
    def look_at_moves(self, node: c_ast.Node) -> None:
        """Raises `InputError` at sums whose unit is not known."""

    @abstractmethod
    def temporary(self, symbol: Symbol) -> Symbol:
        """New locals of the same types."""

    @abstractmethod
    def literal(self, text: str, values: list[int]) -> Array:
        """The array that a string stands for."""

    @abstractmethod
    def call(self, node: c_ast.FuncCall) -> Operand:
        """The value of a call."""

    @abstractmethod
    def cast_type(self, node: c_ast.Node) -> CType | None:
        """The type to which a cast converts."""
