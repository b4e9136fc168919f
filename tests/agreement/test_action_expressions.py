"""Where conditions for all sizes say that an assertion holds, the reference interpreter agrees.

Random assertions read sums, counts, maxima and quantifiers whose ranges read cells. At random states, what
the checker means by "no failure" must imply that the interpreter does not fail. The converse has to hold for
exact conjuncts of the gate; the others say too much: the interpreter stops looking at a quantifier once it
knows its value.
"""

from collections import Counter
from random import Random
from typing import Any

import pytest

from seriatim.actions.interpreter import Interpreter
from seriatim.actions.values import GlobalState, Sizes
from seriatim.arithmetic.terms import number
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.evaluation import Scene
from seriatim.checking.sequentialization.symbolic import State
from seriatim.source import InputError
from testkit.inputs.action_programs import parse_text
from testkit.oracles.action_meanings import meaning
from testkit.oracles.term_values import value
from testkit.samples import sample

PROGRAM = """param N >= 1
x: int := 0
z[1..N]: int := 0
w[1..N]: int
y[1..N][1..N]: int := 0
b: bag
action main():
    async a(1)
    async change()
action a(k):
    v := x
    {body}
action change():
    x := 1
    z[1] := 2
    y[1][1] := 1
    send(b, 0)
sequential:
    order a, change
"""


