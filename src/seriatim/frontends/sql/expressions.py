"""Translates the parser's expressions to ours; refuses unknown ones by name, and drops none.

A node is refused if one of its filled fields is not listed in the rule for it. So nothing is dropped when a
later version of the parser reads more of SQL.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlglot import expressions as sql

from seriatim.frontends.sql.accepting import CLAUSES
from seriatim.frontends.sql.language import DEFAULT_LEVEL
from seriatim.frontends.sql.refusal import REST, UNKNOWN, Refusal, unsupported
from seriatim.frontends.sql.terms import (
    Aggregate,
    Among,
    AmongRows,
    Call,
    Case,
    Column,
    Constant,
    Exists,
    Expression,
    Function,
    Moment,
    NextValue,
    Operation,
    Operator,
    Query,
    Relation,
    Scalar,
    Summary,
    Value,
    Variable,
)
from seriatim.source import quote

OPERATORS: dict[type[sql.Expression], Operator] = {
    sql.Add: Operator.ADD,
    sql.Sub: Operator.SUBTRACT,
    sql.Mul: Operator.MULTIPLY,
    sql.Div: Operator.DIVIDE,
    sql.Mod: Operator.MODULO,
    sql.EQ: Operator.EQUAL,
    sql.NEQ: Operator.UNEQUAL,
    sql.LT: Operator.LESS,
    sql.LTE: Operator.LESS_EQUAL,
    sql.GT: Operator.GREATER,
    sql.GTE: Operator.GREATER_EQUAL,
    sql.And: Operator.AND,
    sql.Or: Operator.OR,
    sql.DPipe: Operator.JOINED,
}


SUMMARIES: dict[type[sql.Expression], Summary] = {
    sql.Count: Summary.COUNT,
    sql.Sum: Summary.SUM,
    sql.Min: Summary.MIN,
    sql.Max: Summary.MAX,
}


FUNCTIONS: dict[type[sql.Expression], Function] = {
    sql.Abs: Function.ABS,
    sql.Coalesce: Function.COALESCE,
    sql.Greatest: Function.GREATEST,
    sql.Least: Function.LEAST,
    sql.Nullif: Function.NULLIF,
    sql.Not: Function.NOT,
    sql.Neg: Function.NEGATE,
    sql.NullSafeEQ: Function.SAME,
    sql.Lower: Function.LOWER,
    sql.Upper: Function.UPPER,
}


UNCHANGED = frozenset({"TEXT", "VARCHAR", "USERDEFINED"})
"""The types to which a cast leaves a text as it is, if they have no length: those of ENUM are the user's."""

INTEGERS = frozenset({"INT", "INTEGER", "SMALLINT", "BIGINT"})


MOMENTS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMPTZ"})


HARMLESS = frozenset({"typed", "safe", "big_int", "ignore_nulls"})
"""Fields in which the parser notes how to write the node in other dialects."""


_AS_SUBQUERY = "read the values first, SELECT … \\gset, and use them as :v; or write SET v = (SELECT …)"

REMEDIES = {
    ("update", "from_"): _AS_SUBQUERY,
    ("delete", "using"): _AS_SUBQUERY,
    ("update", "with_"): _AS_SUBQUERY,
    ("delete", "with_"): _AS_SUBQUERY,
    (
        "insert",
        "with_",
    ): "put WITH after INSERT INTO …: INSERT INTO t WITH … SELECT …; a WITH that writes is refused",
}
"""What to write instead of a part of a statement."""


def check_fields(node: sql.Expression, *names: str) -> None:
    """Raises `Refusal` if a node has a filled field that is not listed."""
    for name, value in node.args.items():
        if name in names or name in HARMLESS or value is None or value is False or value == []:
            continue
        shown = value.sql("postgres") if isinstance(value, sql.Expression) else name.strip("_").upper()
        raise unsupported(f"{quote(shown)} in {node.key.upper()}", REMEDIES.get((node.key, name), REST))


def check_clauses(node: sql.Expression) -> None:
    """Raises `Refusal` if a statement, or a part of one, has a clause that is not in the list."""
    check_fields(node, *sorted(CLAUSES[node.key]))


OF_TIME = (sql.CurrentTimestamp, sql.CurrentDate, sql.CurrentTime)


def describe(node: sql.Expression) -> tuple[str, str]:
    """The text of an expression, and what to use instead."""
    hint = REST
    if isinstance(node, OF_TIME):
        hint = "the time differs in each run: leave the column out, or make it a parameter of the transaction"
    return quote(node.sql("postgres")), hint


