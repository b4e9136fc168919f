"""Compares verdicts about a C program with runs of the program that gcc makes of it.

A proof is printed only if no run contradicts it. A violation is shown on real threads where a run of the same
kind is found; its own run is followed line by line.
"""

from collections.abc import Mapping
from dataclasses import replace

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.frontends.c.compiled.schedules import Ends, NotRun, run_compiled
from seriatim.frontends.protocol import Comparison, Confirmation
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.property import Property
from seriatim.properties.statement import NeverFails, NeverRaces, NeverStuck, UsesMemoryWell
from seriatim.properties.threads import pose
from seriatim.result import Holds, Result, Undecided, Violated

HINT = "this is a bug in Seriatim, or the program does what C leaves undefined; --no-replay compares nothing"
WORDS: Mapping[str, str] = {
    "failed": "an assertion fails",
    "fault": "the program divides by 0",
    "memory": "memory is used that is not there",
    "race": "two threads access a variable at the same time",
    "hang": "no thread can go on",
}


def compare_with_compiled(
    result: Result,
    program: ThreadProgram,
    settings: Mapping[str, str],
    allowed: bool,
    deadline: Deadline,
) -> Result:
    """The result, with what runs of the compiled program say; undecided if they contradict a proof."""
    answer = result.answer
    also = [each.property for each in result.also if isinstance(each.answer, Holds)]
    asked = ([result.property] if isinstance(answer, Holds | Violated) else []) + also
    if not asked:
        return result
    if not allowed:
        return _not_compared(result, "that executes the source, which is not allowed here")
    plan: list[tuple[int, int]] = []
    if isinstance(answer, Violated) and isinstance(answer.certificate.evidence, ThreadRunEvidence):
        posed = pose(program, result.property.states())
        moments = replay(posed, answer.certificate.evidence.run)
        plan = [(each.thread, each.edge.span.line) for each in moments]
    wanted = tuple(end for each in asked for end in looked_for(each))
    try:
        ends = run_compiled(result.source, wanted, plan, deadline, settings)
    except (NotRun, OutOfBudget) as failed:
        return _not_compared(result, str(failed))
    seen = next((each for each in wanted if each in ends.counts), None)
    if isinstance(answer, Violated):
        return _show(result, ends, seen)
    if seen is None:
        sentence = f"Compared with {ends.compiler}: none of {ends.runs} runs with random schedules shows one."
        return replace(result, compared=Comparison(ends.compiler, sentence))
    difference = f"in a run of the executable of {ends.compiler}, {WORDS[seen]}{_places(ends, seen)}"
    undecided = Undecided(f"this was proved, but {difference}", HINT, 0)
    return replace(result, answer=undecided, compared=Comparison(ends.compiler, "", difference), also=())


def looked_for(asked: Property) -> tuple[str, ...]:
    """The ends of runs that violate a property, by the names of `runtime.c`."""
    match asked.states():
        case NeverRaces():
            return ("race",)
        case NeverStuck():
            return ("hang",)
        case UsesMemoryWell():
            return ("memory",)
        case NeverFails():
            return ("failed", "fault", "memory")
        case never:
            raise AssertionError(f"{never} is not about threads")


def _not_compared(result: Result, why: str) -> Result:
    sentence = f"Not compared with the compiled program: {why}."
    return replace(result, compared=Comparison(None, sentence))


def _show(result: Result, ends: Ends, seen: str | None) -> Result:
    if seen is None:
        sentence = f"None of {ends.runs} runs of the executable of {ends.compiler} has shown it."
        return replace(result, confirmation=Confirmation(False, sentence))
    where = _places(ends, seen)
    sentence = (
        f"Seen in run {ends.runs} of the executable of {ends.compiler} on real threads: {WORDS[seen]}{where}."
    )
    return replace(result, confirmation=Confirmation(True, sentence))


def _places(ends: Ends, seen: str) -> str:
    lines = sorted({line for line in ends.lines.get(seen, ()) if line})
    if not lines:
        return ""
    return f" in line {lines[0]}" if len(lines) == 1 else f" in lines {lines[0]} and {lines[1]}"