class Texts:
    """Random expressions, with the variables that they may read."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def index(self, names: list[str]) -> str:
        return self.random.choice(
            ["1", "N", "k", "v", "N - 1", *names, *(f"{each} + 1" for each in names[:1])]
        )

    def cell(self, names: list[str]) -> str:
        one, other = self.index(names), self.index(names)
        return self.random.choice([f"z[{one}]", f"w[{one}]", f"y[{one}][{other}]"])

    def number(self, depth: int, names: list[str]) -> str:
        plain = [self.random.choice(["0", "1", "2", "N", "x", "v", "k", *names]), self.cell(names)]
        if depth == 0:
            return self.random.choice(plain)
        one, other = self.number(depth - 1, names), self.number(depth - 1, names)
        operator = self.random.choice("+-")
        composed = [f"({one} {operator} {other})", f"({one} if {self.truth(depth - 1, names)} else {other})"]
        composed += [f"max({one}, {other})", f"copies({one}, b)", "size(b)", f"-{self.cell(names)}"]
        return self.random.choice([*plain, *composed, self.fold(depth, names), self.fold(depth, names)])

    def fold(self, depth: int, names: list[str]) -> str:
        name, inner = self.random.choice("ij"), self.index(names)
        cell = self.random.choice([f"z[{name}]", f"w[{name}]", f"y[{name}][{inner}]", f"y[{inner}][{name}]"])
        fold = self.random.choice(["sum", "count", "max"])
        if fold == "count":
            bodies = [f"{cell} == {self.random.choice('01Nk')}", self.truth(depth - 1, [*names, name])]
        else:
            bodies = [
                cell,
                f"2 - {cell}",
                f"{cell} + {self.number(0, names)}",
                f"({cell} if {cell} > N else 1)",
            ]
            bodies.append(self.number(depth - 1, [*names, name]))
        high = self.random.choice(["N", "N", "N", "2", f"w[{inner}]"])
        return f"{fold}({self.random.choice(bodies)} for {name} in 1..{high})"

    def truth(self, depth: int, names: list[str]) -> str:
        numbers = [self.number(max(depth - 1, 0), names) for _ in range(2)]
        compared = f" {self.random.choice(['==', '!=', '<', '<='])} ".join(numbers)
        if depth == 0 or self.random.random() < 0.2:
            return compared
        if self.random.random() < 0.5:
            return self.quantified(depth, names)
        joined = f" {self.random.choice(['and', 'or', '=>'])} ".join(
            self.truth(depth - 1, names) for _ in range(2)
        )
        return f"({joined})" if self.random.random() < 0.8 else f"not ({joined})"

    def quantified(self, depth: int, names: list[str]) -> str:
        name, quantifier = self.random.choice("pq"), self.random.choice(["all", "some"])
        binders, inside = (
            [f"{name} in 1..{self.random.choice(['N', '2', self.number(0, names)])}"],
            [*names, name],
        )
        if self.random.random() < 0.3:
            binders.append(f"t in {name}..{self.random.choice(['N', f'z[{name}]'])}")
            inside.append("t")
        return f"({quantifier} {', '.join(binders)}: {self.truth(depth - 1, inside)})"

    def body(self) -> str:
        asserts = f"assert {self.truth(3, [])}"
        match self.random.randrange(4):
            case 0:
                target = self.random.choice(["z[k]", "x", "y[k][1]"])
                return f"{target} := {self.number(1, [])}\n    {asserts}"
            case 1:
                return f"for g in 1..N:\n        assert {self.truth(2, ['g'])}"
            case _:
                return asserts


def random_state(random: Random, size: int) -> GlobalState:
    cells = [tuple(random.randint(-1, 3) for _ in range(count)) for count in (size, size, size * size)]
    bag = tuple(sorted((random.randint(0, 1),) for _ in range(random.randint(0, 2))))
    return (random.randint(-1, 3), *cells, bag)


def known_at(conditions: Conditions, symbolic: State, state: GlobalState, at: Interpreter) -> dict[str, Any]:
    """What the functions of a symbolic state are at a concrete one, with sums, counts and maxima."""
    found: dict[str, Any] = meaning(state, at)
    size = at.layout.sizes.parameters["N"]
    for ghost in conditions.signature.sums:

        def total(*others: int, ghost: Any = ghost) -> int:
            places = [(*others[: ghost.position], i, *others[ghost.position :]) for i in range(1, size + 1)]
            cells = [number(found[ghost.cell.name](*place)) for place in places]
            return sum(int(value(conditions.evaluation.summand(ghost, each), found)) for each in cells)

        is_plain = len(ghost.cell.indices) == 1
        found[f"{ghost.name}@t"] = total() if is_plain else total
    for expression, name in conditions.evaluation.maxima.items():
        names, inside, scene = conditions.evaluation.bind((expression.binder,), Scene(symbolic, {}))
        body = conditions.evaluation.of(expression.body, scene)
        every = [found | {names[0].name: each} for each in range(-3, 8)]
        found[name.name] = max((int(value(body, each)) for each in every if value(inside, each)), default=0)
    return found


def compare(seed: int) -> Counter[bool]:
    """How often an assertion holds and does not; raises if only the conditions say that it holds."""
    seen: Counter[bool] = Counter()
    try:
        program = parse_text(PROGRAM.format(body=Texts(seed).body()))
        assert program.proof is not None
        conditions = Conditions(program, program.proof)
        symbolic = conditions.signature.state("t")
        conditions.moves.original("a", symbolic, (number(1),), "c")
    except InputError:  # it has no form for all sizes
        return seen
    random = Random(seed)
    for size in (1, 2, 3):
        interpreter = Interpreter(program, Sizes({"N": size}))
        for _ in range(4):
            state, k = random_state(random, size), random.randint(1, size)
            gate = conditions.moves.original("a", symbolic, (number(k),), "c").gate
            known = known_at(conditions, symbolic, state, interpreter)
            false = [each for each in gate if not value(each.term, known)]
            fails = interpreter.execute(state, ("a", (k,))).fails
            assert false or not fails, (seed, size, k, state)
            assert fails or not any(each.exact for each in false), (seed, size, k, state)
            seen[not false] += 1
    return seen


@pytest.mark.parametrize("start", sample(100, 25))
def test_an_assertion_that_holds_by_the_conditions_holds_in_the_interpreter(start: int) -> None:
    seen = sum((compare(20 * start + each) for each in range(20)), Counter[bool]())
    assert seen[True] > 10
    assert seen[False] > 10
