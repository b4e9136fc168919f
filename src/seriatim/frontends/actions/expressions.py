"""Parses expressions and resolves their names and types at once, by recursive descent."""

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Binder,
    Booleans,
    Cell,
    Copies,
    Domain,
    Expression,
    First,
    Fold,
    InMajority,
    Integers,
    Majorities,
    Members,
    Parameter,
    Pending,
    Quantified,
    Size,
    Symbol,
    Target,
)
from seriatim.actions.syntax import Collection, CollectionKind, MajorityType, ValueType
from seriatim.frontends.actions.cursor import Cursor
from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.frontends.actions.scope import BOOL, INT, Scope, Typed, type_name
from seriatim.source import InputError, Span, quote
from seriatim.terms.expressions import Apply, Constant, Variable
from seriatim.terms.operators import INFIX, Op

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_MAX_DEPTH = 100
_CONNECTED: dict[str, Op] = {"and": "&&", "or": "||"}


class Expressions:
    """Operators, by how tightly they bind; then operands: names, cells, quantifiers and calls."""

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self.cursor = cursor
        self.scope = scope
        self._depth = 0

    def expression(self) -> Typed:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise wrong(
                "SER551", "this expression is nested too deeply", self.cursor.token.span, "split it up"
            )
        try:
            return self._conditional()
        finally:
            self._depth -= 1

    def _conditional(self) -> Typed:
        one = self._implication()
        if not self.cursor.accept("if"):
            return one
        condition = self._of(BOOL, self._implication())
        self.cursor.expect("else")
        other = self._of(one.type, self.expression())
        span = one.expression.span.to(other.span)
        return Typed(Apply("?", (condition, one.expression, other), span), one.type)

    def _implication(self) -> Typed:
        left = self._chain("or")
        if not self.cursor.accept("=>"):
            return left
        right = self._implication()
        return self._connect("==>", left, right)

    def _conjunction(self) -> Typed:
        return self._chain("and")

    def _chain(self, word: str) -> Typed:
        parse = self._conjunction if word == "or" else self._negation
        left = parse()
        while self.cursor.accept(word):
            left = self._connect(_CONNECTED[word], left, parse())
        return left

    def _connect(self, operator: Op, left: Typed, right: Typed) -> Typed:
        one, other = self._of(BOOL, left), self._of(BOOL, right)
        return Typed(Apply(operator, (one, other), one.span.to(other.span)), BOOL)

    def _negation(self) -> Typed:
        start = self.cursor.token
        if self.cursor.accept("not"):
            operand = self._of(BOOL, self._negation())
            return Typed(Apply("!", (operand,), start.span.to(operand.span)), BOOL)
        return self._comparison()

    def _comparison(self) -> Typed:
        left = self.sum_of_products()
        found: list[Typed] = []
        while self.cursor.token.text in _COMPARISONS and self.cursor.token.kind is Kind.SYMBOL:
            operator = INFIX[self.cursor.next().text]
            right = self.sum_of_products()
            found.append(self._compare(operator, left, right))
            left = right
        if not found:
            return self._membership(left) if self.cursor.at("in") else left
        whole = found[0]
        for each in found[1:]:  # `1 <= k <= N` means `1 <= k and k <= N`
            whole = self._connect("&&", whole, each)
        return whole

    def _compare(self, operator: Op, left: Typed, right: Typed) -> Typed:
        span = left.expression.span.to(right.expression.span)
        if left.type != right.type:
            message = f"{type_name(left.type)} is compared with {type_name(right.type)}"
            raise wrong("SER553", message, span)
        if isinstance(left.type, MajorityType):
            raise wrong("SER553", "quorums cannot be compared", span, "compare their members with `in`")
        if operator not in ("==", "!=") and left.type != INT:
            raise wrong("SER553", f"`{operator}` compares integers, not {type_name(left.type)}", span)
        return Typed(Apply(operator, (left.expression, right.expression), span), BOOL)

    def _membership(self, left: Typed) -> Typed:
        self.cursor.expect("in")
        token = self.cursor.token
        if token.text in self.scope.globals and isinstance(self.scope.globals[token.text].type, Collection):
            target, type_ = self.target()
            if len(type_.message) != 1:
                hint = "use `copies((a, b), target)`"
                raise wrong("SER553", "messages of this global have several parts", token.span, hint)
            message = self._of(type_.message[0], left)
            copies = Copies((message,), target, message.span.to(target.span))
            return Typed(Apply(">", (copies, Constant(0, token.span)), copies.span), BOOL)
        majority = self.sum_of_products()
        if not isinstance(majority.type, MajorityType):
            raise wrong("SER553", "`in` needs a set, a bag or a quorum", majority.expression.span)
        member = self._of(INT, left)
        span = member.span.to(majority.expression.span)
        return Typed(InMajority(member, majority.expression, span), BOOL)

    def sum_of_products(self) -> Typed:
        left = self._product()
        while self.cursor.at("+", "-"):
            operator = INFIX[self.cursor.next().text]
            left = self._calculate(operator, left, self._product())
        return left

    def _product(self) -> Typed:
        left = self._prefix()
        while self.cursor.accept("*"):
            left = self._calculate("*", left, self._prefix())
        return left

    def _calculate(self, operator: Op, left: Typed, right: Typed) -> Typed:
        one, other = self._of(INT, left), self._of(INT, right)
        return Typed(Apply(operator, (one, other), one.span.to(other.span)), INT)

    def _prefix(self) -> Typed:
        start = self.cursor.token
        if self.cursor.accept("-"):
            operand = self._of(INT, self._prefix())
            if isinstance(operand, Constant) and not isinstance(operand.value, bool):
                return Typed(Constant(-operand.value, start.span.to(operand.span)), INT)
            return Typed(Apply("neg", (operand,), start.span.to(operand.span)), INT)
        return self._primary()

    def _primary(self) -> Typed:
        token = self.cursor.token
        if token.kind is Kind.NUMBER:
            self.cursor.next()
            return Typed(Constant(int(token.text), token.span), INT)
        if self.cursor.at("true", "false"):
            self.cursor.next()
            return Typed(Constant(token.text == "true", token.span), BOOL)
        if self.cursor.accept("("):
            inside = self.expression()
            self.cursor.expect(")")
            return inside
        if self.cursor.at("all", "some"):
            return self._parse_quantifier()
        if self.cursor.at("old"):
            return self._old()
        if token.kind is Kind.NAME:
            return self._call() if self.cursor.follows("(") else self._parse_named()
        raise self.cursor.unexpected("an expression")

    def integer(self) -> Expression:
        return self._of(INT, self.expression())

    def condition(self) -> Expression:
        return self._of(BOOL, self.expression())

    def of_type(self, type_: ValueType) -> Expression:
        return self._of(type_, self.expression())

    def _of(self, type_: ValueType, found: Typed) -> Expression:
        if found.type != type_:
            message = f"expected {type_name(type_)}, but this is {type_name(found.type)}"
            raise wrong("SER553", message, found.expression.span)
        return found.expression

    # --- names --------------------------------------------------------------------------------------------

    def _parse_named(self) -> Typed:
        token, scope = self.cursor.token, self.scope
        name = token.text
        if name in scope.variables:
            self.cursor.next()
            return Typed(Variable(name, token.span), scope.variables[name])
        if name in scope.sizes:
            self.cursor.next()
            return Typed(Parameter(name, token.span), INT)
        if name in scope.symbols:
            self.cursor.next()
            enum = scope.symbols[name]
            return Typed(Symbol(enum.name, name, enum.members.index(name), token.span), enum)
        if name in scope.globals:
            cell, type_ = self.cell()
            return Typed(cell, type_)
        hint = scope.near(name) or "declare it, or assign it before it is read"
        raise wrong("SER552", f"there is no {quote(name)} here", token.span, hint)

    def _indices(self, token: Token) -> tuple[tuple[Expression, ...], Span]:
        found: list[Expression] = []
        span = token.span
        while self.cursor.accept("["):
            found.append(self.integer())
            span = span.to(self.cursor.expect("]").span)
        wanted = len(self.scope.globals[token.text].ranges)
        if len(found) != wanted:
            message = f"{quote(token.text)} has {wanted} indices, but here are {len(found)}"
            raise wrong("SER553", message, span)
        return tuple(found), span

    def cell(self, old: bool = False) -> tuple[Cell, ValueType]:
        """A global with a value, or an element of an array of values."""
        token = self.cursor.name("a global")
        declared = self.scope.globals.get(token.text)
        if declared is None:
            raise wrong(
                "SER552", f"there is no global {quote(token.text)}", token.span, self.scope.near(token.text)
            )
        type_ = declared.type
        if isinstance(type_, Collection):
            hint = "use size(…), copies(…), first(…), send or receive"
            raise wrong("SER553", f"{quote(token.text)} is a {type_.kind}, not a value", token.span, hint)
        indices, span = self._indices(token)
        return Cell(token.text, indices, old, span), type_

    def target(self, old: bool = False) -> tuple[Target, Collection]:
        """Reads the name of a set, bag or queue, with its indices."""
        token = self.cursor.name("a set, bag or queue")
        declared = self.scope.globals.get(token.text)
        if declared is None or not isinstance(declared.type, Collection):
            raise wrong("SER553", f"{quote(token.text)} is not a set, bag or queue", token.span)
        indices, span = self._indices(token)
        return Target(token.text, indices, old, span), declared.type

    def _old(self) -> Typed:
        start = self.cursor.expect("old")
        if not self.scope.rights.old:
            hint = "only `when` and `ensures` speak of the time before the program started"
            raise wrong("SER554", "`old` is not allowed here", start.span, hint)
        self.cursor.expect("(")
        cell, type_ = self.cell(old=True)
        self.cursor.expect(")")
        return Typed(cell, type_)

    # --- quantifiers and calls ----------------------------------------------------------------------------

    def domain(self) -> tuple[Domain, ValueType]:
        """A range, an enumeration, a family of quorums, `bool` or `int`."""
        token = self.cursor.token
        if self.cursor.accept("bool"):
            return Booleans(), BOOL
        if self.cursor.accept("int"):
            return Integers(), INT
        if token.text in self.scope.enums:
            self.cursor.next()
            enum = self.scope.enums[token.text]
            return Members(enum.name, len(enum.members)), enum
        if token.text in self.scope.families:
            self.cursor.next()
            return Majorities(token.text), MajorityType(token.text)
        return self.between(), INT

    def between(self) -> Between:
        low = self._of(INT, self.sum_of_products())
        self.cursor.expect("..")
        return Between(low, self._of(INT, self.sum_of_products()))

    def binder(self) -> tuple[Binder, ValueType]:
        token = self.cursor.name("a variable")
        if self.scope.is_taken(token.text):
            raise wrong(
                "SER552", f"{quote(token.text)} already means something", token.span, "choose another name"
            )
        self.cursor.expect("in")
        start = self.cursor.token
        domain, type_ = self.domain()
        if isinstance(domain, Integers) and not self.scope.rights.integers:
            hint = "name a range; only `always` and `when` may speak of all integers"
            raise wrong("SER554", "`int` is not a range", start.span, hint)
        return Binder(token.text, domain), type_

    def _parse_quantifier(self) -> Typed:
        start = self.cursor.next()
        kept = dict(self.scope.variables)
        binders: list[Binder] = []
        while True:
            binder, type_ = self.binder()
            binders.append(binder)
            self.scope.variables[binder.name] = type_
            if not self.cursor.accept(","):
                break
        self.cursor.expect(":")
        body = self._of(BOOL, self.expression())
        self.scope.variables = kept
        span = start.span.to(body.span)
        return Typed(Quantified(start.text == "all", tuple(binders), body, span), BOOL)

    def _call(self) -> Typed:
        token = self.cursor.next()
        self.cursor.expect("(")
        match token.text:
            case "sum" | "count":
                return self._aggregate(Fold(token.text), token)
            case "min" | "max":
                return self._extreme(token)
            case "size":
                target, _ = self.target()
                return Typed(Size(target, self._end(token)), INT)
            case "first":
                return self._first(token)
            case "copies":
                return self._copies(token)
            case "pending":
                return self._pending(token)
            case name:
                hint = "functions are sum, count, max, min, size, copies, first and pending"
                raise wrong("SER552", f"there is no function {quote(name)}", token.span, hint)

    def _end(self, token: Token) -> Span:
        return token.span.to(self.cursor.expect(")").span)

    def _aggregate(self, fold: Fold, token: Token) -> Typed:
        """The bound variable follows the body, so the range is read first."""
        start = self.cursor.position
        self._skip_to_for(token)
        self.cursor.expect("for")
        kept = dict(self.scope.variables)
        binder, type_ = self.binder()
        if not isinstance(binder.domain, Between):
            raise wrong("SER553", f"`{token.text}` needs a range such as 1..N", token.span)
        end = self.cursor.position
        self.scope.variables[binder.name] = type_
        self.cursor.position = start
        body = self._of(BOOL if fold is Fold.COUNT else INT, self.expression())
        if not self.cursor.at("for"):
            raise self.cursor.unexpected("`for`")
        self.cursor.position = end
        self.scope.variables = kept
        return Typed(Aggregate(fold, body, binder, self._end(token)), INT)

    def _skip_to_for(self, token: Token) -> None:
        depth = 0
        while depth or not self.cursor.at("for"):
            if self.cursor.token.kind in (Kind.LINE_END, Kind.END) or (not depth and self.cursor.at(")")):
                raise wrong("SER551", f"`{token.text}` needs `… for x in range`", token.span)
            depth += self.cursor.at("(", "[") - self.cursor.at(")", "]")
            self.cursor.next()

    def _extreme(self, token: Token) -> Typed:
        start = self.cursor.position
        try:
            left = self.integer()
            self.cursor.expect(",")
        except InputError:
            self.cursor.position = start
            if token.text == "min":
                raise
            return self._aggregate(Fold.MAX, token)
        right = self.integer()
        return Typed(Apply("max" if token.text == "max" else "min", (left, right), self._end(token)), INT)

    def _first(self, token: Token) -> Typed:
        target, type_ = self.target()
        if type_.kind is not CollectionKind.QUEUE or len(type_.message) != 1:
            raise wrong("SER553", "`first` needs a queue of single values", target.span)
        return Typed(First(target, self._end(token)), type_.message[0])

    def _copies(self, token: Token) -> Typed:
        start = self.cursor.position
        depth = 0
        while depth or not self.cursor.at(
            ","
        ):  # the types of the message stand in the target, which comes second
            if self.cursor.token.kind in (Kind.LINE_END, Kind.END):
                raise self.cursor.unexpected("`,` and a target")
            depth += self.cursor.at("(", "[") - self.cursor.at(")", "]")
            self.cursor.next()
        self.cursor.expect(",")
        target, type_ = self.target()
        end = self.cursor.position
        if type_.kind is CollectionKind.QUEUE:
            raise wrong("SER553", "`copies` needs a set or a bag", target.span)
        self.cursor.position = start
        message = self.message(type_)
        self.cursor.position = end
        return Typed(Copies(message, target, self._end(token)), INT)

    def message(self, type_: Collection) -> tuple[Expression, ...]:
        """Returns what a set, bag or queue contains; several parts stand in parentheses."""
        if len(type_.message) == 1:
            return (self.of_type(type_.message[0]),)
        if not self.cursor.at("("):
            hint = "a message of several parts is in parentheses, such as `send(box, (1, yes))`"
            raise wrong("SER551", "expected `(`", self.cursor.token.span, hint)
        self.cursor.expect("(")
        parts: list[Expression] = []
        for number, part in enumerate(type_.message):
            if number:
                self.cursor.expect(",")
            parts.append(self.of_type(part))
        self.cursor.expect(")")
        return tuple(parts)

    def _pending(self, token: Token) -> Typed:
        if not self.scope.rights.pending:
            hint = "`always`, `when` and abstractions may use it"
            raise wrong("SER554", "`pending` is not allowed here", token.span, hint)
        action, arguments = self.instance()
        return Typed(Pending(action, arguments, self._end(token)), INT)

    def instance(self) -> tuple[str, tuple[Expression, ...]]:
        """An action with its arguments."""
        token = self.cursor.name("an action")
        if token.text not in self.scope.actions:
            raise wrong(
                "SER552", f"there is no action {quote(token.text)}", token.span, self.scope.near(token.text)
            )
        wanted = self.scope.actions[token.text]
        self.cursor.expect("(")
        found: list[Expression] = []
        while not self.cursor.at(")"):
            if found:
                self.cursor.expect(",")
            if len(found) < len(wanted):
                found.append(self.of_type(wanted[len(found)].type))
            else:
                found.append(self.expression().expression)
        end = self.cursor.expect(")")
        if len(found) != len(wanted):
            message = f"{quote(token.text)} takes {len(wanted)} arguments, but here are {len(found)}"
            raise wrong("SER553", message, token.span.to(end.span))
        return token.text, tuple(found)
