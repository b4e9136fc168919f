"""Whether two steps of different requests, one directly after the other, can change places.

Two steps *can be exchanged* if, wherever the first and then the second are possible, the requests can also
step in the other order, to the same globals, the same points with the same live locals, and the same answers.
Steps before the implication are all that are possible, and perhaps more (a long loop inside a step is summed
up); steps after it are possible for sure (it is cut off). Never the other way round: a summed up loop would
be exchanged with anything.

A *waiting round* changes nothing: neither globals nor live locals, and the request rests where it was, or is
again as if fresh. A run without its waiting rounds is a run with the same answers, so they need no exchange.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import FALSE, Name, Term, both, either, equal, names_in
from seriatim.program.symbolic.execution import Answers, Fails, Rests
from seriatim.program.symbolic.invariant import Condition, Invariant
from seriatim.program.symbolic.model import Model, Step, global_name, local_name, other_name
from seriatim.program.symbolic.moves import Resting


@dataclass(frozen=True, slots=True)
class Source:
    """Where a step begins: at a point, or at the start of a fresh request."""

    handler: int
    point: int | None


@dataclass(frozen=True, slots=True)
class StepEffect:
    """What a step of one of two requests does, with names of its own for that request."""

    source: Source
    number: int
    """Its number among the steps from its source."""
    guard: Term
    globals: Mapping[str, Term]
    target: int | None
    locals: Mapping[str, Term]
    answer: Term | None

    def is_like(self, other: "StepEffect") -> bool:
        """Whether both leave the request at the same point, or answered."""
        return self.target == other.target and (self.answer is None) == (other.answer is None)

    def after(self, globals_: Mapping[str, Term]) -> "StepEffect":
        """The same effect after an earlier step that changed the globals."""
        values = {global_name(name): value for name, value in globals_.items()}
        return StepEffect(
            self.source,
            self.number,
            substitute(self.guard, values),
            {name: substitute(value, values) for name, value in self.globals.items()},
            self.target,
            {name: substitute(value, values) for name, value in self.locals.items()},
            None if self.answer is None else substitute(self.answer, values),
        )


def sources(model: Model) -> Iterator[Source]:
    for handler in range(len(model.routines)):
        yield Source(handler, None)
    for number, point in enumerate(model.points):
        yield Source(point.handler, number)


class Exchanges:
    """The steps of requests of a model, for one of two requests that step one after the other."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sources = tuple(sources(model))
        self._effects: dict[tuple[Source, int], tuple[StepEffect, ...]] = {}
        self._sure: dict[tuple[Source, int], tuple[StepEffect, ...]] = {}

    def effects(self, source: Source, place: int) -> tuple[StepEffect, ...]:
        """All that a request can do from there, and perhaps more; without waiting rounds and failures."""
        key = (source, place)
        if key not in self._effects:
            model = self.model
            steps = model.first_steps(source.handler) if source.point is None else model.steps(source.point)
            self._effects[key] = tuple(_effects(model, source, steps, place))
        return self._effects[key]

    def sure_effects(self, source: Source, place: int) -> tuple[StepEffect, ...]:
        """Returns what a request can surely do from there."""
        key = (source, place)
        if key not in self._sure:
            steps = self.model.surely_possible(source.handler, source.point)
            self._sure[key] = tuple(_effects(self.model, source, steps, place))
        return self._sure[key]

    def resting(self, source: Source, place: int) -> tuple[Resting, ...]:
        """The resting request at a source, with its own names; empty for a fresh request."""
        if source.point is None:
            return ()
        live = self.model.points[source.point].live
        return (Resting(source.point, {name: other_name(place, name) for name in live}),)

    def exchange_steps(self, first: StepEffect, then: StepEffect) -> tuple[Term, Term]:
        """Collects what is known if a step of request 0 and then one of request 1 are possible, and what has
        to follow for an exchange."""
        second = then.after(first.globals)
        ways: list[Term] = []
        for before in self.sure_effects(then.source, 1):
            for each in self.sure_effects(first.source, 0):
                if before.is_like(second) and each.is_like(first):
                    moved = each.after(before.globals)
                    ways.append(both(before.guard, moved.guard, *_same(first, second, moved, before)))
        return both(first.guard, second.guard), either(*ways)

    def conditions(self, invariant: Invariant, late: frozenset[int]) -> Iterator[Condition]:
        """The exchanges that a reduction needs, if requests at these points have taken effect."""
        for one in self.sources:
            for other in self.sources:
                known = invariant.before((*self.resting(one, 0), *self.resting(other, 1)))
                if known == FALSE:
                    continue
                for first in self.effects(one, 0):
                    for then in self.effects(other, 1):
                        if is_early(first, late) or other.point in late:
                            possible, follows = self.exchange_steps(first, then)
                            yield self.words(first, then), both(known, possible), follows

    def words(self, first: StepEffect, then: StepEffect) -> str:
        one, other = (self.model.routines[each.source.handler].name for each in (first, then))
        return f"a step of `{one}` and the next one, of `{other}`, can be exchanged"


def is_early(effect: StepEffect, late: frozenset[int]) -> bool:
    """Tells whether a request has not taken effect after this step: it goes on, to a place that is not
    `late`."""
    return effect.answer is None and effect.target not in late


def _same(first: StepEffect, second: StepEffect, moved: StepEffect, before: StepEffect) -> Iterator[Term]:
    """The first request and the second one end as they do in the other order."""
    yield from (equal(second.globals[name], moved.globals[name]) for name in second.globals)
    for one, other in ((first, moved), (second, before)):
        yield from (equal(one.locals[name], other.locals[name]) for name in one.locals)
        if one.answer is not None and other.answer is not None:
            yield equal(one.answer, other.answer)


def _effects(model: Model, source: Source, steps: tuple[Step, ...], place: int) -> Iterator[StepEffect]:
    for number, step in enumerate(steps):
        if isinstance(step.end, Fails) or _is_waiting(source, step):
            continue
        answer = step.end.value if isinstance(step.end, Answers) else None
        terms = [step.guard, *step.globals.values(), *step.locals.values()]
        names = frozenset[Name]().union(*map(names_in, terms if answer is None else [*terms, answer]))
        shared = {global_name(name) for name in model.variables}
        own = {name: _own_name(name, place) for name in names if name not in shared}
        yield StepEffect(
            source,
            number,
            substitute(step.guard, own),
            {name: substitute(value, own) for name, value in step.globals.items()},
            step.target,
            {name: substitute(value, own) for name, value in step.locals.items()},
            None if answer is None else substitute(answer, own),
        )


def _own_name(name: Name, place: int) -> Name:
    """The name, for one of two requests, of a local, an argument, or an arbitrary value after a loop."""
    whose, _, what = name.name.partition(".")
    return other_name(place, what if whose in ("l", "a") else name.name)


def _is_waiting(source: Source, step: Step) -> bool:
    return (
        isinstance(step.end, Rests)
        and step.target == source.point
        and all(value == global_name(name) for name, value in step.globals.items())
        and all(value == local_name(name) for name, value in step.locals.items())
    )
