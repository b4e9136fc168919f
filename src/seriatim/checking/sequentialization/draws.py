"""Loops that take any messages out of one bag and keep the largest or the smallest one.

Claim. `for j in a..b:` with the body `v := receive(box)`, or with that and `best := max(best, v)`, in a state
where the bag is C, the same one in each iteration, does the following, where n is the number of iterations.
It takes some T with 0 <= T <= C (pointwise) that has n messages, and leaves C - T; and afterwards `best` is
the largest of what it was and of the messages in T. Every such T can be taken, in any order; and n iterations
take nothing else. Likewise for `min`.

So T is a choice, and "T has n messages" a property of the choice alone: it holds in whatever state the same T
is taken. Four facts follow about any T of n messages inside C: n <= |C|; if n = |C|, then T = C; if n = 0,
then T is empty; else it is not. Conversely some T with n messages exists iff n <= |C|. This is where the loop
can be executed to its end.
"""

from dataclasses import dataclass

from seriatim.actions.expressions import Target
from seriatim.actions.syntax import (
    ActionProgram,
    Assign,
    Collection,
    CollectionKind,
    For,
    IntType,
    Receive,
)
from seriatim.actions.walk import globals_of, subexpressions
from seriatim.arithmetic.terms import (
    ZERO,
    Apply,
    Name,
    Sort,
    Term,
    at_most,
    both,
    either,
    equal,
    exists,
    for_all,
    functions_in,
    implies,
    less,
    names_in,
)
from seriatim.source import Span
from seriatim.terms.expressions import Apply as Operation
from seriatim.terms.expressions import Variable


@dataclass(frozen=True, slots=True)
class Drain:
    """A loop that takes messages out of one bag."""

    target: Target
    received: tuple[str, ...]
    """The locals that each message becomes."""
    best: str | None
    """The local that keeps the extreme, if there is one."""
    largest: bool


@dataclass(frozen=True, slots=True)
class Draw:
    """The messages that a path takes out of a bag: a function, and names for numbers that depend on it."""

    function: str
    names: tuple[Name, ...]
    conditions: tuple[Term, ...]
    """These hold iff the choice can be made here."""
    possible: Term
    """This holds iff some choice can be made here."""
    facts: tuple[Term, ...]
    """These follow if the choice can be made here."""
    span: Span

    def is_in(self, term: Term) -> bool:
        return self.function in functions_in(term) or bool(names_in(term) & {*self.names})


def find_drain(statement: For, program: ActionProgram) -> Drain | None:
    """Tells whether a loop has this form, and how."""
    match statement.body:
        case (Receive(names=names, target=target),):
            found = Drain(target, names, None, True)
        case (
            Receive(names=(received,) as names, target=target),
            Assign(
                target=str() as best, value=Operation(op=("min" | "max") as largest, arguments=(left, right))
            ),
        ) if {left, right} == {Variable(best), Variable(received)} and best != received:
            found = Drain(target, names, best, largest == "max")
        case _:
            return None
    type_ = program.variable(target.name).type
    if not isinstance(type_, Collection) or type_.kind is not CollectionKind.BAG:
        return None
    if found.best is not None and not isinstance(type_.message[0], IntType):
        return None
    inner = {statement.name, *names, found.best}
    indices = (each for index in target.indices for each in subexpressions(index))
    changes = any(isinstance(each, Variable) and each.name in inner for each in indices)
    changes |= any(target.name in globals_of(index) for index in target.indices)
    return None if changes or found.best == statement.name else found


def draw(
    tag: str,
    cells: tuple[Name, ...],
    there: Term,
    size: Term,
    length: Term,
    extreme: tuple[Term, bool] | None,
    span: Span,
) -> tuple[Draw, Term | None]:
    """Chooses T, whose messages are tuples like `cells`; also returns the extreme afterwards.

    `there` is how many copies of `cells` the bag holds, `size` how many messages, `length` the number of
    iterations; `extreme` is the value before, and whether the largest one is kept.
    """
    function = f"{tag} taken"
    count, taken = Name(f"{tag} number", Sort.INT), Apply(function, cells, Sort.INT)
    conditions: list[Term] = [
        for_all(cells, both(at_most(ZERO, taken), at_most(taken, there))),
        equal(count, length),
    ]
    facts = (
        at_most(length, size),
        implies(equal(length, size), for_all(cells, equal(taken, there))),
        implies(equal(length, ZERO), for_all(cells, equal(taken, ZERO))),
        either(equal(length, ZERO), exists(cells, less(ZERO, taken))),
    )
    names, best = [count], None
    if extreme is not None:
        before, largest = extreme
        best = Name(f"{tag} best", Sort.INT)
        names.append(best)
        (value,) = cells

        def reaches(other: Term) -> Term:
            return at_most(other, best) if largest else at_most(best, other)

        conditions += [
            reaches(before),
            for_all(cells, implies(less(ZERO, taken), reaches(value))),
            either(equal(best, before), less(ZERO, Apply(function, (best,), Sort.INT))),
        ]
    return Draw(function, tuple(names), tuple(conditions), at_most(length, size), facts, span), best
