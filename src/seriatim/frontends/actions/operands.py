"""Parses operands: names, cells, quantifiers, and calls such as sum, copies and pending."""

from abc import ABC, abstractmethod

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
from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.frontends.actions.scope import BOOL, INT, Typed, type_name
from seriatim.frontends.actions.tokens import TokenReader
from seriatim.source import InputError, Span, quote
from seriatim.terms.expressions import Apply, Variable


class OperandParser(TokenReader, ABC):
    """Reads what expressions are made of; whole expressions are up to those who extend it."""

    @abstractmethod
    def expression(self) -> Typed: ...

    @abstractmethod
    def sum_of_products(self) -> Typed: ...

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
        token, scope = self.token, self.scope
        name = token.text
        if name in scope.variables:
            self.next()
            return Typed(Variable(name, token.span), scope.variables[name])
        if name in scope.sizes:
            self.next()
            return Typed(Parameter(name, token.span), INT)
        if name in scope.symbols:
            self.next()
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
        while self.accept("["):
            found.append(self.integer())
            span = span.to(self.expect("]").span)
        wanted = len(self.scope.globals[token.text].ranges)
        if len(found) != wanted:
            message = f"{quote(token.text)} has {wanted} indices, but here are {len(found)}"
            raise wrong("SER553", message, span)
        return tuple(found), span

    def cell(self, old: bool = False) -> tuple[Cell, ValueType]:
        """A global with a value, or an element of an array of values."""
        token = self.name("a global")
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
        """A set, bag or queue."""
        token = self.name("a set, bag or queue")
        declared = self.scope.globals.get(token.text)
        if declared is None or not isinstance(declared.type, Collection):
            raise wrong("SER553", f"{quote(token.text)} is not a set, bag or queue", token.span)
        indices, span = self._indices(token)
        return Target(token.text, indices, old, span), declared.type

    def _old(self) -> Typed:
        start = self.expect("old")
        if not self.rights.old:
            hint = "only `when` and `ensures` speak of the time before the program started"
            raise wrong("SER554", "`old` is not allowed here", start.span, hint)
        self.expect("(")
        cell, type_ = self.cell(old=True)
        self.expect(")")
        return Typed(cell, type_)

    # --- quantifiers and calls ----------------------------------------------------------------------------

    def domain(self) -> tuple[Domain, ValueType]:
        """A range, an enumeration, a family of quorums, `bool` or `int`."""
        token = self.token
        if self.accept("bool"):
            return Booleans(), BOOL
        if self.accept("int"):
            return Integers(), INT
        if token.text in self.scope.enums:
            self.next()
            enum = self.scope.enums[token.text]
            return Members(enum.name, len(enum.members)), enum
        if token.text in self.scope.families:
            self.next()
            return Majorities(token.text), MajorityType(token.text)
        return self.between(), INT

    def between(self) -> Between:
        low = self._of(INT, self.sum_of_products())
        self.expect("..")
        return Between(low, self._of(INT, self.sum_of_products()))

    def binder(self) -> tuple[Binder, ValueType]:
        token = self.name("a variable")
        if self.scope.is_taken(token.text):
            raise wrong(
                "SER552", f"{quote(token.text)} already means something", token.span, "choose another name"
            )
        self.expect("in")
        start = self.token
        domain, type_ = self.domain()
        if isinstance(domain, Integers) and not self.rights.integers:
            hint = "name a range; only `always` and `when` may speak of all integers"
            raise wrong("SER554", "`int` is not a range", start.span, hint)
        return Binder(token.text, domain), type_

    def _parse_quantifier(self) -> Typed:
        start = self.next()
        kept = dict(self.scope.variables)
        binders: list[Binder] = []
        while True:
            binder, type_ = self.binder()
            binders.append(binder)
            self.scope.variables[binder.name] = type_
            if not self.accept(","):
                break
        self.expect(":")
        body = self._of(BOOL, self.expression())
        self.scope.variables = kept
        span = start.span.to(body.span)
        return Typed(Quantified(start.text == "all", tuple(binders), body, span), BOOL)

    def _call(self) -> Typed:
        token = self.next()
        self.expect("(")
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
        return token.span.to(self.expect(")").span)

    def _aggregate(self, fold: Fold, token: Token) -> Typed:
        """The bound variable follows the body, so the range is read first."""
        start = self.position
        self._skip_to_for(token)
        self.expect("for")
        kept = dict(self.scope.variables)
        binder, type_ = self.binder()
        if not isinstance(binder.domain, Between):
            raise wrong("SER553", f"`{token.text}` needs a range such as 1..N", token.span)
        end = self.position
        self.scope.variables[binder.name] = type_
        self.position = start
        body = self._of(BOOL if fold is Fold.COUNT else INT, self.expression())
        if not self.at("for"):
            raise self.unexpected("`for`")
        self.position = end
        self.scope.variables = kept
        return Typed(Aggregate(fold, body, binder, self._end(token)), INT)

    def _skip_to_for(self, token: Token) -> None:
        depth = 0
        while depth or not self.at("for"):
            if self.token.kind in (Kind.LINE_END, Kind.END) or (not depth and self.at(")")):
                raise wrong("SER551", f"`{token.text}` needs `… for x in range`", token.span)
            depth += self.at("(", "[") - self.at(")", "]")
            self.next()

    def _extreme(self, token: Token) -> Typed:
        start = self.position
        try:
            left = self.integer()
            self.expect(",")
        except InputError:
            self.position = start
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
        start = self.position
        depth = 0
        while depth or not self.at(","):  # the types of the message stand in the target, which comes second
            if self.token.kind in (Kind.LINE_END, Kind.END):
                raise self.unexpected("`,` and a target")
            depth += self.at("(", "[") - self.at(")", "]")
            self.next()
        self.expect(",")
        target, type_ = self.target()
        end = self.position
        if type_.kind is CollectionKind.QUEUE:
            raise wrong("SER553", "`copies` needs a set or a bag", target.span)
        self.position = start
        message = self.message(type_)
        self.position = end
        return Typed(Copies(message, target, self._end(token)), INT)

    def message(self, type_: Collection) -> tuple[Expression, ...]:
        """What a set, bag or queue contains; several parts stand in parentheses."""
        if len(type_.message) == 1:
            return (self.of_type(type_.message[0]),)
        if not self.at("("):
            hint = "a message of several parts is in parentheses, such as `send(box, (1, yes))`"
            raise wrong("SER551", "expected `(`", self.token.span, hint)
        self.expect("(")
        parts: list[Expression] = []
        for number, part in enumerate(type_.message):
            if number:
                self.expect(",")
            parts.append(self.of_type(part))
        self.expect(")")
        return tuple(parts)

    def _pending(self, token: Token) -> Typed:
        if not self.rights.pending:
            hint = "`always`, `when` and abstractions may use it"
            raise wrong("SER554", "`pending` is not allowed here", token.span, hint)
        action, arguments = self.instance()
        return Typed(Pending(action, arguments, self._end(token)), INT)

    def instance(self) -> tuple[str, tuple[Expression, ...]]:
        """An action with its arguments."""
        token = self.name("an action")
        if token.text not in self.scope.actions:
            raise wrong(
                "SER552", f"there is no action {quote(token.text)}", token.span, self.scope.near(token.text)
            )
        wanted = self.scope.actions[token.text]
        self.expect("(")
        found: list[Expression] = []
        while not self.at(")"):
            if found:
                self.expect(",")
            if len(found) < len(wanted):
                found.append(self.of_type(wanted[len(found)].type))
            else:
                found.append(self.expression().expression)
        end = self.expect(")")
        if len(found) != len(wanted):
            message = f"{quote(token.text)} takes {len(wanted)} arguments, but here are {len(found)}"
            raise wrong("SER553", message, token.span.to(end.span))
        return token.text, tuple(found)