@dataclass(frozen=True, slots=True)
class Names:
    """The relations that an expression may use: those of its query, then those of the enclosing queries."""

    relations: tuple[Relation, ...] = ()
    outer: "Names | None" = None

    def column(self, name: str, relation: str) -> Column:
        """The column of this name; raises `Refusal`."""
        scope: Names | None = self
        while scope is not None:
            owners = [
                each.name for each in scope.relations if name in each.columns and relation in ("", each.name)
            ]
            if len(owners) == 1:
                return Column(owners[0], name)
            if owners:
                raise Refusal(UNKNOWN, f"column {quote(name)} is ambiguous", "write it as relation.column")
            scope = scope.outer
        known = sorted({column for each in self.relations for column in each.columns})
        hint = f"there are {', '.join(known)}" if known else "this statement has no table"
        raise Refusal(UNKNOWN, f"unknown column {quote(f'{relation}.{name}'.strip('.'))}", hint)


ReadQuery = Callable[[sql.Expression, Names], Query]


@dataclass(frozen=True, slots=True)
class ExpressionReader:
    """Reads expressions that may use these names."""

    names: Names
    query: ReadQuery
    aggregates: bool = False
    """Whether aggregates are allowed."""

    def read(self, node: sql.Expression) -> Expression:
        for kind in (self._leaf, self._operation, self._test, self._function, self._subquery):
            found = kind(node)
            if found is not None:
                return found
        raise unsupported(*describe(node))

    def read_all(self, nodes: Iterable[sql.Expression]) -> tuple[Expression, ...]:
        return tuple(self.read(node) for node in nodes)

    def _leaf(self, node: sql.Expression) -> Expression | None:
        match node:
            case sql.Literal() | sql.Boolean() | sql.Null():
                return Constant(literal(node))
            case sql.Placeholder():
                check_fields(node, "this")
                return Variable(str(node.this))
            case sql.Column():
                check_fields(node, "this", "table")
                return self.names.column(node.name, node.table)
            case sql.Paren():
                check_fields(node, "this")
                return self.read(node.this)
            case sql.Cast():
                return self._cast(node)
            case sql.Anonymous() if str(node.this).lower() == "nextval" and len(node.expressions) == 1:
                return NextValue(str(literal(node.expressions[0])))
            case sql.Anonymous() if str(node.this).lower() == "current_setting":
                if [each.name for each in node.expressions] != [DEFAULT_LEVEL]:
                    raise unsupported("current_setting", f"only {DEFAULT_LEVEL} is known")
                return Variable(DEFAULT_LEVEL)
        return None

    def _cast(self, node: sql.Cast) -> Expression:
        check_fields(node, "this", "to")
        inner = self.read(node.this)
        target = type_name(node.to)
        is_text = isinstance(inner, Constant) and isinstance(inner.value, str | None)
        if target in MOMENTS and isinstance(inner, Constant) and isinstance(inner.value, str):
            return Constant(read_moment(inner.value, target))
        if target in INTEGERS - {"SMALLINT"} and not is_text:
            return Call(Function.TO_INTEGER, (inner,))
        if is_text and target in UNCHANGED and not node.to.expressions:
            return inner
        hint = "only casts of numbers to integers are supported"
        raise unsupported(f"the cast {quote(node.sql('postgres'))}", hint)

    def _operation(self, node: sql.Expression) -> Expression | None:
        operator = OPERATORS.get(type(node))
        if operator is None:
            return None
        check_fields(node, "this", "expression")
        divisor = self.read(node.expression)
        if operator in (Operator.DIVIDE, Operator.MODULO) and divisor == Constant(0):
            raise unsupported("a division by the constant 0, which fails when it is planned,")
        return Operation(operator, self.read(node.this), divisor)

    def _test(self, node: sql.Expression) -> Expression | None:
        match node:
            case sql.Is():
                check_fields(node, "this", "expression", "negate")
                test = {"NULL": Function.IS_NULL, "TRUE": Function.IS_TRUE, "FALSE": Function.IS_FALSE}
                function = test.get(node.expression.sql("postgres").upper())
                if function is None:
                    return None
                return negate(Call(function, (self.read(node.this),)), bool(node.args.get("negate")))
            case sql.NullSafeNEQ():
                check_fields(node, "this", "expression")
                return negate(Call(Function.SAME, self.read_all((node.this, node.expression))), True)
            case sql.Between():
                check_fields(node, "this", "low", "high")
                value = self.read(node.this)
                low = Operation(Operator.GREATER_EQUAL, value, self.read(node.args["low"]))
                high = Operation(Operator.LESS_EQUAL, value, self.read(node.args["high"]))
                return Operation(Operator.AND, low, high)
            case sql.In():
                check_fields(node, "this", "expressions", "query")
                value = self.read(node.this)
                inner = node.args.get("query")
                if inner is None:
                    return Among(value, self.read_all(node.expressions))
                return AmongRows(value, require_one_column(self.query(unwrap(inner), self.names)))
        return None

    def _function(self, node: sql.Expression) -> Expression | None:
        summary = SUMMARIES.get(type(node))
        if summary is not None:
            return self._aggregate(node, summary)
        if isinstance(node, sql.Case):
            return self._case(node)
        function = FUNCTIONS.get(type(node))
        if function is None:
            return None
        check_fields(node, "this", "expression", "expressions")
        rest = [node.args["expression"]] if node.args.get("expression") is not None else node.expressions
        return Call(function, self.read_all([node.this, *rest]))

    def _aggregate(self, node: sql.Expression, summary: Summary) -> Aggregate:
        check_fields(node, "this")
        if not self.aggregates:
            raise unsupported(f"an aggregate here ({quote(node.sql('postgres'))})")
        inside = ExpressionReader(self.names, self.query)
        argument = node.this
        if isinstance(argument, sql.Star):
            check_fields(argument)
            return Aggregate(summary, None, False)
        if isinstance(argument, sql.Distinct):
            check_fields(argument, "expressions")
            (only,) = argument.expressions
            return Aggregate(summary, inside.read(only), True)
        return Aggregate(summary, inside.read(argument), False)

    def _case(self, node: sql.Case) -> Case:
        check_fields(node, "this", "ifs", "default")
        branches: list[tuple[Expression, Expression]] = []
        for branch in node.args["ifs"]:
            check_fields(branch, "this", "true")
            condition = self.read(branch.this)
            if node.args.get("this") is not None:
                condition = Operation(Operator.EQUAL, self.read(node.this), condition)
            branches.append((condition, self.read(branch.args["true"])))
        default = node.args.get("default")
        return Case(tuple(branches), Constant(None) if default is None else self.read(default))

    def _subquery(self, node: sql.Expression) -> Expression | None:
        match node:
            case sql.Exists():
                check_fields(node, "this")
                return Exists(self.query(unwrap(node.this), self.names))
            case sql.Subquery():
                return Scalar(require_one_column(self.query(unwrap(node), self.names)))
        return None


