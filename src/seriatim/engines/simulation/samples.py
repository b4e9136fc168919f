"""Sampled runs with numbers, and which choices of commit points explain them.

A choice that explains all sampled runs may still be wrong; one that does not explain some run is. So samples
only save attempts, and are not part of a proof.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from seriatim.arithmetic.evaluation import evaluate
from seriatim.arithmetic.terms import Name
from seriatim.budget import Deadline
from seriatim.program.symbolic.execution import Answers, Fails
from seriatim.program.symbolic.model import Model, Step, argument_name, global_name, local_name, serial_name

RUNS = 80
MOST_TURNS = 40
MOST_REQUESTS = 4
ARGUMENTS = (0, 1, 2, 3, -1)


@dataclass(frozen=True, slots=True)
class SampledEvent:
    """A request has taken a step."""

    request: int
    handler: int
    arguments: tuple[int, ...]
    target: int | None
    """The point where it rests; None if it has answered or is as if fresh."""
    answer: int | None


Sample = tuple[SampledEvent, ...]


@dataclass(frozen=True, slots=True)
class _Flight:
    request: int
    handler: int
    arguments: tuple[int, ...]
    point: int | None
    values: Mapping[str, int]


class Samples:
    """Runs of a few requests, the same ones each time."""

    def __init__(self, model: Model, deadline: Deadline) -> None:
        self.model = model
        self.deadline = deadline
        self.random = Random(0)
        self._alone: dict[tuple[object, ...], tuple[tuple[int, ...], int] | None] = {}
        self.runs = [self._run() for _ in range(RUNS)]

    def _run(self) -> Sample:
        random, model = self.random, self.model
        globals_ = {name: evaluate(model.initial[name], {}) for name in model.variables}
        handlers = [random.randrange(len(model.routines)) for _ in range(random.randint(2, MOST_REQUESTS))]
        flights = [
            _Flight(request, handler, self._arguments(handler), None, {})
            for request, handler in enumerate(handlers)
        ]
        events: list[SampledEvent] = []
        for _ in range(MOST_TURNS):
            if not flights:
                break
            self.deadline.check()
            place = random.randrange(len(flights))
            flight = flights[place]
            choices = self._choices(flight, globals_)
            if not choices:
                continue
            step, values = random.choice(choices)
            globals_ = {name: evaluate(term, values) for name, term in step.globals.items()}
            answer = evaluate(step.end.value, values) if isinstance(step.end, Answers) else None
            events.append(SampledEvent(flight.request, flight.handler, flight.arguments, step.target, answer))
            if answer is not None:
                del flights[place]
            else:
                kept = {name: evaluate(term, values) for name, term in step.locals.items()}
                flights[place] = _Flight(flight.request, flight.handler, flight.arguments, step.target, kept)
        return tuple(events)

    def _arguments(self, handler: int) -> tuple[int, ...]:
        return tuple(self.random.choice(ARGUMENTS) for _ in self.model.routines[handler].parameters)

    def _choices(self, flight: _Flight, globals_: Mapping[str, int]) -> list[tuple[Step, dict[Name, int]]]:
        values: dict[Name, int] = {global_name(name): value for name, value in globals_.items()}
        if flight.point is None:
            steps = self.model.first_steps(flight.handler)
            names = self.model.routines[flight.handler].parameters
            values |= {
                argument_name(name): value for name, value in zip(names, flight.arguments, strict=True)
            }
        else:
            steps = self.model.steps(flight.point)
            values |= {local_name(name): value for name, value in flight.values.items()}
        return [
            (step, values)
            for step in steps
            if not isinstance(step.end, Fails) and evaluate(step.guard, values)
        ]

    # Commit points that explain samples

    def explained_by(self, committed: frozenset[int]) -> bool:
        """Whether requests that commit there, or when they answer, explain all samples."""
        return all(self._is_explained(run, committed) for run in self.runs)

    def _is_explained(self, run: Sample, committed: frozenset[int]) -> bool:
        serial = tuple(evaluate(self.model.initial[name], {}) for name in self.model.variables)
        promised: dict[int, int] = {}
        for event in run:
            has_committed = event.request in promised
            if has_committed and event.answer is not None:
                if promised[event.request] != event.answer:
                    return False
            elif has_committed:
                if event.target not in committed:
                    return False
            elif event.answer is not None or event.target in committed:
                alone = self._run_alone(event, serial)
                if alone is None:
                    return False
                serial, promised[event.request] = alone
        return True

    def _run_alone(self, event: SampledEvent, serial: tuple[int, ...]) -> tuple[tuple[int, ...], int] | None:
        key = (event.handler, event.arguments, serial, event.answer)
        if key not in self._alone:
            self._alone[key] = self._look_up(event, serial)
        return self._alone[key]

    def _look_up(self, event: SampledEvent, serial: tuple[int, ...]) -> tuple[tuple[int, ...], int] | None:
        names = self.model.variables
        values: dict[Name, int] = {
            serial_name(name): value for name, value in zip(names, serial, strict=True)
        }
        parameters = self.model.routines[event.handler].parameters
        values |= {
            argument_name(name): value for name, value in zip(parameters, event.arguments, strict=True)
        }
        for alone in self.model.alone(event.handler):
            if evaluate(alone.guard, values):
                answer = evaluate(alone.answer, values)
                if event.answer is None or answer == event.answer:
                    return tuple(evaluate(alone.globals[name], values) for name in names), answer
        return None
