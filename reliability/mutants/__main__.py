"""python -m mutants [GROUP]…: puts faults into modules on which verdicts rest, and runs their tests.

Groups are modules with the tests that are to notice every fault in them. All of them take about an hour.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

UNIT = "tests/unit/checking/test_{}.py"
AGREEMENT = "tests/agreement/test_{}.py"

ABOUT_SIMULATIONS = (
    "forgeries_are_refused",
    "without_a_solver_nothing_is_confirmed",
    "a_proof_about_another_program_is_refused",
    "it_is_not_about_final_values",
    "assertions_about_any_integers_hold",
)
"""The tests of simulations that are about the checker; the others ask engines, for a minute."""

GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "language": (
        "program.semantics program.execution program.actions program.syntax program.changing program.liveness"
        " frontends.ser.core_terms frontends.ser.returns",
        (
            *map("tests/unit/program/test_{}.py".format, ("semantics", "actions", "syntax")),
            *map("tests/unit/frontends/ser/test_{}.py".format, ("intervals", "core_terms")),
            "tests/properties/test_liveness.py",
            *map(AGREEMENT.format, ("returns", "execution")),
        ),
    ),
    "runs": (
        "checking.run checking.turns checking.folded_run checking.unexplained checking.outcomes"
        " checking.allowed checking.reached",
        (
            *map(UNIT.format, ("run", "folded_run", "unexplained", "questions", "tampering", "linear_cover")),
            AGREEMENT.format("properties"),
        ),
    ),
    "commits": (
        "checking.commit checking.cover checking.flights checking.moves checking.reference checking.verify"
        " checking.atomic checking.allowance checking.numbering checking.obligation checking.weights",
        (
            *map(UNIT.format, ("allowance", "atomic", "commit", "faults", "moves", "questions", "reference")),
            *map(UNIT.format, ("attacks", "run", "verify", "weights")),
            *map(AGREEMENT.format, ("commit_checker", "safety")),
        ),
    ),
    "endings": (
        "checking.no_fault checking.fault_run checking.never_stuck checking.stuck_run checking.timeless",
        (
            *map(UNIT.format, ("faults", "stuck_run", "timeless")),
            *map(AGREEMENT.format, ("safety", "stuck", "timeless")),
        ),
    ),
    "symmetries": (
        "checking.symmetric_commit checking.symmetric_flights checking.orbits",
        (
            *map(UNIT.format, ("symmetric_commit", "held_positions")),
            AGREEMENT.format("symmetric_checker"),
        ),
    ),
    "reductions": (
        "checking.reduction checking.views",
        (UNIT.format("reduction"), AGREEMENT.format("modular")),
    ),
    "counting": (
        "checking.tree checking.cases checking.cover_claim checking.covers checking.counting"
        " checking.situations checking.linear_cover arithmetic.linear_sets arithmetic.formula",
        (
            *map(UNIT.format, ("tree", "cases", "cover_claim", "linear_cover", "counting")),
            *map("tests/unit/arithmetic/test_{}.py".format, ("linear_sets", "formula")),
        ),
    ),
    "chains": (
        "checking.chains_structure checking.chains_cases checking.chains_counts checking.chains_moves"
        " checking.chains",
        (
            *map(UNIT.format, ("chains_structure", "chains_counts", "chains")),
            AGREEMENT.format("chain_checker"),
        ),
    ),
    "questions": (
        "checking.actions checking.posing checking.cycle checking.intervals checking.observed checking.points"
        " checking.no_cycle",
        (*map(UNIT.format, ("actions", "posing", "cycle", "intervals", "no_cycle", "observed", "points")),),
    ),
    "threads": (
        "checking.threads checking.thread_run checking.thread_reduction checking.thread_flows"
        " checking.thread_cover checking.thread_pairs checking.thread_modular checking.petrified"
        " checking.thread_steps checking.thread_clauses program.threads.scenes",
        (
            *map(UNIT.format, ("threads", "thread_cover", "thread_flows", "thread_steps", "thread_clauses")),
            UNIT.format("thread_configurations"),
        ),
    ),
    "formulas": (
        "checking.formulas checking.simulation checking.symbolic_reduction",
        (
            *map(UNIT.format, ("formulas", "symbolic_reduction", "request_flows")),
            *(f"{UNIT.format('simulation')}::test_{each}" for each in ABOUT_SIMULATIONS),
        ),
    ),
    "histories": (
        "checking.history.verify checking.history.objects",
        (
            *map("tests/unit/checking/history/test_{}.py".format, ("verify", "objects")),
            AGREEMENT.format("histories"),
        ),
    ),
}


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        sys.stderr.write(f"No such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}\n")
        return 2
    results = [run(*GROUPS[name]) for name in names or GROUPS]
    return 1 if any(results) else 0


def run(modules: str, tests: tuple[str, ...]) -> int:
    """The exit code of pytest. All tests take part, and hypothesis looks at the same examples each time."""
    mutated = [word for module in modules.split() for word in ("--mutate", f"seriatim.{module}")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mutants.plugin", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *mutated, *tests], env={**os.environ, "CI": "1", "DEEP": "1"}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
