"""Random programs with threads: every engine against the rules of the language, for as long as one likes.

    PYTHONPATH=tests:reliability python -m thread_programs --first 0 --cases 1000 [--kind small] [--solver]

Prints a line for each contradiction, how often each combination of answers came up, and who said what. Brute
force on the statements, search, cover, and of the smaller program cover and pairs take part. With --solver,
formulas about one and two threads, relations between variables, petrification and unrolling do, too, of odd
programs about what reductions leave of them; they take most of the time, so --solver 50 asks them about one
program in fifty; --brute 3 asks brute force about one in three. --seconds limits each of them. --edges 12
passes over programs for which solvers would look at more edges: they can take a hundred times longer. With
--in-turn, each program gets one solver engine, the next one the next.

With --kind c, programs are C, and brute force looks at their twins, in which every access is a statement; the
twins are decided as well.
"""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from signal import SIGTERM, signal
from threading import Event

from seriatim.budget import Deadline, OutOfBudget
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation, report_on
from seriatim.checking.thread_cover import obligations as thread_cover_obligations
from seriatim.checking.thread_pairs import obligations as thread_pairs_obligations
from seriatim.engines.threads.cover_evidence import cover_evidence, pairs_evidence
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.pairs import PairFailure as NotExcluded
from seriatim.engines.threads.pairs import Pairs
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.frontends.conc.surface import ProgramText
from seriatim.program.threads.reduction import drop, fuse
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.reducing import reduce_threads
from seriatim.source import InputError, SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run
from testkit.generators.c_threads import random_c_texts
from testkit.generators.threads import (
    random_crowd_text,
    random_gate_text,
    random_locking_text,
    random_small_text,
    random_text,
)
from testkit.oracles.thread_reference import brute_force
from thread_solvers import SolverEngines

THREADS = {"plain": 2, "locks": 2, "small": 2, "crowd": 4, "gates": 4, "c": 2}
"""How many besides main search and brute force look at."""
INTEGERS = tuple(range(-2, 5))
CONFIGURATIONS = {"plain": 1_000, "locks": 600, "small": 150, "crowd": 1_500, "gates": 1_500, "c": 1_500}
STATES = {"c": 1_000}
"""Which search and cover look at; of other kinds, a few hundred."""
SECONDS = 30.0
"""For a solver; what it may do is also counted."""
ENOUGH = 120.0
"""Seconds for the others, whose work is counted."""
KINDS = {
    "plain": random_text,
    "locks": random_locking_text,
    "small": random_small_text,
    "crowd": random_crowd_text,
    "gates": random_gate_text,
}

Answers = Iterator[tuple[str, str]]
"""Who says what: safe, fails, or unknown."""


def is_accepted(obligations: Iterator[Obligation]) -> bool:
    return report_on(obligations).accepted


def finite_answers(program: ThreadProgram, kind: str, seconds: float) -> Answers:
    """What search and cover say; the runs are replayed, and the covers checked."""
    system = FiniteSystem(program, Deadline(seconds), forgets=True)
    search, found = Search(system, Deadline(seconds)), None
    states = STATES.get(kind, 0)
    while found is None and search.bound <= THREADS[kind] and search.explored < max(states, 500):
        found = search.advance(20)
    if isinstance(found, Failing):
        *_, last = replay(program, thread_run(system, found.steps))
        yield "search", "fails" if last.failure is not None else "wrong"
    else:
        yield "search", "safe" if isinstance(found, Exhausted) and system.inexact is None else "unknown"
    yield "cover", covered(program, seconds, max(states, 60))
    reduced = reduce_threads(program, Deadline(seconds))
    smaller = fuse(drop(program, reduced.dropped), reduced.fused)
    if smaller != reduced.program:
        yield "reduction", "wrong"
    answer = covered(smaller, seconds, max(states, 60))
    # Without variables, a program may do more; what it does more may fail.
    yield "smaller", "unknown" if answer == "fails" and reduced.dropped else answer
    yield "pairs", paired(smaller, seconds, max(states, 300))


def covered(program: ThreadProgram, seconds: float, states: int) -> str:
    system = FiniteSystem(program, Deadline(seconds))
    cover = Cover(system, Deadline(seconds))
    try:
        is_whole = cover.build(states) and system.inexact is None
    except Failure:
        return "fails"
    if not is_whole:
        return "unknown"
    accepted = is_accepted(thread_cover_obligations(program, cover_evidence(cover), Context()))
    return "safe" if accepted else "wrong"


