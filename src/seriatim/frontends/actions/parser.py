"""Parses asynchronous programs: declarations, then actions, then at most one proof."""

from seriatim.actions.expressions import Between, Expression, Parameter
from seriatim.actions.syntax import (
    MAIN,
    Action,
    ActionProgram,
    Argument,
    Collection,
    CollectionKind,
    EnumType,
    Fact,
    Family,
    Global,
    MajorityType,
    Proof,
    Size,
    ValueType,
)
from seriatim.frontends.actions.constants import check_constants
from seriatim.frontends.actions.cursor import Cursor
from seriatim.frontends.actions.lexer import Kind, Lexer, Token, wrong
from seriatim.frontends.actions.proofs import ProofReader
from seriatim.frontends.actions.scope import Scope
from seriatim.frontends.actions.statements import Statements
from seriatim.source import InputError, SourceText, quote
from seriatim.terms.expressions import Apply, Constant


def parse(source: SourceText) -> ActionProgram:
    """Parses an asynchronous program; raises `InputError` with all mistakes."""
    tokens = Lexer(source.text, source.name).tokens()
    return Definitions(Cursor(tokens), Scope()).program()


class Definitions:
    """Reads a whole text: what stands in it side by side."""

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self.cursor = cursor
        self.scope = scope
        self.statements = Statements(cursor, scope)
        self.expressions = self.statements.expressions
        self._initially: list[Fact] = []
        self._actions: list[Action] = []
        self._proof: Proof | None = None

    def program(self) -> ActionProgram:
        self._signatures()
        while self.cursor.kind() is not Kind.END:
            if self.cursor.kind() in (Kind.INDENT, Kind.DEDENT, Kind.LINE_END):
                self.cursor.next()
                continue
            try:
                self._definition()
            except InputError as error:
                self.cursor.recover(error)
        if not self.cursor.findings and MAIN not in self.scope.actions:
            hint = "write `action main():` and start the others there with `async`"
            self.cursor.findings += wrong(
                "SER555", "there is no action `main`", self.cursor.token.span, hint
            ).diagnostics
        if self.cursor.findings:
            raise InputError(self.cursor.findings)
        scope = self.scope
        program = ActionProgram(
            tuple(scope.sizes.values()),
            tuple(scope.enums.values()),
            tuple(scope.families.values()),
            tuple(scope.globals.values()),
            tuple(self._initially),
            tuple(self._actions),
            self._proof,
        )
        findings = check_constants(program)
        if findings:
            raise InputError(findings)
        return program

    def _signatures(self) -> None:
        """Reads types and headers of actions first: an action may start one that is defined further down."""
        for position, token in enumerate(self.cursor.tokens):
            before = self.cursor.tokens[position - 1].kind if position else Kind.LINE_END
            if before not in (Kind.LINE_END, Kind.DEDENT) or token.span.column != 1:
                continue
            self.cursor.position = position
            try:
                match token.text:
                    case "param":
                        self._param()
                    case "enum":
                        self._enum()
                    case "quorums":
                        self._quorums()
                    case "action":
                        self._action_header()
            except InputError as error:
                self.cursor.findings += error.diagnostics
        if self.cursor.findings:
            raise InputError(self.cursor.findings)
        self.cursor.position = 0

    def _definition(self) -> None:
        token = self.cursor.token
        self.scope.variables = {}
        match token.text if token.kind is Kind.KEYWORD else "":
            case "param" | "enum" | "quorums":
                while self.cursor.kind() is not Kind.LINE_END:
                    self.cursor.next()
            case "initially":
                self.cursor.next()
                condition = self.expressions.condition()
                self._initially.append(Fact(condition, condition.span))
            case "action":
                self._action()
                return
            case "sequential":
                if self._proof is not None:
                    hint = "prove one order for all actions that matter; chains of proofs are not supported"
                    raise wrong("SER556", "there are two `sequential` blocks", token.span, hint)
                self._proof = ProofReader(self.statements).proof()
                return
            case _:
                self._global()
        self.cursor.end_line()

    def _param(self) -> None:
        self.cursor.next()
        token = self.cursor.name("a name")
        name = self.scope.declare(token)
        least = 0
        if self.cursor.accept(">="):
            found = self.expressions.integer()
            if not isinstance(found, Constant):
                raise wrong("SER551", "the least value has to be a number", found.span)
            least = found.value
        self.scope.sizes[name] = Size(name, least, token.span)

    def _enum(self) -> None:
        self.cursor.next()
        token = self.cursor.name("a name")
        name = self.scope.declare(token)
        self.cursor.expect(":")
        members = [self.scope.declare(self.cursor.name("a member"))]
        while self.cursor.accept(","):
            members.append(self.scope.declare(self.cursor.name("a member")))
        if len(set(members)) < len(members):
            raise wrong("SER552", "a member is named twice", token.span)
        enum = EnumType(name, tuple(members))
        self.scope.enums[name] = enum
        self.scope.symbols |= dict.fromkeys(members, enum)

    def _quorums(self) -> None:
        self.cursor.next()
        token = self.cursor.name("a name")
        name = self.scope.declare(token)
        self.cursor.expect("of")
        range_ = self._bounds()
        least = self.scope.sizes[range_.high.name].least if isinstance(range_.high, Parameter) else 0
        if range_.low != Constant(1) or not isinstance(range_.high, Parameter) or least < 1:
            hint = "write `quorums Q of 1..N` with `param N >= 1`: an empty range has no majority"
            raise wrong("SER557", "quorums need a range that is never empty", token.span, hint)
        self.scope.families[name] = Family(name, range_, token.span)

    def _bounds(self) -> Between:
        """A range whose ends are fixed before the program starts."""
        start = self.cursor.token
        range_ = self.expressions.between()
        if not (_is_fixed(range_.low) and _is_fixed(range_.high)):
            raise wrong("SER557", "the ends of this range have to be sizes or numbers", start.span)
        return range_

    def _action_header(self) -> None:
        self.cursor.next()
        token = self.cursor.name("a name")
        self.scope.actions[self.scope.declare(token)] = self._arguments(token)

    def _arguments(self, token: Token) -> tuple[Argument, ...]:
        self.cursor.expect("(")
        found: list[Argument] = []
        while not self.cursor.at(")"):
            if found:
                self.cursor.expect(",")
            name = self.cursor.name("an argument").text
            type_ = (
                self._type()
                if self.cursor.accept(":")
                else self.scope.value_type(Token(Kind.KEYWORD, "int", token.span))
            )
            if isinstance(type_, MajorityType):
                raise wrong("SER553", "an argument cannot be a quorum", token.span, "keep it in a global")
            found.append(Argument(name, type_))
        self.cursor.expect(")")
        if token.text == MAIN and found:
            raise wrong("SER555", "`main` has no arguments", token.span, "use `param` for sizes")
        if len({each.name for each in found}) < len(found):
            raise wrong("SER552", "two arguments have the same name", token.span)
        return tuple(found)

    def _type(self) -> ValueType:
        return self.scope.value_type(self.cursor.next())

    def _action(self) -> None:
        start = self.cursor.next()
        token = self.cursor.name("a name")
        arguments = self._arguments(token)
        for each in arguments:
            self.scope.assign(Token(Kind.NAME, each.name, token.span), each.type)
        body = self.statements.block()
        self._actions.append(Action(token.text, arguments, body, start.span.to(token.span)))

    def _global(self) -> None:
        token = self.cursor.name("a declaration, `action` or `sequential`")
        if token.text in ("request", "while", "yield") and not self.cursor.at(":", "["):
            hint = "a file with actions has no requests; put them into another file"
            raise wrong("SER551", f"{quote(token.text)} is not allowed here", token.span, hint)
        name = self.scope.declare(token)
        ranges: list[Between] = []
        while self.cursor.accept("["):
            ranges.append(self._bounds())
            self.cursor.expect("]")
        self.cursor.expect(":")
        type_ = self._global_type()
        initial: Expression | None = None
        if self.cursor.accept(":="):
            if isinstance(type_, Collection):
                raise wrong("SER553", f"a {type_.kind} begins empty", token.span, "leave out the value")
            initial = self.expressions.of_type(type_)
        self.scope.globals[name] = Global(name, tuple(ranges), type_, initial, token.span)

    def _global_type(self) -> ValueType | Collection:
        token = self.cursor.next()
        if token.text not in list(CollectionKind):
            return self.scope.value_type(token)
        message: list[ValueType] = []
        if self.cursor.accept("("):
            message.append(self._type())
            while self.cursor.accept(","):
                message.append(self._type())
            self.cursor.expect(")")
        parts = tuple(message) or (self.scope.value_type(Token(Kind.KEYWORD, "int", token.span)),)
        if any(isinstance(part, MajorityType) for part in parts):
            raise wrong("SER553", "a message cannot contain a quorum", token.span)
        return Collection(CollectionKind(token.text), parts)


def _is_fixed(bound: Expression) -> bool:
    match bound:
        case Constant() | Parameter():
            return True
        case Apply(arguments=(left, right)):
            return _is_fixed(left) and _is_fixed(right)
        case _:
            return False
