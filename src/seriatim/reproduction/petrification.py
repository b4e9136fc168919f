"""The paper on petrification, measured again: its three algorithms side by side on programs with threads."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.stage import Proof
from seriatim.engines.threads.petrification import Petrification
from seriatim.engines.threads.predicates import TooMany
from seriatim.engines.threads.search import Failing, Search
from seriatim.method import Algorithm
from seriatim.program.threads.runs import NotARun, replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.problem import ThreadProblem
from seriatim.systems.threads.runs import thread_run
from seriatim.terms.operators import NoTerm

ALGORITHMS: tuple[Algorithm, ...] = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Measurement:
    file: str
    algorithm: Algorithm
    verdict: str
    """`safe`, `unsafe` with a run that was replayed, or `open`."""
    bound: int
    """The largest number of threads of a template that was tried."""
    questions: int
    """Questions to the solver."""
    seconds: float


def measure(file: str, program: ThreadProgram, algorithm: Algorithm, timeout: float) -> Measurement:
    """Runs one algorithm alone. Where it says that a step fails, a search has to find the run."""
    began = monotonic()
    deadline = Deadline(timeout)
    petrification = Petrification(ThreadProblem(program, algorithm), deadline)
    verdict = "open"
    try:
        answer = None
        while answer is None:
            answer = petrification.advance()
        if isinstance(answer, Proof):
            verdict = "safe"
        elif petrification.found_failure and fails(program, deadline):
            verdict = "unsafe"
    except (OutOfBudget, TooMany, NoTerm):
        pass
    questions = len(petrification.asked)
    return Measurement(file, algorithm, verdict, petrification.bound, questions, monotonic() - began)


def fails(program: ThreadProgram, deadline: Deadline) -> bool:
    """Whether a search finds a run that fails, and the reference semantics replays it."""
    system = FiniteSystem(program, deadline)
    found = Search(system, deadline).advance(50_000)
    if not isinstance(found, Failing):
        return False
    try:
        *_, last = replay(program, thread_run(system, found.steps))
    except NotARun:
        return False
    return last.failure is not None


def table(measurements: Sequence[Measurement], timeout: float) -> str:
    """A row for each program, and one for each algorithm, as in the paper's Table 2."""
    files = list(dict.fromkeys(each.file for each in measurements))
    by_key = {(each.file, each.algorithm): each for each in measurements}
    lines = [
        f"Each algorithm alone, {timeout:g} s each.",
        "β is the largest number of threads of a template that was tried.",
        "",
        "| program | Algorithm 1 | Algorithm 2 | Algorithm 3 |",
        "|---|---|---|---|",
    ]
    for file in files:
        cells = (cell(by_key[file, algorithm]) for algorithm in ALGORITHMS)
        lines.append(f"| {file} | {' | '.join(cells)} |")
    lines += ["", "| algorithm | solved | safe | unsafe | seconds |", "|---|---|---|---|---|"]
    for algorithm in ALGORITHMS:
        own = [each for each in measurements if each.algorithm == algorithm]
        safe = sum(each.verdict == "safe" for each in own)
        unsafe = sum(each.verdict == "unsafe" for each in own)
        solved = sum(each.seconds for each in own if each.verdict != "open")
        lines.append(f"| {algorithm} | {safe + unsafe} of {len(own)} | {safe} | {unsafe} | {solved:.1f} |")
    return "\n".join(lines) + "\n"


def cell(each: Measurement) -> str:
    return f"{each.verdict}, β = {each.bound}, {each.seconds:.2f} s"
