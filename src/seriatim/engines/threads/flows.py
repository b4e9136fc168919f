"""Sums of globals and numbers of threads that no step changes.

A *flow* gives every global a factor and every place a weight, so that factors times values, plus the
weights of all threads where they are, is always the same total. Each edge gives one linear equation: what
it does to globals, as far as it changes them by a constant, plus the weights of its places, of a thread
that it starts, minus that of one that it joins, is 0. An edge that sets a global of two values, such as a
lock, is taken to change it; users of the flow have to show that. Weights of threads must not be
negative: then main and some threads weigh at most the total, whatever others do.

Globals that are only ever set to a few constants, such as `state`, may also count by their value: 1 while
`state` is 2, else 0. If an edge sets such a global and its guard does not say what it was, the thread is
taken to find what it knew last (`seriatim.engines.threads.own_values`). Users have to show that as well.
"""

from fractions import Fraction
from itertools import chain

from seriatim.arithmetic.cones import Row, nonnegative, null_space, small_integers
from seriatim.budget import Deadline
from seriatim.certificate.thread_flows import Flow
from seriatim.engines.threads.own_values import (
    Values,
    excluded_values,
    known_values,
    own_values,
    steps_of,
)
from seriatim.program.threads.symbolic import SymbolicStep
from seriatim.program.threads.syntax import (
    FINISHED,
    Booleans,
    Edge,
    Fork,
    Range,
    Template,
    ThreadProgram,
    actions,
    results_fit,
)
from seriatim.terms.expressions import Apply, Constant, Expression, Variable

MAX_FLOWS = 12
MAX_VALUES = 6
"""Of a global that counts by its value."""

Linear = dict[str, int]
"""Factors of variables; the constant belongs to the empty name."""


def find_flows(program: ThreadProgram, deadline: Deadline | None = None) -> tuple[Flow, ...]:
    """Finds flows of which all others are sums, up to a limit."""
    return _SumSearch(program, by_value=False).flows(deadline)


def find_flows_by_value(program: ThreadProgram, deadline: Deadline | None = None) -> tuple[Flow, ...]:
    """Finds flows in which globals may also count by their value; none if no flow does."""
    flows = _SumSearch(program, by_value=True).flows(deadline)
    return flows if any(flow.values for flow in flows) else ()


