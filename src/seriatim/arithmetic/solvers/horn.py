"""Horn clauses by z3's Spacer, given as SMT-LIB text: relations that satisfy them, as plain terms.

Nobody believes z3's own answer: callers check the relations against the clauses.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from seriatim.arithmetic.solvers.door import attend, milliseconds
from seriatim.budget import Deadline

if TYPE_CHECKING:
    import z3

Term: TypeAlias = "bool | int | str | tuple[str, tuple[Term, ...]]"
"""A constant, a variable, or an operator of SMT-LIB with its arguments; variables are `!0`, `!1`, … by the
places of arguments.
"""

RELATION_OPTIONS = {
    "xform.inline_eager": False,
    "xform.inline_linear": False,
    "xform.slice": False,
}
"""Otherwise z3 tells nothing about relations that it has removed."""


@dataclass(frozen=True, slots=True)
class Relations:
    """What satisfies the clauses; relations that are missing hold nowhere."""

    found: dict[str, Term]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The query can be derived."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """z3 does not know."""


def solve_horn(
    clauses: str, query: str, deadline: Deadline, work: int | None = None
) -> Relations | Contradiction | NotFound:
    """`clauses` declares relations and states rules; `query` is the name of a relation without arguments.
    `work` bounds what z3 counts as its own, so that the same input gives the same answer everywhere."""
    import z3

    context = z3.Context()
    fixedpoint = z3.Fixedpoint(ctx=context)
    fixedpoint.set(engine="spacer", ctrl_c=False, **RELATION_OPTIONS)
    fixedpoint.set("timeout", milliseconds(deadline))
    if work is not None:
        fixedpoint.set("rlimit", work)
    deadline.questions += 1

    def ask() -> "z3.CheckSatResult":
        goals = fixedpoint.parse_string(f"{clauses}\n(query {query})\n")
        try:
            return fixedpoint.query(goals[0])
        except z3.Z3Exception:
            return z3.unknown

    answer = attend(ask, deadline, context)
    if answer == z3.sat:
        return Contradiction()
    if answer != z3.unsat:
        deadline.check()
        return NotFound()
    try:
        return Relations(_relations(fixedpoint.get_answer()))
    except _Untranslatable:
        return NotFound()


class _Untranslatable(Exception):
    """z3 answers with a term that we do not know."""


def _relations(answer: "z3.BoolRef") -> dict[str, Term]:
    import z3

    found: dict[str, Term] = {}
    for part in answer.children() if z3.is_and(answer) else [answer]:
        body = part.body() if z3.is_quantifier(part) else part
        value: Term = True
        if z3.is_eq(body):
            body, defined = body.children()
            value = _term(defined, _places(body))
        elif z3.is_not(body):
            (body,) = body.children()
            value = False
        elif z3.is_true(body):
            continue
        found[body.decl().name()] = value
    return found


def _places(head: "z3.BoolRef") -> dict[int, int]:
    """Bound variables by the arguments of a relation at which they stand."""
    import z3

    return {z3.get_var_index(each): place for place, each in enumerate(head.children())}


def _term(expression: "z3.ExprRef", places: dict[int, int]) -> Term:
    import z3

    if z3.is_var(expression):
        return f"!{places[z3.get_var_index(expression)]}"
    if z3.is_true(expression) or z3.is_false(expression):
        return bool(z3.is_true(expression))
    if z3.is_int_value(expression):
        return int(expression.as_long())
    if z3.is_app(expression) and expression.num_args():
        operator = expression.decl().name()
        return operator, tuple(_term(each, places) for each in expression.children())
    raise _Untranslatable(str(expression))
