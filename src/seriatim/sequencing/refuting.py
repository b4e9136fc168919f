"""Looks for runs that break a program, at sizes and values that grow one after the other.

A run is drawn at random: which pending instance comes next, and which of its outcomes happens. A third of the
runs draw a priority for each instance when it is created, and always execute the one with the highest that
can do a step: so some instances are delayed for long, as slow nodes are. Another third keep to the order of
the proof, which is meant to cover all runs. Outcomes that change something are
drawn more often than those that do nothing, such as lost messages. Ids need no exploring of their own: all
instances of an action are drawn alike, whatever their arguments.

Nothing is proved here. A run that is found is one of the program, and the checker replays it. Sizes grow, so
it is one at small sizes; a shortest run is looked for there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from seriatim.actions.configurations import Broken, Reached, Step, TooLarge, Trace, minus, plus
from seriatim.actions.interpreter import START, Instances, Interpreter, Outcome
from seriatim.actions.meaning import Failed
from seriatim.actions.order import Ordering
from seriatim.actions.syntax import ActionProgram, Fact
from seriatim.actions.values import GlobalState, Instance, Sizes
from seriatim.actions.walk import constants
from seriatim.budget import Deadline, OutOfTime
from seriatim.sequencing.small import initial_count

MAX_INITIAL = 20_000
"""The most initial states at one size; the checker of a run lists them all."""

MAX_STEPS = 400
"""The longest run that is drawn."""

RUNS = 40
"""How many runs are drawn at one size in the first round."""

RUNS_AGAIN = 600
"""How many runs are drawn to see whether smaller sizes are enough."""

MAX_SIZES = 12
"""How many combinations of sizes with the same largest one are looked at in one round."""

MAX_SHORTEST = 20_000
"""The most configurations among which a shortest run is looked for."""

EAGER = 4
"""How much more often an outcome is drawn that changes something."""


@dataclass(frozen=True, slots=True)
class Refutation:
    broken: Broken
    interpreter: Interpreter


def refute(program: ActionProgram, deadline: Deadline, rounds: int) -> Refutation | None:
    """Draws runs until one breaks the program; None after so many rounds, or at the deadline."""
    random = Random(0)
    try:
        for sizes, runs in growing_sizes(program, random, rounds):
            found = draw_runs(program, sizes, runs, random, deadline)
            if found is not None:
                return smaller(program, found, random, deadline)
    except OutOfTime:
        return None
    return None


def draw_runs(
    program: ActionProgram, sizes: Sizes, runs: int, random: Random, deadline: Deadline
) -> Refutation | None:
    """Draws some runs at these sizes, and shortens the first that breaks the program."""
    deadline.check()
    if initial_count(program, sizes) > MAX_INITIAL:
        return None
    interpreter = Interpreter(program, sizes)
    initial = list(interpreter.initial_states())
    ordering = None if program.proof is None else Ordering(program.proof, interpreter.meanings)
    for number in range(runs if initial else 0):
        deadline.check()
        chosen = (choose_any, choose_by_priority, choose_in_order)[number % 3]
        start = random.choice(initial)
        broken = draw_run(interpreter, start, random, chosen(random, ordering, start))
        if broken is not None:
            return Refutation(shortest(interpreter, deadline) or broken, interpreter)
    return None


def smaller(program: ActionProgram, found: Refutation, random: Random, deadline: Deadline) -> Refutation:
    """The same at sizes that are smaller by one, one parameter at a time, as long as runs are found there."""
    is_new = True
    while is_new:
        is_new = False
        sizes = found.interpreter.layout.sizes
        for size in program.sizes:
            less = sizes.parameters[size.name] - 1
            if less < size.least:
                continue
            given = Sizes({**sizes.parameters, size.name: less}, sizes.low, sizes.high)
            try:
                better = draw_runs(program, given, RUNS_AGAIN, random, deadline)
            except OutOfTime:
                return found
            if better is not None:
                found, is_new = better, True
                break
    return found


def growing_sizes(program: ActionProgram, random: Random, rounds: int) -> Iterator[tuple[Sizes, int]]:
    """Sizes and windows of integers, each with how many runs to draw there: in each round larger
    ones, and more runs of the small ones."""
    names = [size.name for size in program.sizes]
    known = sorted(constants(program))
    for turn in range(1, rounds + 1):
        largest = 2 + turn // 2
        for most in range(1, largest + 1):
            vectors = [
                each
                for each in product(*(range(size.least, max(size.least, most) + 1) for size in program.sizes))
                if not each or max(each) >= most
            ]
            for vector in random.sample(vectors, min(MAX_SIZES, len(vectors))):
                parameters = dict(zip(names, vector, strict=True))
                for low, high in windows(most, known):
                    yield Sizes(parameters, low, high), RUNS * turn


def windows(most: int, known: list[int]) -> list[tuple[int, int]]:
    """The integers that free choices range over: few, as many as the sizes, and those around constants."""
    found = [(0, 1), (0, max(2, most))]
    near = [each for each in known if 1 < abs(each) <= 4 * most + 4]
    found += [(min(0, each - 1), max(1, each + 1)) for each in near]
    if most > 1:
        found.append((-most, most))
    return list(dict.fromkeys(found))


Scheduler = Callable[[Instances], list[Instance]]
"""Puts pending instances into the order in which they are tried."""


def choose_any(random: Random, _: Ordering | None, __: GlobalState) -> Scheduler:
    def schedule(pending: Instances) -> list[Instance]:
        waiting = list(dict.fromkeys(pending))
        random.shuffle(waiting)
        return waiting

    return schedule


def choose_by_priority(random: Random, _: Ordering | None, __: GlobalState) -> Scheduler:
    priorities: dict[Instance, float] = {}

    def schedule(pending: Instances) -> list[Instance]:
        waiting = list(dict.fromkeys(pending))
        for each in waiting:
            priorities.setdefault(each, random.random())
        return sorted(waiting, key=priorities.__getitem__)

    return schedule


def choose_in_order(random: Random, ordering: Ordering | None, initial: GlobalState) -> Scheduler:
    """Chooses what comes next in the order of the proof; the others only if it is blocked."""
    otherwise = choose_any(random, ordering, initial)

    def schedule(pending: Instances) -> list[Instance]:
        first = None if ordering is None else ordering.least(pending, initial)
        return otherwise(pending) if first is None else [first, *otherwise(pending)]

    return schedule


def draw_run(
    interpreter: Interpreter, initial: GlobalState, random: Random, schedule: Scheduler
) -> Broken | None:
    """Draws a run from an initial state; returns it if it breaks the program."""
    state, pending = initial, START
    steps: list[Step] = []
    while pending and len(steps) < MAX_STEPS:
        for instance in schedule(pending):
            execution = interpreter.execute(state, instance)
            if execution.failure is not None:
                why = execution.failure
                return Broken(Trace(initial, tuple(steps)), instance, why.reason, why.span.line)
            if execution.outcomes:
                break
        else:
            return None
        outcome = _draw(execution.outcomes, state, random)
        state, pending = outcome.state, plus(minus(pending, instance), outcome.created)
        steps.append(Step(instance, (state, pending)))
        wrong = find_violated(interpreter, state, pending)
        if wrong is not None:
            reason = "`invariant` does not hold"
            return Broken(Trace(initial, tuple(steps)), None, reason, wrong.span.line)
    if pending:
        return None
    proof = interpreter.program.proof
    for fact in () if proof is None else proof.ensures:
        try:
            if interpreter.holds(fact.condition, state, initial, (), {}):
                continue
            why = Failed("`ensures` does not hold", fact.span)
        except Failed as failed:
            why = failed
        return Broken(Trace(initial, tuple(steps)), None, why.reason, why.span.line)
    return None


def find_violated(interpreter: Interpreter, state: GlobalState, pending: Instances) -> Fact | None:
    """Finds something that the program claims of every state and that is false in this one."""
    proof = interpreter.program.proof
    for fact in () if proof is None else proof.invariants:
        if not interpreter.holds(fact.condition, state, state, pending, {}):
            return fact
    return None


def _draw(outcomes: tuple[Outcome, ...], state: GlobalState, random: Random) -> Outcome:
    if len(outcomes) == 1:
        return outcomes[0]
    weights = [EAGER if each.created or each.state != state else 1 for each in outcomes]
    return random.choices(outcomes, weights)[0]


def shortest(interpreter: Interpreter, deadline: Deadline) -> Broken | None:
    """A shortest run that breaks the program at these sizes; None if there is too much to search."""
    try:
        return Reached(interpreter, MAX_SHORTEST, deadline, stops_when_broken=True).broken
    except (TooLarge, OutOfTime):
        return None
