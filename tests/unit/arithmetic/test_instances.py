"""Instances of quantifiers follow from the quantified assertions, whatever names these have."""

import pytest

from seriatim.arithmetic.instances import instantiate
from seriatim.arithmetic.smt_text import script
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask
from seriatim.arithmetic.terms import Apply, Name, Sort, Term, either, equal, exists, for_all, negate, number
from seriatim.budget import Deadline


@pytest.mark.parametrize("name", ["y", "sk!0", "sk!1"])
def test_what_exists_is_not_captured_by_a_bound_name(name: str) -> None:
    """There is an x such that each y is another one, or c(x). This says nothing about c(5)."""

    def holds(term: Term) -> Term:
        return Apply("c", (term,), Sort.BOOL)

    x, y = Name("x", Sort.INT), Name(name, Sort.INT)
    some = exists([x], for_all([y], either(negate(equal(y, x)), holds(x))))
    rounds = instantiate([some, negate(holds(number(5)))])
    assert rounds
    for instances in rounds:
        assert ask(script(instances), SolverName.Z3, Deadline(10)) is not SolverAnswer.UNSATISFIABLE
