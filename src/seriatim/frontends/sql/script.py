"""Reads a script: the schema and the first rows, then the transactions, each after a comment that is its
header."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from seriatim.frontends.sql.code import expressions_of, parts, queries_in
from seriatim.frontends.sql.control import (
    ASIDE,
    CONNECTING,
    Decide,
    Prepare,
    begins,
    is_harmless,
    is_maintenance,
    is_preparation,
    read_control,
    read_set_transaction,
)
from seriatim.frontends.sql.expressions import ExpressionReader, Names
from seriatim.frontends.sql.language import (
    Begin,
    Commit,
    Delete,
    Do,
    If,
    Insert,
    Item,
    LockTable,
    Parameter,
    Rollback,
    Script,
    Select,
    SelectLocking,
    SetVariable,
    Transaction,
    Update,
)
from seriatim.frontends.sql.pieces import Kind, Piece, split
from seriatim.frontends.sql.refusal import (
    HEADER,
    SEED,
    SYNTAX,
    UNSUPPORTED,
    Refusal,
    no_transactions,
    unsupported,
)
from seriatim.frontends.sql.schema import SchemaReader
from seriatim.frontends.sql.scope_comments import apply_scope, read_values
from seriatim.frontends.sql.statements import StatementReader, parse
from seriatim.frontends.sql.terms import (
    Aggregate,
    Call,
    Constant,
    Expression,
    Function,
    Operation,
    Operator,
    Query,
    Variable,
)
from seriatim.source import Diagnostic, InputError, SourceText, Span, quote

_HEADER = re.compile(
    r"transaction\s*:\s*(?P<name>\w+)\s*(?:\((?P<parameters>.*)\))?\s*(?P<once>once)?\s*", re.IGNORECASE
)


_PARAMETER = re.compile(r"(\w+)\s+in\s+(.+)", re.IGNORECASE)


_COMMA = re.compile(r",(?![^{]*\})")


COMMANDS = frozenset({"\\if", "\\else", "\\endif", "\\set"})

_RANDOM = re.compile(r"random\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")

MOST_DRAWN = 4
"""The largest number of values of `random` that become a parameter."""


_QUOTED_VARIABLE = re.compile(r"(?<!:):(['\"])(\w+)\1")


@dataclass
class Block:
    """The items read so far of a transaction, or of a branch of `\\if`."""

    items: list[Item] = field(default_factory=list)
    condition: Expression | None = None
    span: Span | None = None
    then: list[Item] | None = None
    """The items before `\\else`; None if it has not come yet."""


@dataclass
class Heading:
    name: str
    parameters: tuple[Parameter, ...]
    once: bool
    span: Span


def read_script(source: SourceText) -> Script:
    """Reads a script; raises `InputError` with all problems."""
    reader = ScriptReader()
    for piece in split(source.text, source.name):
        reader.take(piece)
    return reader.finish()


class ScriptReader:
    """Takes pieces one by one, and collects problems."""

    def __init__(self) -> None:
        self.schema = SchemaReader()
        self.schema_text: list[str] = []
        self.transactions: list[Transaction] = []
        self.problems: list[Diagnostic] = []
        self.heading: Heading | None = None
        self.group: str | None = None
        """The group of the open transaction: only one of a group runs, and only once. None for no group."""
        self.blocks: list[Block] = []
        self.prepared: str | None = None
        """The transaction that waits for its COMMIT PREPARED."""
        self.maintenance: list[Span] = []
        """The places of VACUUM, ANALYZE and REINDEX CONCURRENTLY. They change no rows, and make others wait
        only through locks on tables."""

    def take(self, piece: Piece) -> None:
        try:
            match piece.kind:
                case Kind.COMMENT:
                    self._comment(piece)
                case Kind.COMMAND:
                    self._command(piece)
                case Kind.STATEMENT:
                    self._statement(piece)
                case Kind.STRAY:
                    message = "a transaction starts inside a statement that has not ended"
                    raise Refusal(HEADER, message, "end the statement above it with `;`")
        except Refusal as refusal:
            self.problems.append(refusal.at(piece.span))

    def finish(self) -> Script:
        """The script; raises `InputError` with all problems."""
        self._close()
        if not self.transactions and not self.problems:
            self.problems.append(no_transactions())
        self._check()
        if self.problems:
            raise InputError(self.problems)
        floor = max(self.schema.sequences.values(), default=0)
        return Script(
            tuple(self.schema.tables.values()), tuple(self.transactions), floor, tuple(self.schema_text)
        )

    def _check(self) -> None:
        """Collects problems that concern more than one statement."""
        every = [each for transaction in self.transactions for each in transaction.items]
        if any(isinstance(each, Do) and isinstance(each.statement, LockTable) for each in every):
            hint = "leave it out: it changes no rows"
            self.problems += [
                Diagnostic(UNSUPPORTED, "maintenance beside LOCK TABLE is not supported", span, hint)
                for span in self.maintenance
            ]
        for transaction in self.transactions:
            self.problems += writes_in_read_only(transaction.items)
        sizes = {each.size for table in self.schema.tables.values() for each in table.fields}
        if 16 in sizes:
            self.problems += [
                Diagnostic(UNSUPPORTED, "arithmetic that may be about SMALLINT alone is not supported", span)
                for span, expression in written_in(every)
                if any(map(may_be_small, parts(expression)))
            ]
        if any(each.decimal for table in self.schema.tables.values() for each in table.fields):
            self.problems += [
                Diagnostic(UNSUPPORTED, "division beside columns of type NUMERIC is not supported", do.span)
                for do in every
                if isinstance(do, Do) and "/" in do.text
            ]

    def _comment(self, piece: Piece) -> None:
        word, _, rest = piece.text.partition(":")
        match word.strip().lower():
            case "transaction":
                self._close()
                self.blocks = [Block()]
                self.heading = Heading("", (), False, piece.span)  # A bad header still ends the schema.
                self.heading = read_heading(piece.text, piece.span)
                if any(each.name == self.heading.name for each in self.transactions):
                    raise Refusal(HEADER, f"two transactions are called {quote(self.heading.name)}")
            case "ser" if not self.problems:  # Otherwise tables may be missing that could not be read.
                apply_scope(self.schema.tables, rest, piece.span)

    def _command(self, piece: Piece) -> None:
        name, _, rest = piece.text.partition(" ")
        if name in ASIDE or (name in CONNECTING and self.heading is None):
            return
        if self.heading is None and name in COMMANDS:
            self._begin_nameless(piece)
        match name:
            case "\\if":
                self.blocks.append(Block(condition=read_value("false"), span=piece.span))
                self.blocks[-1].condition = read_condition(rest)
            case "\\else" if len(self.blocks) > 1 and self.blocks[-1].then is None:
                self.blocks[-1].then = self.blocks[-1].items
                self.blocks[-1].items = []
            case "\\endif" if len(self.blocks) > 1:
                self._end_if()
            case "\\set":
                variable, _, text = rest.strip().partition(" ")
                if text.strip().startswith("random"):
                    self._draw(variable, text.strip())
                else:
                    self.blocks[-1].items.append(SetVariable(variable, read_value(text), piece.span))
            case "\\else" | "\\endif":
                raise Refusal(SYNTAX, f"{name} without \\if")
            case _:
                raise unsupported(
                    f"the command {quote(name)}", "there are \\gset, \\set, \\if, \\else and \\endif"
                )

    def _draw(self, variable: str, text: str) -> None:
        """Makes `\\set a random(1, 2)` a parameter, unless the header already has it.

        With a random choice instead, runs of one request at a time could choose differently, which could hide
        violations.
        """
        assert self.heading is not None
        if any(each.name == variable for each in self.heading.parameters):
            return
        found = _RANDOM.fullmatch(text)
        values = range(int(found[1]), int(found[2]) + 1) if found is not None else range(0)
        if not 0 < len(values) <= MOST_DRAWN or len(self.blocks) > 1 or self._mentions(variable):
            name = self.heading.name or "NAME"
            hint = f"look at a few values, as a parameter: -- transaction: {name}({variable} in 1..2);"
            raise unsupported(f"{quote(text)} for {quote(variable)}", f"{hint} this line may stay")
        self.heading.parameters = (*self.heading.parameters, Parameter(variable, tuple(values)))

    def _mentions(self, variable: str) -> bool:
        """Whether the transaction may have set a variable before."""
        items = self.blocks[0].items
        return any(
            isinstance(each, If)
            or (isinstance(each, SetVariable) and each.name == variable)
            or (isinstance(each, Do) and each.gset is not None)
            for each in items
        )

    def _end_if(self) -> None:
        block = self.blocks.pop()
        assert block.condition is not None
        assert block.span is not None
        then, otherwise = (block.items, []) if block.then is None else (block.then, block.items)
        self.blocks[-1].items.append(If(block.condition, tuple(then), tuple(otherwise), block.span))

    def _statement(self, piece: Piece) -> None:
        if self.heading is None and (begins(piece.text) or piece.gset is not None):
            self._begin_nameless(piece)
        if self.heading is None and piece.text.lower().startswith("set transaction"):
            hint = "put it right after BEGIN, or use --isolation"
            raise unsupported("SET TRANSACTION before the transactions", hint)
        if self.heading is None:
            if is_harmless(piece.text) or is_maintenance(piece.text) or is_preparation(piece.text):
                return  # It is not executed on a live server either, where it could touch existing tables.
            self.schema.take(piece.text)
            self.schema_text.append(piece.text)
            return
        if is_harmless(piece.text) or self._sets_level(piece):
            return
        if is_maintenance(piece.text):
            self.maintenance.append(piece.span)
            return
        control = read_control(piece.text, piece.span)
        item = self._end_prepared(control) if isinstance(control, Prepare | Decide) else control
        if isinstance(control, Prepare):
            return
        if item is None:
            text = _QUOTED_VARIABLE.sub(r":\2", piece.text)
            statement = StatementReader(self.schema.tables).read(text)
            item = Do(statement, piece.text, piece.span, piece.gset)
        elif piece.gset is not None:
            raise Refusal(SYNTAX, "\\gset after a statement that returns no rows")
        self.blocks[-1].items.append(item)
        if not self.heading.name and isinstance(item, Commit | Rollback):
            self._close()

    def _begin_nameless(self, piece: Piece) -> None:
        """Starts a transaction without a header, so that its other problems are found as well."""
        hint = "put a comment before it: -- transaction: NAME, and NAME(a in 1..2) if it uses :a"
        self.problems.append(Diagnostic(HEADER, "a transaction begins here without a name", piece.span, hint))
        self.blocks = [Block()]
        self.heading = Heading("", (), False, piece.span)

    def _end_prepared(self, control: Prepare | Decide) -> Item | None:
        """The COMMIT or ROLLBACK of a prepared transaction, which has to follow its PREPARE TRANSACTION."""
        if isinstance(control, Prepare):
            self.prepared = control.name
            return None
        if self.prepared != control.name:
            raise unsupported("COMMIT PREPARED of a transaction that another one prepares")
        self.prepared = None
        return Commit(control.span) if control.commits else Rollback(control.span)

    def _sets_level(self, piece: Piece) -> bool:
        """Whether SET TRANSACTION gave a level to the BEGIN right before it."""
        level, items = read_set_transaction(piece.text), self.blocks[-1].items
        if level is None:
            return False
        if not items or not isinstance(items[-1], Begin):
            raise Refusal(SYNTAX, "SET TRANSACTION has to come right after BEGIN")
        items[-1] = replace(items[-1], level=level)
        return True

    def _close(self) -> None:
        """Ends the open transaction."""
        if self.heading is None:
            return
        if len(self.blocks) > 1:
            span = self.blocks[-1].span or self.heading.span
            self.problems.append(Diagnostic(SYNTAX, "\\if without \\endif", span))
        heading, items = self.heading, tuple(self.blocks[0].items)
        if self.prepared is not None:
            message, hint = "PREPARE TRANSACTION without COMMIT PREPARED", "put COMMIT PREPARED after it"
            self.problems.append(Diagnostic(UNSUPPORTED, message, heading.span, hint))
        self.prepared = None
        self.transactions.append(
            Transaction(heading.name, heading.parameters, items, heading.once, heading.span, self.group)
        )
        self.heading = self.group = None


def writes_in_read_only(items: Iterable[Item]) -> Iterator[Diagnostic]:
    """The problems of statements that write or lock rows in a READ ONLY transaction."""
    inside = False
    for item in items:
        match item:
            case Begin(read_only=read_only):
                inside = read_only
            case Commit() | Rollback():
                inside = False
            case If(then=then, otherwise=otherwise) if inside:
                for branch in (then, otherwise):
                    yield from writes_in_read_only((Begin(None, item.span, read_only=True), *branch))
            case Do(statement=Insert() | Update() | Delete() | SelectLocking() | LockTable()) if inside:
                yield Diagnostic(
                    UNSUPPORTED, "a READ ONLY transaction that writes is not supported", item.span
                )


def written_in(items: Iterable[Item]) -> Iterator[tuple[Span, Expression]]:
    """The expressions of statements, also of their subqueries."""
    for item in items:
        match item:
            case Do(statement=statement, span=span):
                pending = list(expressions_of(statement))
                for each in pending:
                    inner = (expressions_of(Select(query)) for query in queries_in(each))
                    pending += chain.from_iterable(inner)
                yield from ((span, each) for each in pending)
            case If(then=then, otherwise=otherwise):
                yield from written_in((*then, *otherwise))


ARITHMETIC = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY)


def may_be_small(part: Expression) -> bool:
    """Whether arithmetic may have no operand that is known to be an INTEGER: that of two SMALLINTs overflows
    where the model's does not."""
    match part:
        case Operation(operator=operator, left=left, right=right) if operator in ARITHMETIC:
            return not (_is_wide(left) or _is_wide(right))
        case Call(function=Function.NEGATE | Function.ABS, arguments=arguments):
            return not _is_wide(arguments[0])
        case _:
            return False


