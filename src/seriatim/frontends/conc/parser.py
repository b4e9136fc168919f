"""Tokens of the thread language to statements: declarations and blocks."""

from seriatim.frontends.conc.expressions import Expressions, Typed
from seriatim.frontends.conc.lexer import Kind, Token, tokenize
from seriatim.frontends.conc.surface import (
    Atomic,
    If,
    ProgramText,
    Return,
    Simple,
    Statement,
    ThreadText,
    While,
)
from seriatim.program.threads.syntax import (
    Assert,
    Assign,
    Assume,
    Booleans,
    Fork,
    Havoc,
    Integers,
    Join,
    Range,
    Type,
    contains,
    is_boolean,
)
from seriatim.source import InputError, SourceText, Span, quote
from seriatim.terms.expressions import Expression, Value


def parse(source: SourceText) -> ProgramText:
    """Raises `InputError` with all that is wrong with the text."""
    tokens = [token for token in tokenize(source.text, source.name) if token.kind is not Kind.COMMENT]
    parser = Parser(tokens)
    program = parser.program()
    parser.check_calls(program)
    if parser.wrong:
        raise InputError(sorted(parser.wrong, key=lambda found: found.span or Span(1, 1, 1, 1))[:20])
    return program


class Parser(Expressions):
    """Reads a whole program; expressions are read by its base class."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.forks: list[tuple[Fork, tuple[Typed, ...]]] = []

    # Declarations

    def program(self) -> ProgramText:
        initial: dict[str, Value] = {}
        while self.at("global"):
            self.global_declaration(initial)
        threads: list[ThreadText] = []
        while not self.at_end():
            if not self.at("thread"):
                what = "a thread" if threads else "a global or a thread"
                self.stop(
                    f"expected {what}", "such as `thread main() { … }`; globals come before all threads"
                )
            threads.append(self.thread())
        self.check_threads(threads)
        return ProgramText(self.globals, initial, tuple(threads), tuple(self.warnings))

    def global_declaration(self, initial: dict[str, Value]) -> None:
        self.take("global")
        name, type_ = self.parse_declared(self.globals)
        if self.skip("="):
            value, span = self.constant()
            if isinstance(value, bool) != is_boolean(type_):
                self.wrong_type(span, "bool" if is_boolean(type_) else "int")
            elif not contains(type_, value):
                self.report(
                    "SER078", f"{value} is outside the range of {quote(name)}", span, "use a value in it"
                )
            initial[name] = value
        self.take(";")

    def parse_declared(self, known: dict[str, Type]) -> tuple[str, Type]:
        """A name and its type, noted."""
        token = self.name("a variable")
        self.take(":")
        type_ = self.type()
        if token.text in known or token.text in self.globals:
            self.report("SER073", f"{quote(token.text)} is declared twice", token.span, "use another name")
        known[token.text] = type_
        return token.text, type_

    def type(self) -> Type:
        if self.skip("int"):
            return Integers()
        if self.skip("bool"):
            return Booleans()
        start = self.here
        if not (self.here.kind is Kind.NUMBER or self.at("-")):
            self.stop("expected a type", "`int`, `bool`, or a range such as `0..3`")
        low, _ = self.constant()
        self.take("..")
        high, span = self.constant()
        if isinstance(low, bool) or isinstance(high, bool):
            self.wrong_type(start.span.to(span), "int")
        elif low > high:
            message = f"the range {low}..{high} contains no value"
            self.report("SER078", message, start.span.to(span), "write the smaller bound first")
            return Integers()
        return Range(low, high)

    def constant(self) -> tuple[Value, Span]:
        start = self.here.span
        if self.at("true") or self.at("false"):
            return self.next().text == "true", start
        negative = self.skip("-")
        if self.here.kind is not Kind.NUMBER:
            self.stop("expected a constant", "a number, `true` or `false`")
        token = self.next()
        return -int(token.text) if negative else int(token.text), start.to(token.span)

    def thread(self) -> ThreadText:
        self.take("thread")
        name = self.name("a thread template")
        self.locals = {}
        self.take("(")
        parameters = self.declarations(")")
        results: tuple[str, ...] = ()
        if self.skip("returns"):
            self.take("(")
            results = self.declarations(")")
        self.take("{")
        while self.skip("local"):
            self.parse_declared(self.locals)
            self.take(";")
        body = self.statements(1)
        return ThreadText(name.text, parameters, results, self.locals, body, name.span)

    def declarations(self, end: str) -> tuple[str, ...]:
        found: list[str] = []
        while not self.skip(end):
            if found:
                self.take(",")
            found.append(self.parse_declared(self.locals)[0])
        return tuple(found)

    def check_threads(self, threads: list[ThreadText]) -> None:
        seen: set[str] = set()
        for thread in threads:
            if thread.name in seen:
                self.report(
                    "SER073", f"{quote(thread.name)} is declared twice", thread.span, "use another name"
                )
            seen.add(thread.name)
        main = next((thread for thread in threads if thread.name == "main"), None)
        if main is None:
            self.report("SER075", "there is no thread `main`", self.here.span, "write `thread main() { … }`")
        elif main.parameters:
            self.report(
                "SER075", "`main` has parameters", main.span, "nothing passes arguments to it: use locals"
            )

    def check_calls(self, program: ProgramText) -> None:
        """Forks name templates, with arguments that fit."""
        known = {thread.name: thread for thread in program.threads}
        for fork, arguments in self.forks:
            started = known.get(fork.template)
            if started is None:
                names = ", ".join(map(quote, known))
                self.report(
                    "SER074", f"there is no thread {quote(fork.template)}", fork.span, f"there are {names}"
                )
                continue
            if len(arguments) != len(started.parameters):
                message = (
                    f"{quote(started.name)} takes {len(started.parameters)} arguments, not {len(arguments)}"
                )
                self.report("SER074", message, fork.span, "give one for each parameter")
                continue
            for parameter, argument in zip(started.parameters, arguments, strict=True):
                self.expect_type(argument, is_boolean(started.types[parameter]))

    # Statements

    def statements(self, depth: int) -> tuple[Statement, ...]:
        """Up to the closing brace, which is taken."""
        self.check_depth(depth)
        found: list[Statement] = []
        while not self.skip("}"):
            if self.at_end():
                self.stop("expected `}`", "a block that begins with `{` ends with `}`")
            found.append(self.statement(depth))
        return tuple(found)

    def block(self, depth: int) -> tuple[Statement, ...]:
        self.take("{")
        return self.statements(depth + 1)

    def statement(self, depth: int) -> Statement:
        start = self.here.span
        match self.here.text if self.here.kind is Kind.KEYWORD else "":
            case "if":
                return self.conditional(depth)
            case "while":
                self.next()
                condition, span = self.condition()
                return While(condition, self.block(depth), start.to(span))
            case "atomic":
                span = self.next().span
                return Atomic(self.block(depth), span)
            case "return":
                self.next()
                self.take(";")
                return Return(start)
            case "local":
                self.stop("a declaration among statements", "declare locals at the start of the thread")
            case "global":
                self.stop("a global inside a thread", "declare globals before all threads")
        simple = self.simple(start)
        self.take(";")
        return simple

    def conditional(self, depth: int) -> If:
        start = self.take("if").span
        condition, span = self.condition()
        then = self.block(depth)
        otherwise: tuple[Statement, ...] = ()
        if self.skip("else"):
            if self.at("if"):
                self.check_depth(depth)
                otherwise = (self.conditional(depth + 1),)
            else:
                otherwise = self.block(depth)
        return If(condition, then, otherwise, start.to(span))

    def condition(self) -> tuple[Expression | None, Span]:
        self.take("(")
        if self.skip("*"):
            return None, self.take(")").span
        condition = self.boolean()
        return condition, self.take(")").span

    def simple(self, start: Span) -> Simple:
        match self.here.text if self.here.kind is Kind.KEYWORD else "":
            case "havoc":
                self.next()
                names = self.targets()
                span = start.to(names[-1].span)
                return Simple(tuple(Havoc(each.text, span) for each in names), span)
            case "assume" | "assert" as word:
                self.next()
                condition = self.boolean()
                span = start.to(self.last.span)
                return Simple(
                    (Assume(condition, span) if word == "assume" else Assert(condition, span),), span
                )
            case "fork":
                return self.fork(start)
            case "join":
                self.next()
                identity = self.integer()
                names = self.targets() if self.skip("assign") else []
                self.check_distinct(names)
                span = start.to(self.last.span)
                return Simple((Join(identity, tuple(each.text for each in names), span),), span)
        return self.assignment(start)

    def fork(self, start: Span) -> Simple:
        self.take("fork")
        identity = self.atom_or_sign()
        self.expect_type(identity, boolean=False)
        name = self.name("a thread template")
        self.take("(")
        arguments: list[Typed] = []
        while not self.skip(")"):
            if arguments:
                self.take(",")
            arguments.append(self.expression())
        span = start.to(self.last.span)
        fork = Fork(identity.expression, name.text, tuple(each.expression for each in arguments), span)
        self.forks.append((fork, tuple(arguments)))
        return Simple((fork,), span)

    def assignment(self, start: Span) -> Simple:
        if self.here.kind is not Kind.NAME:
            self.stop(f"expected a statement, found {quote(self.here.text)}", STATEMENTS)
        names = self.names()
        self.take(":=")
        values = [self.expression()]
        while self.skip(","):
            values.append(self.expression())
        span = start.to(self.last.span)
        self.check_distinct(names)
        if len(names) != len(values):
            message = f"{len(names)} variables are assigned {len(values)} values"
            self.report("SER071", message, span, "write one value for each variable")
            return Simple((), span)
        for name, value in zip(names, values, strict=True):
            self.expect_type(value, is_boolean(self.resolve(name, boolean=value.boolean)))
        return Simple(
            (Assign(tuple(each.text for each in names), tuple(each.expression for each in values), span),),
            span,
        )

    def names(self) -> list[Token]:
        found = [self.name("a variable")]
        while self.skip(","):
            found.append(self.name("a variable"))
        return found

    def targets(self) -> list[Token]:
        """Variables that get values of unknown kind."""
        found = self.names()
        for token in found:
            self.resolve(token, boolean=False)
        return found

    def check_distinct(self, names: list[Token]) -> None:
        seen: set[str] = set()
        for token in names:
            if token.text in seen:
                message = f"{quote(token.text)} is assigned twice at once"
                self.report("SER073", message, token.span, "assign it once")
            seen.add(token.text)


STATEMENTS = (
    "statements are `x := e;`, `havoc x;`, `assume e;`, `assert e;`, `fork e t(…);`, `join e;`, `return;`, "
    "`atomic {…}`, `if (e) {…}`, `while (e) {…}`"
)
