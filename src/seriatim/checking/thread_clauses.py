"""Formulas about main and some threads, and what has to follow from them, as questions for a solver.

The checker builds these questions from the program alone. What it asks of a program
(`seriatim.program.threads.scenes`) engines look for; they see only variables that may still be read, while
formulas here may speak of all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import assert_never

from seriatim.arithmetic.solvers.questions import Questions as KnownAnswers
from seriatim.arithmetic.solvers.validity import is_contradictory
from seriatim.certificate.thread_predicates import Predicate
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming, unless
from seriatim.checking.questions import Questions
from seriatim.checking.words import counted
from seriatim.program.threads.scenes import ID, Actor, Key, Now, Scene, Scenes, Spot
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import FINISHED, Integers, ThreadProgram, Type, is_boolean
from seriatim.terms.expressions import (
    FALSE,
    Apply,
    Constant,
    Expression,
    Variable,
    negation,
    substitute,
)
from seriatim.terms.operators import TABLE
from seriatim.terms.smt import quote, smt


class Formulas:
    """The formulas of a certificate about a program."""

    def __init__(self, program: ThreadProgram, predicates: tuple[Predicate, ...], context: Context) -> None:
        self.program = program
        self.context = context
        self.known: dict[Key, Expression] = {(p.place, p.threads): p.formula for p in predicates}
        self.scenes = Scenes(program, lambda spot: program.by_name[spot[0]].types)
        self.questions = Questions(context)
        self.asked = KnownAnswers()

    # Whether they are about this program

    def about_this_program(self, claim: str) -> Obligation:
        return unless(next(self._unfit(), None), claim, counted(len(self.known), "formula"))

    def _unfit(self) -> Iterator[str]:
        """Yields what the program does not have, or what is no condition."""
        for (place, spots), formula in self.known.items():
            if spots != tuple(sorted(spots)):
                yield "threads of a predicate are not sorted"
            for name, at in (*spots, (self.program.main, place)):
                template = self.program.by_name.get(name)
                if template is None or (at != FINISHED and at not in template.places):
                    yield f"`{name}` has no place {at}"
                    return
            try:
                if not is_condition(formula, self.types(spots)):
                    yield "a formula is a number"
            except DoesNotFollow as error:
                yield str(error)

    def types(self, spots: tuple[Spot, ...]) -> dict[str, Type]:
        """The variables that a formula about main and threads at these places may mention."""
        found = {f"g.{name}": type_ for name, type_ in self.program.types.items()}
        found |= {f"m.{name}": type_ for name, type_ in self.program.main_template.types.items()}
        for index, (name, _) in enumerate(spots):
            types = self.program.by_name[name].types
            found |= {f"{index}.{local}": type_ for local, type_ in types.items()}
            found[f"{index}.{ID}"] = Integers()
        return found

    def holds(self, now: Now, threads: Iterable[Actor]) -> Expression:
        """Returns what the certificate says of main and some threads; false if it says nothing."""
        ordered = sorted(threads, key=lambda each: each.spot)
        formula = self.known.get((now.main.spot[1], tuple(each.spot for each in ordered)), FALSE)
        values = {f"g.{name}": value for name, value in now.globals.items()}
        values |= {f"m.{name}": value for name, value in now.main.values.items()}
        for index, each in enumerate(ordered):
            values |= {f"{index}.{name}": value for name, value in each.values.items()}
        return substitute(formula, values)

    # Questions

    def symmetric(self) -> None:
        """Threads at the same place can be exchanged in every formula; raises `DoesNotFollow`."""
        for before, after in self.scenes.exchanges(self.known):
            known, follows = (self.holds(now, now.threads) for now in (before, after))
            self.require([known], follows, "two threads exchange places")

    def check_failures(self, known: Iterable[Expression], scene: Scene) -> None:
        """Checks that what is known excludes that a step fails; raises `DoesNotFollow`."""
        facts = tuple(known)
        for failing in scene.failures():
            what = f"line {failing.span.line or scene.edge.span.line}: {failing.message}, is not excluded"
            self.require(facts, negation(failing.condition), what)

    def obligation(self, claim: str, check: Callable[[], None]) -> Obligation:
        """The formulas are symmetric and hold at the start, and the rest is checked, too."""
        with claiming(claim):
            self.symmetric()
            start, facts = self.scenes.start()
            self.require(facts, self.holds(start, ()), "the formula at the start")
            check()
        return self.questions.obligation(claim)

    def require(self, known: Iterable[Expression], follows: Expression, what: str) -> None:
        """Raises `DoesNotFollow` if the conclusion does not follow, `GaveUp` if no solver knows."""
        facts = conjunction(tuple(known))
        if follows == Constant(True) or facts == FALSE:
            return
        script = "\n".join(
            (
                *(f"(declare-const {quote(name)} {kind})" for name, kind in self.scenes.sorts.items()),
                f"(assert {smt(facts)})",
                f"(assert {smt(negation(follows))})",
            )
        )
        deadline = self.context.allowance.deadline
        self.questions.require(what, lambda solver: is_contradictory(script, solver, deadline, self.asked))


def is_condition(formula: Expression, types: Mapping[str, Type]) -> bool:
    """Whether the value of a formula is a truth value; raises `DoesNotFollow` if it has none."""
    expected: tuple[tuple[Expression, bool], ...]
    match formula:
        case Constant(value=value):
            return isinstance(value, bool)
        case Variable(name=name):
            if name not in types:
                raise DoesNotFollow(f"there is no variable `{name}`")
            return is_boolean(types[name])
        case Apply(op="?", arguments=(condition, then, otherwise)):
            result = is_condition(then, types)
            expected = ((condition, True), (otherwise, result))
        case Apply(op=operator, arguments=operands):
            takes = TABLE[operator].takes
            kind = is_condition(operands[0], types) if takes is None else takes is bool
            expected = tuple((each, kind) for each in operands)
            result = TABLE[operator].gives is bool
        case _:
            assert_never(formula)
    for part, kind in expected:
        if is_condition(part, types) != kind:
            raise DoesNotFollow("a formula mixes numbers and truth values")
    return result
