"""Normal forms of code: texts that are equal for code that differs only in an order without effect.

`normal_form` sorts what can be exchanged: operands of `+`, `*`, `==`, `!=`, and of `&&` and `||` where none
of them has effects; and assignments that follow each other, where none reads or writes what the other one
writes.

Claim: if two expressions have the same normal form, then from the same stores they come to the same stores,
values and answers, with rests that have the same normal form again; they fail alike, and the same locals
are live in both. Why: by induction over the rules of the semantics. An operand without effects has one
value, which no other such operand changes, and there is nothing in it that could pause or fail.
Neighbouring assignments without conflicts commute. Sequences are traces over their items: the Foata form,
in which each item stands on the first level behind all that it depends on, is the same for all orders of
independent items (Cartier and Foata 1969), and the form of a concatenation follows from the forms of its
parts. The last item of a sequence is its value, so it stays last. What a pause leaves is put together from
parts by the same constructors, and the form of each constructor is a function of the forms of its parts.

Faults are all the same here: which one it is matters to messages only.

Where variables hold indices (`seriatim.program.indices`), a test is its table over all values that the
variable can have, `if` over such tests lists what happens for each value, and a choice between alternatives
is the set of these. A variable that holds an index has no other value, so the claim stays true. An
alternative that no value leads to is listed as well, unless it is a fault, so that the same locals are live.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from seriatim.program.indices import (
    NO_INDICES,
    SAME,
    IndexKind,
    Indices,
    Renaming,
    find_tested,
    part_kinds,
    table,
)
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Connective,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    children,
)

EXCHANGED = frozenset({Operator.EQUAL, Operator.UNEQUAL})
"""Operators whose operands can be exchanged, but not regrouped."""

REGROUPED = frozenset({Operator.ADD, Operator.MULTIPLY})
"""Operators whose operands can be exchanged and regrouped."""


class NormalForm(NamedTuple):
    """The normal form of an expression, with the facts that its context needs."""

    text: str
    reads: frozenset[str] | None
    """The variables that it reads, if it has a value and no effects; otherwise None."""
    operator: str = ""
    operands: tuple[str, ...] = ()
    """The operands of an operator that can be regrouped."""
    target: str | None = None
    """The variable that it assigns, if it only assigns a value without effects, which reads `sources`."""
    sources: frozenset[str] = frozenset()

    def is_independent_of(self, other: "NormalForm") -> bool:
        """Whether both assign, and neither touches what the other one assigns."""
        return (
            self.target is not None
            and other.target is not None
            and self.target != other.target
            and self.target not in other.sources
            and other.target not in self.sources
        )


NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Setting:
    """How code is read: the new names, what holds an index, and whether the answer is one."""

    renaming: Renaming
    indices: Indices
    answer: IndexKind

    def index(self, value: int) -> str:
        return f"'{self.renaming.values.get(value, value)}'"


def normal_form(
    expression: Expression,
    renaming: Renaming = SAME,
    indices: Indices = NO_INDICES,
    answer: IndexKind = IndexKind.DATA,
) -> str:
    """The normal form, after variables and indices have got other names. Raises `Mixed`. Recurses: see
    `seriatim.program.recursion`."""
    return form(expression, answer, Setting(renaming, indices, answer)).text


def form(expression: Expression, kind: IndexKind, setting: Setting) -> NormalForm:
    """The form of a part, as `kind`."""
    if setting.indices is not NO_INDICES:
        if kind is IndexKind.DATA:
            name = find_tested(expression, setting.indices)
            if name is not None:
                return _test(expression, name, setting)
        if isinstance(expression, If):
            special = _by_cases(expression, kind, setting)
            if special is not None:
                return special
    if setting.indices is NO_INDICES:
        count = len(expression.items) if isinstance(expression, Sequence) else 3
        return _plain(expression, kind, (IndexKind.DATA,) * count, setting)
    return _plain(expression, kind, part_kinds(expression, kind, setting.indices, setting.answer), setting)


def _plain(  # noqa: C901 - an arm a case
    expression: Expression, kind: IndexKind, kinds: tuple[IndexKind, ...], setting: Setting
) -> NormalForm:
    match expression:
        case Number(value=value):
            return NormalForm(setting.index(value) if kind is IndexKind.INDEX else str(value), NOTHING)
        case Read(name=name):
            name = setting.renaming.names.get(name, name)
            return NormalForm(f"`{name}`", frozenset((name,)))
        case Assign(name=name, value=value):
            name = setting.renaming.names.get(name, name)
            return _assignment(name, form(value, kinds[0], setting))
        case Unary(operator=prefix, operand=operand):
            inner = form(operand, kinds[0], setting)
            return NormalForm(f"({prefix} {inner.text})", inner.reads)
        case Binary(operator=operator, left=left, right=right):
            return _binary(operator, form(left, kinds[0], setting), form(right, kinds[1], setting), right)
        case Logical(connective=connective, left=left, right=right):
            return _logical(connective, form(left, kinds[0], setting), form(right, kinds[1], setting))
        case If(otherwise=None) if kind is IndexKind.INDEX:
            parts = (*children(expression), Number(0))
            return _list_parts("if", parts, kinds, setting)
        case If():
            return _list_parts("if", children(expression), kinds, setting)
        case While():
            return _list_parts("while", children(expression), kinds, setting)
        case Return():
            return _list_parts("return", children(expression), kinds, setting)
        case Cell(name=name):
            name = setting.renaming.names.get(name, name)
            return _list_parts(f"cell `{name}`", children(expression), kinds, setting)
        case AssignCell(name=name):
            name = setting.renaming.names.get(name, name)
            return _list_parts(f"assign `{name}`", children(expression), kinds, setting)
        case Yield():
            return NormalForm("yield", None)
        case Choice():
            return NormalForm("?", None)
        case Fault():
            return NormalForm("fault", None)
        case Sequence(items=items):
            *before, last = (form(item, own, setting) for item, own in zip(items, kinds, strict=True))
            levels = " ".join("[" + "; ".join(sorted(level)) + "]" for level in foata(before))
            return NormalForm(f"({levels} {last.text})", None)
        case _:
            assert_never(expression)


def _test(test: Expression, name: str, setting: Setting) -> NormalForm:
    entries = sorted(
        f"{setting.index(index)}→{value}" for index, value in table(test, setting.indices.domain).items()
    )
    return NormalForm(f"(test `{name}` {' '.join(entries)})", frozenset((name,)))


def _by_cases(expression: If[Expression], kind: IndexKind, setting: Setting) -> NormalForm | None:
    """The form of an `if` over tests of one variable, or over choices; otherwise None."""
    if isinstance(expression.condition, Choice):
        found = {form(each, kind, setting).text for each in _alternatives(expression)}
        return NormalForm(f"(any {' '.join(sorted(found))})", None)
    name = find_tested(expression.condition, setting.indices)
    if name is None:
        return None
    leaves: dict[str, list[int]] = {}
    for leaf, indices in _cases(expression, name, setting.indices.domain, setting.indices):
        if indices or not isinstance(leaf, Fault):
            leaves.setdefault(form(leaf, kind, setting).text, []).extend(indices)
    cases = sorted(f"{{{' '.join(sorted(map(setting.index, own)))}}} {text}" for text, own in leaves.items())
    return NormalForm(f"(case `{name}` {' '.join(cases)})", None)


def _alternatives(expression: Expression) -> Iterator[Expression]:
    """The alternatives of nested choices."""
    if isinstance(expression, If) and isinstance(expression.condition, Choice):
        yield from _alternatives(expression.then)
        yield from _alternatives(expression.otherwise or Number(0))
    else:
        yield expression


def _cases(
    expression: Expression, name: str, values: tuple[int, ...], indices: Indices
) -> Iterator[tuple[Expression, tuple[int, ...]]]:
    """The alternatives of nested tests of a variable, each with the values that lead to it."""
    if isinstance(expression, If) and find_tested(expression.condition, indices) == name:
        found = table(expression.condition, values)
        yes = tuple([value for value in values if found[value]])
        no = tuple([value for value in values if not found[value]])
        yield from _cases(expression.then, name, yes, indices)
        yield from _cases(expression.otherwise or Number(0), name, no, indices)
    else:
        yield expression, values


def foata(items: list[NormalForm]) -> list[list[str]]:
    """The levels of the Foata form: items of one level can be exchanged."""
    levels: list[list[str]] = []
    height: list[int] = []
    for number, item in enumerate(items):
        below = (height[earlier] for earlier in range(number) if not item.is_independent_of(items[earlier]))
        level = max(below, default=-1) + 1
        if level == len(levels):
            levels.append([])
        levels[level].append(item.text)
        height.append(level)
    return levels


def _assignment(name: str, value: NormalForm) -> NormalForm:
    text = f"(:= `{name}` {value.text})"
    return (
        NormalForm(text, None)
        if value.reads is None
        else NormalForm(text, None, target=name, sources=value.reads)
    )


def _binary(operator: Operator, left: NormalForm, right: NormalForm, divisor: Expression) -> NormalForm:
    is_total = operator is not Operator.MODULO or (isinstance(divisor, Number) and divisor.value != 0)
    if left.reads is None or right.reads is None or not is_total:
        return NormalForm(f"({operator} {left.text} {right.text})", None)
    reads = left.reads | right.reads
    if operator in REGROUPED:
        return _regroup(operator, left, right, reads)
    texts = sorted((left.text, right.text)) if operator in EXCHANGED else (left.text, right.text)
    return NormalForm(f"({operator} {' '.join(texts)})", reads)


def _logical(connective: Connective, left: NormalForm, right: NormalForm) -> NormalForm:
    if left.reads is None or right.reads is None:
        return NormalForm(f"({connective} {left.text} {right.text})", None)
    return _regroup(connective, left, right, left.reads | right.reads)


def _regroup(
    operator: Operator | Connective, left: NormalForm, right: NormalForm, reads: frozenset[str]
) -> NormalForm:
    operands: list[str] = []
    for part in (left, right):
        operands.extend(part.operands if part.operator == operator else (part.text,))
    operands.sort()
    return NormalForm(f"({operator} {' '.join(operands)})", reads, operator, tuple(operands))


def _list_parts(
    word: str, parts: tuple[Expression, ...], kinds: tuple[IndexKind, ...], setting: Setting
) -> NormalForm:
    texts = (form(part, own, setting).text for part, own in zip(parts, kinds, strict=False))
    return NormalForm(f"({word} {' '.join(texts)})", None)
