"""Random programs with threads: every engine against the rules of the language, for as long as one likes.

    PYTHONPATH=tests:reliability python -m thread_programs --first 0 --cases 1000 [--solver]

Prints a line for each contradiction, and how often each combination of answers came up. With --solver,
formulas about one and two threads, petrification and unrolling take part; they take most of the time.
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator

from random_threads import random_text
from seriatim.arithmetic.solvers.horn import Contradiction, Relations, solve_horn
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.petrified import petrified_obligations
from seriatim.checking.thread_cover import thread_cover_obligations
from seriatim.checking.thread_modular import thread_modular_obligations
from seriatim.engines.threads.cover_evidence import cover_evidence
from seriatim.engines.threads.flows import find_flows
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.petrify import Asked, petrified_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY, TooMany
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.engines.threads.unrolling import Unrolling
from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run
from thread_reference import brute_force

THREADS = 2
INTEGERS = tuple(range(-2, 5))
CONFIGURATIONS = 1_000
SECONDS = 3.0

Answers = Iterator[tuple[str, str]]
"""Who says what: safe, fails, or unknown."""


def is_accepted(obligations: Iterator[Obligation]) -> bool:
    return all(each.holds for each in obligations)


def finite_answers(program: ThreadProgram) -> Answers:
    """What search and cover say; the runs are replayed, and the covers checked."""
    system = FiniteSystem(program, Deadline())
    search, found = Search(system, Deadline()), None
    while found is None and search.bound <= THREADS and search.explored < 1_000:
        found = search.advance(20)
    if isinstance(found, Failing):
        *_, last = replay(program, thread_run(system, found.steps))
        yield "search", "fails" if last.failure is not None else "wrong"
    else:
        yield "search", "safe" if isinstance(found, Exhausted) and system.inexact is None else "unknown"
    system = FiniteSystem(program, Deadline())
    cover = Cover(system, Deadline())
    try:
        is_whole = cover.build(150) and system.inexact is None
    except Failure:
        yield "cover", "fails"
        return
    if not is_whole:
        yield "cover", "unknown"
        return
    accepted = is_accepted(thread_cover_obligations(program, cover_evidence(cover), Allowance()))
    yield "cover", "safe" if accepted else "wrong"


def solver_answers(program: ThreadProgram) -> Answers:
    """What formulas say; the checker has to accept them."""
    for level in (1, 2):
        for flows in ((), find_flows(program)):
            try:
                clauses = modular_clauses(program, level, Deadline(SECONDS), flows)
                found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(SECONDS))
            except (OutOfBudget, TooMany):
                continue
            if isinstance(found, Relations):
                evidence = ThreadModularEvidence(level, flows, clauses.predicates(found))
                accepted = is_accepted(thread_modular_obligations(program, evidence, Context()))
                yield f"modular {level}", "safe" if accepted else "wrong"
    try:
        answers = {}
        for asked in (Asked.SAFE, Asked.BOUND):
            clauses = petrified_clauses(program, THREADS, asked, Deadline(SECONDS))
            answers[asked] = clauses, solve_horn(clauses.text(), FALSE_QUERY, Deadline(SECONDS))
        (safe_clauses, safe), (bound_clauses, bound) = answers[Asked.SAFE], answers[Asked.BOUND]
        if isinstance(safe, Relations) and isinstance(bound, Relations):
            parts = bound_clauses.predicates(bound), safe_clauses.predicates(safe)
            accepted = is_accepted(
                petrified_obligations(program, PetrifiedEvidence(THREADS, *parts), Context())
            )
            yield "petrified", "safe" if accepted else "wrong"
        elif isinstance(safe, Contradiction):
            yield "petrified", "fails"
        run = Unrolling(program, Deadline(SECONDS)).advance(60)
    except (OutOfBudget, TooMany):
        return
    if run is not None:
        *_, last = replay(program, run)
        yield "unrolling", "fails" if last.failure is not None else "wrong"


def contradictions(seed: int, with_solver: bool, counts: Counter[tuple[str, ...]]) -> Iterator[str]:
    source = SourceText("random.conc", random_text(seed))
    text = parse(source)
    program = lower(text)
    fails, is_whole = brute_force(text, THREADS, CONFIGURATIONS, INTEGERS)
    answers = list(finite_answers(program))
    if with_solver:
        answers += solver_answers(program)
    counts[(str(fails), *sorted(f"{who}: {what}" for who, what in answers))] += 1
    said = {what for _, what in answers}
    has_integers = "int" in source.text
    if (
        "wrong" in said
        or (fails and "safe" in said)
        or {"safe", "fails"} <= said
        or (fails is False and is_whole and "fails" in said and not has_integers)
    ):
        yield f"{seed}: brute force {fails}, {answers}\n{source.text}"


def main() -> None:
    options = ArgumentParser(description=__doc__)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--cases", type=int, default=100)
    options.add_argument("--solver", action="store_true")
    given = options.parse_args()
    counts: Counter[tuple[str, ...]] = Counter()
    found = 0
    for seed in range(given.first, given.first + given.cases):
        for contradiction in contradictions(seed, given.solver, counts):
            found += 1
            print(contradiction)  # noqa: T201 - a tool for people
    for answers, count in counts.most_common():
        print(f"{count:7} {' | '.join(answers)}")  # noqa: T201
    print(f"{given.cases} programs, {found} contradictions")  # noqa: T201


if __name__ == "__main__":
    main()
