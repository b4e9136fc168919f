"""A step as formulas does what the reference semantics does, for random edges and values."""

from random import Random

import pytest

from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.semantics import Blocked, Effect, Failed, NeedsPartner, Partner, run_edge
from seriatim.program.threads.symbolic import SymbolicStep, symbolic_step
from seriatim.program.threads.syntax import (
    Booleans,
    Edge,
    Havoc,
    Range,
    Template,
    ThreadProgram,
    Type,
    results_fit,
)
from seriatim.source import SourceText
from seriatim.terms.expressions import Constant, Expression, Value, Variable, evaluate
from seriatim.terms.operators import DividesByZero
from testkit.generators.threads import random_text


def some(random: Random, type_: Type) -> Value:
    match type_:
        case Booleans():
            return random.random() < 0.5
        case Range(low=low, high=high):
            return random.randint(low, high)
        case _:
            return random.randint(-2, 3)


def holds(condition: Expression, values: dict[str, Value]) -> bool:
    """Whether a formula holds; where it divides by 0, another condition has failed before."""
    try:
        return bool(evaluate(condition, values))
    except DividesByZero:
        return False


def executed(
    program: ThreadProgram,
    template: Template,
    edge: Edge,
    values: dict[str, Value],
    partner: Partner | None,
    havocs: dict[int, Value],
) -> Effect | str:
    try:
        return run_edge(program, template, edge, values, partner, havocs)
    except Failed:
        return "fails"
    except Blocked:
        return "is blocked"
    except NeedsPartner:
        return "needs a partner"


def predicted(step: SymbolicStep, values: dict[str, Value], partner: Partner | None) -> str:
    for failing in step.failures:
        if (partner is not None or not failing.after_join) and holds(failing.condition, values):
            return "fails"
    if step.taken is not None and partner is None:
        return "needs a partner"
    if step.taken is not None and partner is not None and evaluate(step.taken.id, values) != partner.id:
        return "is blocked"
    return "goes on" if all(holds(each, values) for each in step.guard) else "is blocked"


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_step_as_formulas_agrees_with_its_execution(first: int) -> None:
    for seed in range(first, first + 50):
        program = read_threads(SourceText("random.conc", random_text(seed)))
        random = Random(seed)
        for template in program.templates:
            for edge in template.edges:
                compare(program, template, edge, random)


def compare(program: ThreadProgram, template: Template, edge: Edge, random: Random) -> None:
    types = program.types | template.types
    values = {name: some(random, type_) for name, type_ in types.items()}
    step = symbolic_step(program, template, edge, {name: Variable(name) for name in types}, "fresh ")
    partner = chosen_partner(program, template, step, random)
    results = () if step.taken is None else step.taken.results
    fresh = {name: some(random, type_) for name, type_ in step.fresh.items()}
    if partner is not None and step.taken is not None and step.taken.results:
        finished = program.by_name[partner.template]
        for variable, result in zip(step.taken.results, finished.results, strict=True):
            fresh[variable.name] = partner.values[result]
    chosen = [fresh[name] for name in step.fresh if Variable(name) not in results]
    numbers = [number for number, action in enumerate(edge.actions) if isinstance(action, Havoc)]
    havocs = dict(zip(numbers, chosen, strict=True))
    done = executed(program, template, edge, values, partner, havocs)
    told = predicted(step, values | fresh, partner)
    if isinstance(done, Effect):
        assert told == "goes on"
        for name in types:
            assert evaluate(step.values[name], values | fresh) == done.values[name]
        if done.spawned is not None:
            assert step.started is not None
            assert evaluate(step.started.id, values | fresh) == done.spawned.id
    elif not (done == "needs a partner" and told == "is blocked"):
        # A condition before the join may block first; both mean that the step is not taken.
        assert told == done or {told, done} == {"needs a partner", "is blocked"}


def chosen_partner(
    program: ThreadProgram, template: Template, step: SymbolicStep, random: Random
) -> Partner | None:
    if step.taken is None or random.random() < 0.2:
        return None
    fitting = [each for each in program.templates if results_fit(program, template, step.taken.join, each)]
    if not fitting:
        return None
    finished = random.choice(fitting)
    values = {name: some(random, type_) for name, type_ in finished.types.items()}
    return Partner(finished.name, random.randint(0, 1), values)


def test_division_by_a_variable_is_required_to_be_by_something_else_than_0() -> None:
    text = "global x: int; thread main() { assume x != 0 && 1 / x > 0; }"
    program = read_threads(SourceText("t.conc", text))
    (edge,) = program.main_template.edges
    step = symbolic_step(program, program.main_template, edge, {"x": Constant(0)}, "")
    assert not any(holds(each.condition, {}) for each in step.failures)