def _is_wide(expression: Expression) -> bool:
    match expression:
        case Constant() | Variable() | Aggregate() | Call(function=Function.TO_INTEGER):
            return True
        case Operation(left=left, right=right):
            return _is_wide(left) or _is_wide(right)
        case _:
            return False


def read_heading(text: str, span: Span) -> Heading:
    """Reads the heading of a transaction; raises `Refusal`."""
    found = _HEADER.fullmatch(text)
    if found is None:
        hint = (
            "write -- transaction: transfer(a in 0..1, b in 0..1), and `once` at the end if it runs only once"
        )
        raise Refusal(HEADER, f"cannot read {quote(text)}", hint)
    parameters: list[Parameter] = []
    for part in filter(None, (each.strip() for each in _COMMA.split(found["parameters"] or ""))):
        shape = _PARAMETER.fullmatch(part)
        values = None if shape is None else read_values(shape.group(2))
        if shape is None or values is None:
            hint = "give its values, as in `a in 0..1` or `kind in {'x', 'y'}`"
            raise Refusal(HEADER, f"parameter {quote(part)} has no values", hint)
        parameters.append(Parameter(shape.group(1), values))
    return Heading(found["name"], tuple(parameters), found["once"] is not None, span)


def read_condition(text: str) -> Expression:
    """Reads the condition of `\\if`; raises `Refusal`."""
    if ":{?" in text:
        hint = "SELECT count(*) or min(…) into a variable and test that: \\gset without a row ends the client"
        raise unsupported(f"the test {quote(text.strip())} whether a variable is set", hint)
    return read_value(text)


def read_value(text: str) -> Expression:
    """Reads the expression of `\\if` or `\\set`; raises `Refusal`."""

    def refuse_query(node: object, names: Names) -> Query:
        del node, names
        raise unsupported("a subquery here")

    select = parse("SELECT " + _QUOTED_VARIABLE.sub(r":\2", text))
    if len(select.expressions) != 1:
        raise Refusal(SEED, f"one value is expected, not {quote(text)}")
    return ExpressionReader(Names(), refuse_query).read(select.expressions[0])
