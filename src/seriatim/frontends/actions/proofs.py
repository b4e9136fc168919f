"""Parses `sequential` blocks: which actions are ordered, how, and why."""

from collections.abc import Callable
from typing import TypeVar

from seriatim.actions.expressions import Expression
from seriatim.actions.syntax import (
    MAIN,
    Action,
    Argument,
    Collection,
    Fact,
    Gate,
    GateKind,
    Key,
    Order,
    Proof,
    Term,
    When,
)
from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.frontends.actions.scope import ABSTRACTION, INVARIANT, PLAIN, RESULT, STATE, Rights
from seriatim.frontends.actions.statements import Statements
from seriatim.source import Span, quote
from seriatim.terms.expressions import NOWHERE

Part = TypeVar("Part")


class ProofReader:
    """Reads one block, whose lines may stand in any order."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.expressions = statements.expressions
        self.cursor = statements.cursor
        self.scope = statements.scope
        self._lines: dict[str, list[object]] = {}
        self._order: Order | None = None
        self._measure: tuple[Term, ...] | None = None
        self._gates: list[Gate] | None = None

    def proof(self) -> Proof:
        start = self.cursor.expect("sequential")
        actions: list[str] = []
        while not self.cursor.at(":"):
            if actions:
                self.cursor.expect(",")
            actions.append(self._read_action(self.cursor.name("an action")))
        self.cursor.expect(":")
        if self.cursor.kind() is Kind.LINE_END:
            self.cursor.indented(self._line, "begin with `order …`")
        else:
            self._line()
        return self._assemble(tuple(actions), start.span)

    def _assemble(self, actions: tuple[str, ...], span: Span) -> Proof:
        names = tuple(name for name in self.scope.actions if name != MAIN)
        ordered = self._order.names if self._order is not None else actions or names
        order = self._order or Order(ordered, span=span if actions else NOWHERE)
        actions = actions or ordered
        missing = [name for name in actions if name not in ordered] + [n for n in ordered if n not in actions]
        if missing:
            message = f"{quote(missing[0])} is named in only one of `sequential` and `order`"
            raise wrong("SER556", message, order.span, "name the same actions in both")
        found = self._lines
        return Proof(
            actions=ordered,
            order=order,
            keys=tuple(x for x in found.get("key", ()) if isinstance(x, Key)),
            always=tuple(x for x in found.get("always", ()) if isinstance(x, Fact)),
            when=tuple(x for x in found.get("when", ()) if isinstance(x, When)),
            abstractions=tuple(x for x in found.get("abstract", ()) if isinstance(x, Action)),
            gates=None if self._gates is None else tuple(self._gates),
            measure=self._measure,
            ensures=tuple(x for x in found.get("ensures", ()) if isinstance(x, Fact)),
            invariants=tuple(x for x in found.get("invariant", ()) if isinstance(x, Fact)),
            span=span,
        )

    def _read_action(self, token: Token) -> str:
        if token.text == MAIN:
            raise wrong("SER556", "`main` always comes first, so it cannot be in the order", token.span)
        if token.text not in self.scope.actions:
            raise wrong(
                "SER552", f"there is no action {quote(token.text)}", token.span, self.scope.near(token.text)
            )
        return token.text

    def _line(self) -> None:
        token = self.cursor.token
        match token.text if token.kind is Kind.KEYWORD else "":
            case "order":
                self._read_order()
            case "key":
                self._keep("key", self._key())
            case "always":
                self.cursor.next()
                self._keep("always", self._fact(STATE))
            case "invariant":
                self.cursor.next()
                self._keep("invariant", self._fact(STATE))
            case "ensures":
                self.cursor.next()
                self._keep("ensures", self._fact(RESULT))
            case "when":
                self._keep("when", self._when())
            case "abstract":
                self._keep("abstract", self._abstract())
                return
            case "measure":
                self._read_measure()
            case "gate":
                self._read_gate()
            case _:
                wanted = "`order`, `key`, `always`, `when`, `abstract`, `gate`, `measure`"
                raise self.cursor.unexpected(f"{wanted}, `invariant` or `ensures`")
        self.cursor.end_line()

    def _read_list(self, read: Callable[[], Part]) -> list[Part]:
        """Returns what stands on the rest of the line; nothing in a program whose only action is `main`."""
        if self.cursor.kind() is Kind.LINE_END and set(self.scope.actions) <= {MAIN}:
            return []
        found = [read()]
        while self.cursor.accept(","):
            found.append(read())
        return found

    def _keep(self, what: str, line: object) -> None:
        self._lines.setdefault(what, []).append(line)

    def _with(self, rights: Rights) -> Expression:
        self.scope.rights = rights
        try:
            return self.expressions.condition()
        finally:
            self.scope.rights = PLAIN

    def _fact(self, rights: Rights) -> Fact:
        self.scope.variables = {}
        condition = self._with(rights)
        return Fact(condition, condition.span)

    def _read_order(self) -> None:
        start = self.cursor.next()
        if self._order is not None:
            raise wrong("SER556", "there are two orders", start.span, "keep one of them")
        names = self._read_list(lambda: self._read_action(self.cursor.name("an action")))
        if len(set(names)) < len(names):
            raise wrong("SER556", "an action is in the order twice", start.span)
        by_index = self.cursor.accept("by")
        if by_index:
            self.cursor.expect("index")
            without = [name for name in names if not self.scope.actions[name]]
            if without:
                message = f"{quote(without[0])} has no index to order it by"
                raise wrong("SER556", message, start.span, "give it a `key`, or order by name")
        self._order = Order(tuple(names), by_index, start.span)

    def _header(self) -> tuple[Token, tuple[str, ...]]:
        """An action with names for its arguments, which are then in reach."""
        token = self.cursor.name("an action")
        self._read_action(token)
        wanted = self.scope.actions[token.text]
        self.cursor.expect("(")
        names: list[str] = []
        self.scope.variables = {}
        while not self.cursor.at(")"):
            if names:
                self.cursor.expect(",")
            argument = self.cursor.name("a variable")
            if len(names) < len(wanted):
                self.scope.assign(argument, wanted[len(names)].type)
            names.append(argument.text)
        end = self.cursor.expect(")")
        if len(names) != len(wanted) or len(set(names)) < len(names):
            message = f"{quote(token.text)} has {len(wanted)} arguments, each with its own name"
            raise wrong("SER553", message, token.span.to(end.span))
        return token, tuple(names)

    def _key(self) -> Key:
        start = self.cursor.next()
        token, arguments = self._header()
        self.cursor.expect(":=")
        parts = [self.expressions.integer()]
        while self.cursor.accept(","):
            parts.append(self.expressions.integer())
        return Key(token.text, arguments, tuple(parts), start.span.to(parts[-1].span))

    def _when(self) -> When:
        start = self.cursor.next()
        action: str | None = None
        arguments: tuple[str, ...] = ()
        if self.cursor.accept("none"):
            self.scope.variables = {}
        else:
            token, arguments = self._header()
            action = token.text
        self.cursor.expect("next")
        self.cursor.expect(":")
        condition = self._with(INVARIANT)
        return When(action, arguments, condition, start.span.to(condition.span))

    def _abstract(self) -> Action:
        start = self.cursor.next()
        token, names = self._header()
        types = self.scope.actions[token.text]
        arguments = tuple(Argument(n, t.type) for n, t in zip(names, types, strict=True))
        self.scope.rights = ABSTRACTION
        try:
            body = self.statements.block()
        finally:
            self.scope.rights = PLAIN
        return Action(token.text, arguments, body, start.span.to(token.span))

    def _read_measure(self) -> None:
        start = self.cursor.next()
        if self._measure is not None:
            raise wrong("SER556", "there are two measures", start.span, "keep one of them")
        self._measure = tuple(self._read_list(self._term))

    def _term(self) -> Term:
        if self.cursor.accept("#"):
            return Term(self._read_action(self.cursor.name("an action")), True)
        word = self.cursor.token
        if word.text != "size":
            raise self.cursor.unexpected("`#action` or `size(global)`")
        self.cursor.next()
        self.cursor.expect("(")
        token = self.cursor.name("a set, bag or queue")
        declared = self.scope.globals.get(token.text)
        if declared is None or not isinstance(declared.type, Collection):
            raise wrong("SER553", f"{quote(token.text)} is not a set, bag or queue", token.span)
        self.cursor.expect(")")
        return Term(token.text, False)

    def _read_gate(self) -> None:
        self.cursor.next()
        action = self._read_action(self.cursor.name("an action"))
        self._gates = self._gates or []
        self.cursor.expect(":")
        while True:
            word = self.cursor.next()
            match word.text:
                case GateKind.EARLIEST | GateKind.ENABLED:
                    self._gates.append(Gate(action, GateKind(word.text)))
                case GateKind.WAITS:
                    self.cursor.expect("(")
                    other = self._read_action(self.cursor.name("an action"))
                    self.cursor.expect(")")
                    self._gates.append(Gate(action, GateKind.WAITS, other))
                case "none":
                    pass
                case _:
                    hint = "conjuncts are `earliest`, `enabled` and `waits(action)`, or `none`"
                    raise wrong("SER551", f"no conjunct of a gate: {quote(word.text)}", word.span, hint)
            if not self.cursor.accept(","):
                break
