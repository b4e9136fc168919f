"""Expressions of C to steps: each access to something shared is a step of its own.

Operands are evaluated from left to right, and the verdict says so. The right side of `&&`, `||` and `?:` is
evaluated only if it matters; where that accesses something shared, it becomes a branch.
"""

from abc import ABC, abstractmethod

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from seriatim.frontends.c.graph import Graph
from seriatim.frontends.c.operators import (
    ONE,
    ZERO,
    Operand,
    combined,
    convert,
    negated,
    of_truth,
    opposite,
    truth,
)
from seriatim.frontends.c.preprocessing import OFFSET
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Enumerator, Scalar, Scopes, Structure, Symbol
from seriatim.frontends.c.types import INT, LONG, UNSIGNED, UNSIGNED_LONG, CType, common, promoted
from seriatim.program.threads.expressions import Binary, Conditional, Constant, Expression, Variable
from seriatim.program.threads.syntax import Assign, Havoc, Integers, Range, Type
from seriatim.source import Span

POINTERS = "only `&x` as an argument, and `*p` of such a parameter, can be translated"


class Expressions(ABC):
    """Builds the graph of one thread; calls are left to a subclass."""

    def __init__(self, file: str, names: dict[str, Symbol]) -> None:
        self.file = file
        self.graph = Graph()
        self.scopes = Scopes(names)
        self.types: dict[str, Type] = {}
        """Of the thread's locals."""
        self.statement = ""
        """The text of the statement that is translated."""

    # Places and names

    def span(self, node: c_ast.Node) -> Span:
        coordinate = node.coord
        if coordinate is None:
            return Span(1, 1, 1, 1, self.file)
        line, column = coordinate.line, coordinate.column or 1
        if line == 1:
            column = max(1, column - OFFSET)
        return Span(line, column, line, column + 1, self.file)

    def fresh(self, hint: str, type_: Type | None = None) -> str:
        """A new local."""
        name = hint
        number = 1
        while name in self.types or name in self.scopes.blocks[0]:  # Globals keep their names.
            number += 1
            name = f"{hint}${number}"
        self.types[name] = type_ or Integers()
        return name

    def told(self, access: str = "") -> str:
        return f"{access}: {self.statement}" if access else self.statement

    # Reading and writing

    def read(self, scalar: Scalar, node: c_ast.Node) -> Operand:
        if not scalar.shared:
            return Operand(Variable(scalar.name), scalar.type)
        copy = self.fresh(f"${scalar.name}")
        span = self.span(node)
        self.graph.shared(
            (Assign((copy,), (Variable(scalar.name),), span),), span, self.told(f"reads {scalar.name}")
        )
        return Operand(Variable(copy), scalar.type)

    def write(self, scalar: Scalar, value: Expression, node: c_ast.Node) -> None:
        span = self.span(node)
        action = Assign((scalar.name,), (value,), span)
        if scalar.shared:
            self.graph.shared((action,), span, self.told(f"writes {scalar.name}"))
        else:
            self.graph.locally(action)

    def any_value(self, type_: CType, node: c_ast.Node) -> Operand:
        """What the environment chooses, within the type."""
        name = self.fresh("$any", Range(type_.low, type_.high))
        self.graph.locally(Havoc(name, self.span(node)))
        return Operand(Variable(name), type_)

    def keep(self, operand: Operand, node: c_ast.Node) -> Operand:
        """The value as it is now, whatever happens to its variables later."""
        if isinstance(operand.expression, Constant):
            return operand
        name = self.fresh("$value")
        self.graph.locally(Assign((name,), (operand.expression,), self.span(node)))
        return Operand(Variable(name), operand.type)

    # Lvalues

    def scalar(self, node: c_ast.Node) -> Scalar:
        """The variable that an expression stands for."""
        symbol = self.symbol(node)
        if isinstance(symbol, Scalar):
            return symbol
        return refuse("this as a value", self.span(node), "use variables of integer types")

    def symbol(self, node: c_ast.Node) -> Symbol:
        match node:
            case c_ast.ID(name=name):
                symbol = self.scopes.find(name)
                if symbol is None:
                    refuse(f"the name `{name}`, which is not declared,", self.span(node), "declare it")
                return symbol
            case c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name)):
                symbol = self.scopes.find(f"*{name}")
                if symbol is None:
                    refuse("a pointer", self.span(node), POINTERS)
                return symbol
            case c_ast.StructRef(name=base, type=".", field=c_ast.ID(name=member)):
                structure = self.symbol(base)
                if isinstance(structure, Structure) and member in structure.members:
                    return structure.members[member]
                return refuse(f"the member `{member}`", self.span(node), "use structures of integers")
            case c_ast.StructRef(name=c_ast.ID(name=name), type="->", field=c_ast.ID(name=member)):
                pointed = self.scopes.find(f"*{name}")
                if isinstance(pointed, Structure) and member in pointed.members:
                    return pointed.members[member]
                return refuse("a pointer", self.span(node), POINTERS)
            case c_ast.ArrayRef():
                return refuse("an array", self.span(node), "use a variable for each element")
            case _:
                return refuse("a pointer, or a value of this form,", self.span(node), POINTERS)

    # Values

    def value(self, node: c_ast.Node) -> Operand:
        match node:
            case c_ast.Constant():
                return self.constant(node)
            case c_ast.ID() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
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
            case c_ast.ExprList(exprs=parts):
                return [self.value(part) for part in parts][-1]
            case c_ast.FuncCall():
                return self.call(node)
            case _:
                name = type(node).__name__
                return refuse(f"an expression of this form ({name})", self.span(node), "use integers alone")

    def variable(self, node: c_ast.Node) -> Operand:
        symbol = self.scopes.find(node.name) if isinstance(node, c_ast.ID) else None
        if isinstance(symbol, Enumerator):
            return Operand(Constant(symbol.value), INT)
        return self.read(self.scalar(node), node)

    def unary(self, op: str, operand: c_ast.Node, node: c_ast.Node) -> Operand:
        match op:
            case "!":
                return negated(self.value(operand))
            case "-":
                return opposite(self.value(operand))
            case "+":
                found = self.value(operand)
                return Operand(convert(found, promoted(found.type)), promoted(found.type))
            case "++" | "--" | "p++" | "p--":
                return self.increment(op, operand, node)
            case _:
                return refuse(f"the operator `{op}`", self.span(node), "use integers alone")

    def left_operand(self, left: c_ast.Node, right: c_ast.Node) -> Operand:
        found = self.value(left)
        return found if is_plain(right) else self.keep(found, left)

    def operation(self, op: str, left: Operand, right: Operand, node: c_ast.Node) -> Operand:
        found = combined(op, left, right)
        if found is None:
            refuse(f"the operator `{op}`", self.span(node), "use arithmetic and comparisons")
        return found

    def constant(self, node: c_ast.Constant) -> Operand:
        text = node.value
        if node.type == "string":
            return Operand(ONE, LONG)  # Its address, which is not 0: a remark in a condition.
        if node.type == "char" and len(text) == 3:
            return Operand(Constant(ord(text[1])), INT)
        digits = text.rstrip("uUlL")
        try:
            number = int(digits, 8) if digits.startswith("0") and digits.isdigit() else int(digits, 0)
        except ValueError:
            return refuse(f"the constant {text}", self.span(node), "use integers alone")
        suffix = text[len(digits) :].lower()
        candidates = [UNSIGNED, UNSIGNED_LONG] if "u" in suffix else [INT, LONG, UNSIGNED_LONG]
        type_ = next(
            (each for each in candidates if number <= each.high and ("l" not in suffix or each.bits == 64)),
            None,
        )
        if type_ is None:
            refuse(f"the constant {text}", self.span(node), "use a smaller one")
        return Operand(Constant(number), type_)

    def increment(self, op: str, target: c_ast.Node, node: c_ast.Node) -> Operand:
        scalar = self.scalar(target)
        old = self.read(scalar, target)
        if not scalar.shared:
            old = self.keep(old, node)
        sign = "+" if op.endswith("++") else "-"
        new = self.operation(sign, old, Operand(ONE, INT), node)
        stored = convert(new, scalar.type)
        self.write(scalar, stored, node)
        return old if op.startswith("p") else Operand(stored, scalar.type)

    def assignment(self, op: str, lvalue: c_ast.Node, rvalue: c_ast.Node, node: c_ast.Node) -> Operand:
        scalar = self.scalar(lvalue)
        if op == "=":
            value = self.value(rvalue)
        else:
            old = self.read(scalar, lvalue)
            if not is_plain(rvalue):
                old = self.keep(old, node)
            value = self.operation(op[:-1], old, self.value(rvalue), node)
        stored = convert(value, scalar.type)
        self.write(scalar, stored, node)
        return Operand(Variable(scalar.name) if not scalar.shared else stored, scalar.type)

    def cast(self, to_type: c_ast.Node, operand: c_ast.Node) -> Operand:
        type_ = self.cast_type(to_type)
        value = self.value(operand)
        if type_ is None:  # To void, or to void *: nobody looks at it, or casts it back.
            return value
        return Operand(convert(value, type_), type_)

    # Conditions

    def lazily(self, node: c_ast.BinaryOp) -> Operand:
        if is_plain(node.right) and not self.has_shared(node.right):
            left = truth(self.value(node.left))
            right = truth(self.value(node.right))
            return of_truth(Binary("&&" if node.op == "&&" else "||", left, right))
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
        simple = (is_plain(each) and not self.has_shared(each) for each in (then, otherwise))
        if all(simple):
            test = truth(self.value(condition))
            left, right = self.value(then), self.value(otherwise)
            type_ = common(left.type, right.type)
            return Operand(Conditional(test, convert(left, type_), convert(right, type_)), type_)
        result = self.fresh("$chosen")
        yes, no, end = (self.graph.place() for _ in range(3))
        span = self.span(node)
        self.condition(condition, yes, no)
        types = []
        for place, part in ((yes, then), (no, otherwise)):
            self.graph.here = place
            value = self.value(part)
            types.append(value.type)
            self.graph.locally(Assign((result,), (value.expression,), span))
            self.graph.go(end, span)
        self.graph.here = end
        type_ = common(*types)
        if any(promoted(each) != type_ for each in types):
            refuse("`?:` with values of different types", span, "cast both to the same type")
        return Operand(Variable(result), type_)

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
                self.graph.here = middle
                self.condition(right, yes, no)
            case _:
                test = truth(self.value(node))
                span = self.span(node)
                if isinstance(test, Constant):
                    self.graph.go(yes if test.value else no, span)
                else:
                    self.graph.branch(test, yes, no, span, f"if ({CGenerator().visit(node)})")

    def has_shared(self, node: c_ast.Node) -> bool:
        """Whether evaluating it reads something that others can change."""
        match node:
            case c_ast.ID(name=name):
                symbol = self.scopes.find(name)
                return isinstance(symbol, Scalar) and symbol.shared
            case c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self.scalar(node).shared
            case _:
                return any(self.has_shared(child) for _, child in node.children())

    # Left to subclasses

    @abstractmethod
    def call(self, node: c_ast.FuncCall) -> Operand:
        """The value of a call."""

    @abstractmethod
    def cast_type(self, node: c_ast.Node) -> CType | None:
        """The type to which a cast converts."""


def is_plain(node: c_ast.Node) -> bool:
    """Whether evaluating it changes nothing."""
    match node:
        case c_ast.FuncCall() | c_ast.Assignment() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            return False
        case _:
            return all(is_plain(child) for _, child in node.children())