def paired(program: ThreadProgram, seconds: float, states: int) -> str:
    system = FiniteSystem(program, Deadline(seconds))
    pairs = Pairs(system, Deadline(seconds))
    try:
        is_whole = pairs.build(states) and system.inexact is None
    except NotExcluded:
        return "unknown"
    if not is_whole:
        return "unknown"
    accepted = is_accepted(thread_pairs_obligations(program, pairs_evidence(pairs), Context()))
    return "safe" if accepted else "wrong"


def written(seed: int, kind: str) -> tuple[str, ProgramText, ThreadProgram]:
    """A program, the statements for brute force, and what engines look at."""
    if kind != "c":
        source = KINDS[kind](seed)
        text = parse(SourceText("random.conc", source))
        return source, text, lower(text)
    c, twin = random_c_texts(seed)
    return c + twin, parse(SourceText("twin.conc", twin)), read_c_threads(SourceText("random.c", c))


def contradictions(
    seed: int, given: Namespace, asks_solver: bool, counts: Counter[tuple[str, ...]]
) -> Iterator[str]:
    kind: str = given.kind
    shown, solvers = "", None
    try:
        shown, text, program = written(seed, kind)
        if asks_solver:
            solvers = SolverEngines(program, given.seconds, seed)
            if given.edges and solvers.size > given.edges:
                counts["too large",] += 1
                return
        answers = list(finite_answers(program, kind, ENOUGH))
        if kind == "c":
            twin = finite_answers(lower(text), kind, ENOUGH)
            answers += [(f"twin {who}", what) for who, what in twin]
    except InputError:
        counts["refused",] += 1
        return
    except OutOfBudget:
        counts["out of time",] += 1
        return
    fails, is_whole = None, False
    if seed % given.brute == 0:
        fails, is_whole = brute_force(text, THREADS[kind], CONFIGURATIONS[kind], INTEGERS)
    if solvers is not None:
        answers += solvers.answers(given.in_turn)
    counts[(str(fails), *sorted(f"{who}: {what}" for who, what in answers))] += 1
    said = {what for _, what in answers}
    has_integers = kind != "c" and "int" in shown
    if (
        "wrong" in said
        or (fails and "safe" in said)
        or {"safe", "fails"} <= said
        or (fails is False and is_whole and "fails" in said and not has_integers)
    ):
        yield f"{seed}: brute force {fails}, {answers}\n{shown}"


def tally(counts: Counter[tuple[str, ...]]) -> Counter[str]:
    """How often each engine gave each answer."""
    found: Counter[str] = Counter()
    for combination, count in counts.items():
        found.update(dict.fromkeys(combination[1:], count))
    return found


def main() -> None:
    options = ArgumentParser(description=__doc__)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--cases", type=int, default=100)
    options.add_argument("--brute", type=int, default=1, metavar="N")
    options.add_argument("--kind", choices=(*KINDS, "c"), default="plain")
    options.add_argument("--solver", type=int, nargs="?", const=1, default=0, metavar="N")
    options.add_argument("--seconds", type=float, default=SECONDS, help="for each solver engine")
    options.add_argument("--edges", type=int, default=0, metavar="N", help="at most, for solvers")
    options.add_argument("--in-turn", action="store_true", help="one solver engine for each program")
    given = options.parse_args()
    counts: Counter[tuple[str, ...]] = Counter()
    found = 0
    is_over = Event()
    signal(SIGTERM, lambda *_: is_over.set())  # What was seen until then is told.
    try:
        for seed in range(given.first, given.first + given.cases):
            if is_over.is_set():
                break
            asks_solver = given.solver > 0 and seed % given.solver == 0
            for contradiction in contradictions(seed, given, asks_solver, counts):
                found += 1
                print(contradiction, flush=True)  # noqa: T201 - a tool for people
    finally:
        for answers, count in counts.most_common(40):
            print(f"{count:7} {' | '.join(answers)}")  # noqa: T201
        for said, count in sorted(tally(counts).items()):
            print(f"{count:7} {said}")  # noqa: T201
        passed_over = sum(counts[each,] for each in ("refused", "out of time", "too large"))
        looked_at = counts.total() - passed_over
        print(f"{looked_at} programs of {counts.total()}, {found} contradictions")  # noqa: T201


if __name__ == "__main__":
    main()