def require_one_column(query: Query) -> Query:
    if len(query.outputs) != 1:
        raise unsupported("a subquery with several columns where a value is expected")
    return query


def unwrap(node: sql.Expression) -> sql.Expression:
    """Removes parentheses."""
    while isinstance(node, sql.Subquery | sql.Paren):
        check_fields(node, "this")
        node = node.this
    return node


def negate(expression: Expression, is_negated: bool) -> Expression:
    return Call(Function.NOT, (expression,)) if is_negated else expression


def literal(node: sql.Expression) -> Value:
    """The value of a constant; raises `Refusal`."""
    match node:
        case sql.Null():
            return None
        case sql.Boolean():
            return bool(node.this)
        case sql.Literal():
            if node.is_string:
                return str(node.this)
            try:
                whole, _, rest = str(node.this).partition(".")
                return int(whole if not rest.strip("0") else node.this)
            except ValueError:
                raise unsupported(
                    f"the fraction {quote(str(node.this))}", "count in the smallest unit, such as cents"
                ) from None
        case sql.Neg():
            inner = literal(node.this)
            if isinstance(inner, int) and not isinstance(inner, bool):
                return -inner
        case sql.Cast():
            inner, target = literal(node.this), type_name(node.to)
            return read_moment(inner, target) if target in MOMENTS and isinstance(inner, str) else inner
    what, hint = describe(node)
    raise unsupported(f"{what} where a constant is expected", hint)


def type_name(node: sql.DataType) -> str:
    """The parser's name of a type, in capitals."""
    return str(getattr(node.this, "name", node.this)).upper()


def read_moment(text: str, type_: str) -> Moment:
    """Reads a date or a time from text; raises `Refusal`."""
    found = Moment.of(text)
    if found is None or (type_ == "DATE" and found.seconds % 86400):
        raise unsupported(
            f"the {type_} {quote(text)}", "write 2024-12-31, or 2024-12-31 23:59 without a zone"
        )
    return found