class _SumSearch:
    def __init__(self, program: ThreadProgram, by_value: bool) -> None:
        self.program = program
        self.main = program.main_template
        self.globals = [name for name in program.types if name in program.initial]
        self.steps = {template.name: steps_of(program, template) for template in program.templates}
        self.columns: dict[tuple[str, str, int], int] = {}
        for name in self.globals:
            self.column("global", name, 0)
        self.values_of = {name: self.values(name) for name in self.globals}
        for name, values in self.values_of.items() if by_value else ():
            if 2 < len(values) <= MAX_VALUES:
                for value in sorted(values - {int(program.initial[name])}):
                    self.column("value", name, value)
        for place in (*self.main.places, FINISHED):
            self.column("main", "", place)
        for template in self.list_started():
            for place in (*template.places, FINISHED):
                self.column("thread", template.name, place)
        self.unusable: set[int] = set()
        """The columns of globals that some edge changes in an unknown way."""

    def list_started(self) -> list[Template]:
        names = {action.template for _, _, action in actions(self.program) if isinstance(action, Fork)}
        return [template for template in self.program.templates if template.name in names]

    def column(self, kind: str, name: str, place: int) -> int:
        return self.columns.setdefault((kind, name, place), len(self.columns))

    def flows(self, deadline: Deadline | None) -> tuple[Flow, ...]:
        rows = [row for template in self.program.templates for row in self.equations(template)]
        rows.extend(self.unit(column) for column in sorted(self.unusable))
        rows.append(self.unit(self.columns["main", "", self.main.entry]))
        weights = [column for (kind, _, _), column in self.columns.items() if kind == "thread"]
        basis = null_space(rows, len(self.columns), deadline)
        found = [self.flow(ray) for ray in nonnegative(basis, weights, deadline)]
        useful = {flow: None for flow in found if flow is not None}
        return tuple(useful)[:MAX_FLOWS]

    def unit(self, column: int) -> Row:
        row = [Fraction(0)] * len(self.columns)
        row[column] = Fraction(1)
        return row

    def equations(self, template: Template) -> list[Row]:
        found: list[Row] = []
        steps = self.steps[template.name]
        own = own_values(self.program, template, steps)
        for edge, step in zip(template.edges, steps, strict=True):
            row = [Fraction(0)] * len(self.columns)
            for (kind, name, value), column in self.columns.items():
                match kind:
                    case "global":
                        change = self.change(name, step)
                    case "value":
                        change = self.change_of_value(name, value, step, own.get(edge.source, {}))
                    case _:
                        continue
                if change is None:
                    self.unusable.add(column)
                else:
                    row[column] += change
            if step.started is not None:
                entry = self.program.by_name[step.started.template].entry
                row[self.columns["thread", step.started.template, entry]] += 1
            found.extend(self.make_equations(template, edge, step, row))
        return found

    def make_equations(self, template: Template, edge: Edge, step: SymbolicStep, row: Row) -> list[Row]:
        """An equation for each kind of thread that takes the edge, and for each that it may join."""
        kinds = [("thread", template.name)] if ("thread", template.name, FINISHED) in self.columns else []
        if template.name == self.main.name:
            kinds.append(("main", ""))
        partners: list[str | None] = [None]
        if step.taken is not None:
            join = step.taken.join
            partners = [
                each.name for each in self.list_started() if results_fit(self.program, template, join, each)
            ]
        found: list[Row] = []
        for kind, name in kinds:
            for partner in partners:
                each = list(row)
                each[self.columns[kind, name, edge.target]] += 1
                each[self.columns[kind, name, edge.source]] -= 1
                if partner is not None:
                    each[self.columns["thread", partner, FINISHED]] -= 1
                found.append(each)
        return found

    def change(self, name: str, step: SymbolicStep) -> int | None:
        """By how much a step changes a global; None if that depends."""
        after = step.values[name]
        if after == Variable(name):
            return 0
        known = known_values(step.guard)
        combined = linear(after)
        if combined is None:
            return None
        if set(combined) <= {name, ""} and combined.get(name, 0) == 1:
            return combined.get("", 0)
        if set(combined) <= {""}:
            constant = combined.get("", 0)
            values = self.values_of[name]
            if name in known:
                return constant - known[name]
            if len(values) == 2 and constant in values:
                (other,) = values - {constant}
                return constant - other
        return None

    def change_of_value(self, name: str, value: int, step: SymbolicStep, own: Values) -> int | None:
        """By how much a step changes the number that is 1 while a global has this value, else 0."""
        after = step.values[name]
        if after == Variable(name):
            return 0
        if not isinstance(after, Constant):
            return None
        arrives = int(int(after.value) == value)
        excluded = excluded_values(step.guard, name)
        if value in excluded:
            return arrives
        known = {each: at for each, at in own.items() if at not in excluded} | known_values(step.guard)
        return arrives - int(known[name] == value) if name in known else None

    def values(self, name: str) -> set[int]:
        """The values that a global can take, if it is only ever set to constants, or has two."""
        type_ = self.program.types[name]
        if isinstance(type_, Booleans):
            return {0, 1}
        if isinstance(type_, Range) and type_.high - type_.low == 1:
            return {type_.low, type_.high}
        found = {int(self.program.initial[name])}
        for step in chain.from_iterable(self.steps.values()):
            after = step.values[name]
            if after == Variable(name):
                continue
            if not isinstance(after, Constant):
                return set()
            found.add(int(after.value))
        return found

    def flow(self, ray: Row) -> Flow | None:
        """A ray as a flow in small integers; None if it says nothing about globals."""
        numbers = small_integers(ray)
        factors = tuple(
            (name, numbers[self.columns["global", name, 0]])
            for name in self.globals
            if numbers[self.columns["global", name, 0]]
        )
        values = tuple(
            (name, value, numbers[column])
            for (kind, name, value), column in self.columns.items()
            if kind == "value" and numbers[column]
        )
        if not factors and not values:
            return None
        main = tuple(
            (place, numbers[column])
            for (kind, _, place), column in self.columns.items()
            if kind == "main" and numbers[column]
        )
        threads = tuple(
            (name, place, numbers[column])
            for (kind, name, place), column in self.columns.items()
            if kind == "thread" and numbers[column]
        )
        total = sum(factor * int(self.program.initial[name]) for name, factor in factors)
        total += dict(main).get(self.main.entry, 0)
        return Flow(factors, main, threads, total, values)


def linear(expression: Expression) -> Linear | None:
    """An expression as a sum, where it is one."""
    match expression:
        case Constant(value=value):
            return {"": int(value)} if value else {}
        case Variable(name=name):
            return {name: 1}
        case Apply(op="neg", arguments=(operand,)):
            inner = linear(operand)
            return None if inner is None else {name: -factor for name, factor in inner.items()}
        case Apply(op="+" | "-" as operator, arguments=(left, right)):
            one, other = linear(left), linear(right)
            if one is None or other is None:
                return None
            sign = 1 if operator == "+" else -1
            total = dict(one)
            for name, factor in other.items():
                total[name] = total.get(name, 0) + sign * factor
            return {name: factor for name, factor in total.items() if factor}
        case _:
            return None
