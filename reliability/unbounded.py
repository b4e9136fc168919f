"""Random programs whose values have no bound: proofs against brute force over a few requests.

    PYTHONPATH=tests:reliability python -m unbounded --first 0 --cases 5000 [--any-commits] [--arguments 0.5]
    PYTHONPATH=tests:reliability python -m unbounded --first 0 --cases 5000 --by exchanges [--cells]
    PYTHONPATH=tests:reliability python -m unbounded --first 0 --cases 5000 --by exchanges --permits [--cells]

Prints a line for each wrong proof, and at the end how many programs were proved, and with how many requests
brute force could look at them. Proofs are those by simulation, or by exchanging steps; with --cells programs
have arrays with a cell for each integer, and brute force tries a few requests. With --permits programs count
holders and permits, of one resource, or with --cells of one for each key. --level 1 leaves out formulas
about two requests. With --any-commits, commit points are tried that sampled runs refute, too. --arguments
says how often requests have an argument that may be any integer; brute force tries a few.
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import report_on
from seriatim.checking.simulation import simulation_obligations
from seriatim.checking.symbolic_reduction import symbolic_reduction_obligations
from seriatim.engines.exchanges.engine import reduce
from seriatim.engines.simulation.clauses import TooManyClauses
from seriatim.engines.simulation.engine import attempt, guess, simulate
from seriatim.engines.simulation.policies import policies
from seriatim.engines.simulation.samples import Samples
from seriatim.frontends.ser.parser import parse
from seriatim.program.recursion import deep_recursion
from seriatim.program.symbolic.execution import TooManyPaths
from seriatim.program.symbolic.model import from_program
from seriatim.program.symbolic.moves import Policy
from seriatim.program.syntax import Program
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.terms.operators import NoTerm
from testkit.generators.permits import PermitMaker
from testkit.generators.unbounded import CellMaker, UnboundedMaker
from testkit.oracles.brute_force import TooLarge, fewest_in_violation, rules_of_unfolding

SECONDS = 0.5
"""Of CPU time, for one attempt."""
SECONDS_TO_EXCHANGE = 5.0
MOST_HANDLERS = 5
"""That brute force looks at."""
MOST_REQUESTS = 4
STATES = 8_000


def exchanges(program: Program) -> list[SymbolicReductionEvidence]:
    """What the checker accepts."""
    try:
        evidence = reduce(program, Deadline().of_cpu(SECONDS_TO_EXCHANGE))
    except OutOfBudget:
        return []
    if not isinstance(evidence, SymbolicReductionEvidence):
        return []
    with deep_recursion():
        assert report_on(symbolic_reduction_obligations(program, evidence, Context())).accepted
    return [evidence]


def proofs(program: Program, levels: tuple[int, ...], any_commits: bool) -> list[SimulationEvidence]:
    """All that the checker accepts."""
    found: list[SimulationEvidence] = []
    if program.open_arrays:
        try:
            about_cells = simulate(program, True, Deadline().of_cpu(SECONDS_TO_EXCHANGE))
        except OutOfBudget:
            return []
        if isinstance(about_cells, SimulationEvidence):
            assert report_on(simulation_obligations(program, about_cells, Context(), True)).accepted
            found.append(about_cells)
        return found
    with deep_recursion():
        model = from_program(program)
        chosen = policies(model)
        if not any_commits:
            samples = Samples(model, Deadline())
            chosen = [each for each in chosen if samples.explained_by(each)]
        for committed in chosen[:3]:
            policy = Policy(model, committed)
            ways: list[Callable[[Deadline], object]] = [partial(guess, policy)]
            ways += [partial(attempt, policy, level) for level in levels]
            for way in ways:
                try:
                    evidence = way(Deadline().of_cpu(SECONDS))
                except OutOfBudget:
                    continue
                if isinstance(evidence, SimulationEvidence):
                    context = Context()
                    if report_on(simulation_obligations(program, evidence, context, True)).accepted:
                        found.append(evidence)
                    break
    return found


def fewest(program: Program, random: Random) -> tuple[int, int | None]:
    """With how many requests brute force has looked, and how many the smallest violation has."""
    few = program.handlers
    if len(few) > MOST_HANDLERS:
        few = tuple(random.sample(few, MOST_HANDLERS))
    rules = rules_of_unfolding(ProgramUnfolding(replace(program, handlers=few), Limits(), Deadline()))
    looked = 0
    for requests in range(2, MOST_REQUESTS + 1):
        try:
            found = fewest_in_violation(rules, requests, STATES)
        except (TooLarge, LimitReached):
            break
        looked = requests
        if found is not None:
            return looked, found
    return looked, None


def main() -> int:
    parser = ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--level", type=int)
    parser.add_argument("--any-commits", action="store_true")
    parser.add_argument("--arguments", type=float, default=0.0)
    parser.add_argument("--by", choices=["simulation", "exchanges"], default="simulation")
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--permits", action="store_true")
    options = parser.parse_args()
    levels = (1, 2) if options.level is None else (options.level,)
    counts: Counter[str] = Counter()
    wrong = 0
    for number in range(options.first, options.first + options.cases):
        if number % 100 == 0 and number > options.first:
            print(f"after {number - options.first}: {dict(counts)}", flush=True)  # noqa: T201
        random = Random(number)
        maker: UnboundedMaker | CellMaker | PermitMaker = UnboundedMaker(random, options.arguments)
        if options.permits:
            maker = PermitMaker(random, options.cells)
        elif options.cells:
            maker = CellMaker(random)
        text = maker.program()
        program = parse(text)
        found: list[SimulationEvidence] | list[SymbolicReductionEvidence]
        try:
            if options.by == "exchanges":
                found = exchanges(program)
            else:
                found = proofs(program, levels, options.any_commits)
        except (TooManyPaths, TooManyClauses, NoTerm, GaveUp) as error:
            counts[f"given up: {type(error).__name__}"] += 1
            continue
        if not found:
            counts["not proved"] += 1
            continue
        looked, violation = fewest(program, random)
        counts[f"proved, with {looked} requests by brute force"] += 1
        if violation is not None:
            wrong += 1
            print(f"WRONG: case {number}, {violation} requests\n{text}\n{found[0]}", flush=True)  # noqa: T201
    for answer, count in sorted(counts.items()):
        print(f"{count:6}  {answer}")  # noqa: T201 - a tool for people
    print(f"{wrong} wrong proofs among {options.cases} programs")  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
