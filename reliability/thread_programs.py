"""Random programs with threads: every engine against the rules of the language, for as long as one likes.

    PYTHONPATH=tests:reliability python -m thread_programs --first 0 --cases 1000 [--kind small] [--solver]

Prints a line for each contradiction, and how often each combination of answers came up. Brute force on the
statements, search, cover, and of the smaller program cover and pairs take part. With --solver, formulas about
one and two threads, relations between variables, petrification and unrolling do, too; they take most of the
time, so --solver 50 asks them about one program in fifty; --brute 3 asks brute force about one in three.
--seconds limits each of them.
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator

from random_threads import random_crowd_text, random_locking_text, random_small_text, random_text
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
from seriatim.checking.thread_pairs import thread_pairs_obligations
from seriatim.engines.threads.cover_evidence import cover_evidence, pairs_evidence
from seriatim.engines.threads.flows import find_flows
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.pairs import Failure as NotExcluded
from seriatim.engines.threads.pairs import Pairs
from seriatim.engines.threads.petrify import Asked, petrified_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY, TooMany
from seriatim.engines.threads.relations import find_relations
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.engines.threads.unrolling import Unrolling
from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.program.threads.reduction import drop, fuse
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.reducing import reduce_threads
from seriatim.source import InputError, SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run
from thread_reference import brute_force

THREADS = {"plain": 2, "locks": 2, "small": 2, "crowd": 4}
"""How many besides main search and brute force look at."""
INTEGERS = tuple(range(-2, 5))
CONFIGURATIONS = {"plain": 1_000, "locks": 600, "small": 150, "crowd": 1_500}
BOUND = 2
"""Of petrification."""
SECONDS = 3.0
"""For a solver."""
ENOUGH = 120.0
"""Seconds for the others, whose work is counted."""
KINDS = {
    "plain": random_text,
    "locks": random_locking_text,
    "small": random_small_text,
    "crowd": random_crowd_text,
}

Answers = Iterator[tuple[str, str]]
"""Who says what: safe, fails, or unknown."""


def is_accepted(obligations: Iterator[Obligation]) -> bool:
    return all(each.holds for each in obligations)


def finite_answers(program: ThreadProgram, threads: int, seconds: float) -> Answers:
    """What search and cover say; the runs are replayed, and the covers checked."""
    system = FiniteSystem(program, Deadline(seconds))
    search, found = Search(system, Deadline(seconds)), None
    while found is None and search.bound <= threads and search.explored < 500:
        found = search.advance(20)
    if isinstance(found, Failing):
        *_, last = replay(program, thread_run(system, found.steps))
        yield "search", "fails" if last.failure is not None else "wrong"
    else:
        yield "search", "safe" if isinstance(found, Exhausted) and system.inexact is None else "unknown"
    yield "cover", covered(program, seconds)
    reduced = reduce_threads(program, Deadline(seconds))
    smaller = fuse(drop(program, reduced.dropped), reduced.fused)
    if smaller != reduced.program:
        yield "reduction", "wrong"
    answer = covered(smaller, seconds)
    # Without variables, a program may do more; what it does more may fail.
    yield "smaller", "unknown" if answer == "fails" and reduced.dropped else answer
    yield "pairs", paired(smaller, seconds)


def covered(program: ThreadProgram, seconds: float) -> str:
    system = FiniteSystem(program, Deadline(seconds))
    cover = Cover(system, Deadline(seconds))
    try:
        is_whole = cover.build(60) and system.inexact is None
    except Failure:
        return "fails"
    if not is_whole:
        return "unknown"
    accepted = is_accepted(thread_cover_obligations(program, cover_evidence(cover), Allowance()))
    return "safe" if accepted else "wrong"


def paired(program: ThreadProgram, seconds: float) -> str:
    system = FiniteSystem(program, Deadline(seconds))
    pairs = Pairs(system, Deadline(seconds))
    try:
        is_whole = pairs.build(300) and system.inexact is None
    except NotExcluded:
        return "unknown"
    if not is_whole:
        return "unknown"
    accepted = is_accepted(thread_pairs_obligations(program, pairs_evidence(pairs), Allowance()))
    return "safe" if accepted else "wrong"


def solver_answers(program: ThreadProgram, seconds: float) -> Answers:
    """What formulas say; the checker has to accept them."""
    for level in (1, 2):
        for flows in ((), find_flows(program)):
            try:
                clauses = modular_clauses(program, level, Deadline(seconds), flows)
                found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(seconds))
            except (OutOfBudget, TooMany):
                continue
            if isinstance(found, Relations):
                evidence = ThreadModularEvidence(level, flows, clauses.predicates(found))
                accepted = is_accepted(thread_modular_obligations(program, evidence, Context()))
                yield f"modular {level}", "safe" if accepted else "wrong"
    yield from related(program, seconds)
    try:
        answers = {}
        for asked in (Asked.SAFE, Asked.BOUND):
            clauses = petrified_clauses(program, BOUND, asked, Deadline(seconds))
            answers[asked] = clauses, solve_horn(clauses.text(), FALSE_QUERY, Deadline(seconds))
        (safe_clauses, safe), (bound_clauses, bound) = answers[Asked.SAFE], answers[Asked.BOUND]
        if isinstance(safe, Relations) and isinstance(bound, Relations):
            parts = bound_clauses.predicates(bound), safe_clauses.predicates(safe)
            accepted = is_accepted(
                petrified_obligations(program, PetrifiedEvidence(BOUND, *parts), Context())
            )
            yield "petrified", "safe" if accepted else "wrong"
        elif isinstance(safe, Contradiction):
            yield "petrified", "fails"
        run = Unrolling(program, Deadline(seconds)).advance(60)
    except (OutOfBudget, TooMany):
        return
    if run is not None:
        *_, last = replay(program, run)
        yield "unrolling", "fails" if last.failure is not None else "wrong"


def related(program: ThreadProgram, seconds: float) -> Answers:
    """What comparisons of variables say."""
    for level in (1, 2):
        flows = find_flows(program)
        try:
            clauses = modular_clauses(program, level, Deadline(seconds), flows)
            predicates = find_relations(clauses, Deadline(seconds))
        except (OutOfBudget, TooMany):
            continue
        if predicates is not None:
            evidence = ThreadModularEvidence(level, flows, predicates)
            accepted = is_accepted(thread_modular_obligations(program, evidence, Context()))
            yield f"relations {level}", "safe" if accepted else "wrong"


def contradictions(
    seed: int, kind: str, seconds: float, with_force: bool, counts: Counter[tuple[str, ...]]
) -> Iterator[str]:
    source = SourceText("random.conc", KINDS[kind](seed))
    try:
        text = parse(source)
        program = lower(text)
        answers = list(finite_answers(program, THREADS[kind], ENOUGH))
    except InputError:
        counts["refused",] += 1
        return
    except OutOfBudget:
        counts["out of time",] += 1
        return
    fails, is_whole = None, False
    if with_force:
        fails, is_whole = brute_force(text, THREADS[kind], CONFIGURATIONS[kind], INTEGERS)
    if seconds:
        answers += solver_answers(program, seconds)
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
    options.add_argument("--brute", type=int, default=1, metavar="N")
    options.add_argument("--kind", choices=KINDS, default="plain")
    options.add_argument("--solver", type=int, nargs="?", const=1, default=0, metavar="N")
    options.add_argument("--seconds", type=float, default=SECONDS, help="for each solver engine")
    given = options.parse_args()
    counts: Counter[tuple[str, ...]] = Counter()
    found = 0
    for seed in range(given.first, given.first + given.cases):
        asks_solver = given.solver and seed % given.solver == 0
        for contradiction in contradictions(
            seed, given.kind, given.seconds if asks_solver else 0, seed % given.brute == 0, counts
        ):
            found += 1
            print(contradiction, flush=True)  # noqa: T201 - a tool for people
    for answers, count in counts.most_common(40):
        print(f"{count:7} {' | '.join(answers)}")  # noqa: T201
    looked_at = given.cases - counts["refused",] - counts["out of time",]
    print(f"{looked_at} programs of {given.cases}, {found} contradictions")  # noqa: T201


if __name__ == "__main__":
    main()
