"""Short failing runs with values that no constant of the program suggests: steps as formulas, a solver for
values.

Breadth-first over interleavings with few threads; a path keeps what it has assumed as formulas over the
values that nobody has determined. Where a step can fail, a solver is asked for values that lead there. What
it finds is a run, and the reference semantics replays it; that nothing is found means nothing.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.arithmetic.solvers.models import find_model
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.budget import Deadline
from seriatim.program.threads.runs import ThreadRun, ThreadStep
from seriatim.program.threads.semantics import Failure
from seriatim.program.threads.symbolic import SymbolicStep, symbolic_step, within
from seriatim.program.threads.syntax import (
    FINISHED,
    NOWHERE,
    Edge,
    Template,
    ThreadProgram,
    Type,
    results_fit,
    some_value,
    sort,
)
from seriatim.terms.expressions import Constant, Expression, Value, Variable, apply, fold
from seriatim.terms.smt import quote, smt

MAX_THREADS = 2
"""Besides main."""
MAX_STEPS = 14

Named = tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class UnrolledThread:
    number: int
    template: str
    place: int
    id: Expression | None
    values: Named


@dataclass(frozen=True, slots=True)
class Taken:
    """A step, and the variables for what it leaves open."""

    thread: int
    edge: int
    havocs: tuple[str, ...]
    fresh: tuple[tuple[str, str], ...]
    """Locals of a new thread, and their variables."""
    joined: int | None


@dataclass(frozen=True, slots=True)
class Path:
    globals: Named
    threads: tuple[UnrolledThread, ...]
    started: int
    assumed: tuple[Expression, ...]
    steps: tuple[Taken, ...]


class Unrolling:
    def __init__(self, program: ThreadProgram, deadline: Deadline) -> None:
        self.program = program
        self.deadline = deadline
        self.types: dict[str, Type] = {}
        self.questions = 0
        self.asked = Questions()
        main = program.main_template
        globals_ = tuple(
            (
                name,
                Constant(program.initial[name]) if name in program.initial else self.new(f"g.{name}", type_),
            )
            for name, type_ in program.types.items()
        )
        locals_ = tuple((name, self.new(f"m.{name}", type_)) for name, type_ in main.types.items())
        first = Path(globals_, (UnrolledThread(0, main.name, main.entry, None, locals_),), 1, (), ())
        self.pending: deque[Path] = deque([first])

    def new(self, name: str, type_: Type) -> Variable:
        self.types[name] = type_
        return Variable(name)

    def advance(self, questions: int) -> ThreadRun | None:
        """Asks so many questions at most; a failing run, if one is found."""
        while self.pending and self.questions < questions:
            self.deadline.check()
            path = self.pending.popleft()
            for thread in path.threads:
                template = self.program.by_name[thread.template]
                for number, edge in template.edges_from.get(thread.place, ()):
                    found = self.take(path, thread, template, number, edge)
                    if found is not None:
                        return found
        return None

    def take(
        self, path: Path, thread: UnrolledThread, template: Template, number: int, edge: Edge
    ) -> ThreadRun | None:
        prefix = f"{len(path.steps)}.{thread.number}.{number}."
        before = dict(path.globals) | dict(thread.values)
        step = symbolic_step(self.program, template, edge, before, prefix)
        self.types |= step.fresh
        for partner, conditions in self.partners(path, thread, template, step):
            taken = Taken(
                thread.number,
                number,
                tuple(
                    name
                    for name in step.fresh
                    if step.taken is None or Variable(name) not in step.taken.results
                ),
                (),
                None if partner is None else partner.number,
            )
            for failing in step.failures:
                if failing.after_join == (partner is not None):
                    assumed = (*path.assumed, *conditions, failing.condition)
                    run = self.failing_run(path, taken, assumed)
                    if run is not None:
                        return run
            if (step.taken is None) == (partner is None):
                self.extend(path, thread, edge, step, partner, conditions, taken)
        return None

    def partners(
        self, path: Path, thread: UnrolledThread, template: Template, step: SymbolicStep
    ) -> Iterator[tuple[UnrolledThread | None, tuple[Expression, ...]]]:
        """Nobody, and those whom the step may join, with what has to hold then."""
        yield None, ()
        if step.taken is None:
            return
        for other in path.threads:
            finished = self.program.by_name[other.template]
            if other is thread or other.place != FINISHED or other.id is None:
                continue
            if results_fit(self.program, template, step.taken.join, finished):
                values = dict(other.values)
                results = zip(step.taken.results, finished.results, strict=False)
                equal = [apply("==", variable, values[name]) for variable, name in results]
                yield other, (apply("==", other.id, step.taken.id), *equal)

    def extend(
        self,
        path: Path,
        thread: UnrolledThread,
        edge: Edge,
        step: SymbolicStep,
        partner: UnrolledThread | None,
        conditions: tuple[Expression, ...],
        taken: Taken,
    ) -> None:
        """The path with one more step, if that is possible."""
        assumed = [*path.assumed]
        for condition in map(fold, (*conditions, *step.guard)):
            if condition == Constant(False):
                return
            if condition != Constant(True):
                assumed.append(condition)
        if len(path.steps) >= MAX_STEPS:
            return
        is_new = len(assumed) > len(path.assumed)
        if is_new and self.model(tuple(assumed)) is False:
            return
        own = tuple((name, fold(step.values[name])) for name, _ in thread.values)
        threads = [
            UnrolledThread(each.number, each.template, edge.target, each.id, own) if each is thread else each
            for each in path.threads
            if each is not partner
        ]
        started = path.started
        if step.started is not None:
            if len(threads) > MAX_THREADS:
                return
            template = self.program.by_name[step.started.template]
            given = dict(step.started.arguments)
            # On another path, the thread with this number may be one of another template.
            label = f"{template.name}#{started}"
            fresh = tuple((name, f"{label}.{name}") for name in template.types if name not in given)
            values = tuple(
                (name, given[name] if name in given else self.new(f"{label}.{name}", type_))
                for name, type_ in template.types.items()
            )
            taken = Taken(taken.thread, taken.edge, taken.havocs, fresh, taken.joined)
            threads.append(UnrolledThread(started, template.name, template.entry, step.started.id, values))
            started += 1
        globals_ = tuple((name, fold(step.values[name])) for name, _ in path.globals)
        self.pending.append(Path(globals_, tuple(threads), started, tuple(assumed), (*path.steps, taken)))

    def model(self, assumed: tuple[Expression, ...]) -> dict[str, Value] | bool | None:
        self.questions += 1
        ranges = [fact for name, type_ in self.types.items() for fact in within(Variable(name), type_)]
        script = "\n".join(
            (
                *(f"(declare-const {quote(name)} {sort(type_)})" for name, type_ in self.types.items()),
                *(f"(assert {smt(each)})" for each in (*ranges, *assumed)),
            )
        )
        return find_model(script, list(self.types), self.deadline, self.asked)

    def failing_run(self, path: Path, last: Taken, assumed: tuple[Expression, ...]) -> ThreadRun | None:
        folded = tuple(map(fold, assumed))
        if Constant(False) in folded:
            return None
        found = self.model(tuple(each for each in folded if each != Constant(True)))
        if not isinstance(found, dict):
            return None

        def value(name: str) -> Value:
            return found[name] if name in found else some_value(self.types[name])

        program = self.program
        steps = tuple(
            ThreadStep(
                each.thread,
                each.edge,
                tuple(map(value, each.havocs)),
                tuple((local, value(name)) for local, name in each.fresh),
                each.joined,
            )
            for each in (*path.steps, last)
        )
        globals_ = tuple(
            (name, program.initial[name] if name in program.initial else value(f"g.{name}"))
            for name in program.types
        )
        locals_ = tuple((name, value(f"m.{name}")) for name in program.main_template.types)
        return ThreadRun(globals_, locals_, steps, Failure("", "", NOWHERE))
