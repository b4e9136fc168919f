"""Evidence of the kind `thread-pairs`: which threads can be there together, two by two.

A state says the values of some globals and, for each description (`seriatim.checking.thread_steps`) that a
thread may fit there, those that others may fit beside it: its row. A configuration is covered if its
globals agree with a state, and its threads can be given descriptions of that state such that each two of
them are in each other's rows.

Claim: no run fails if the initial configuration is covered, and for every state, every description `a` of
it and every step, which may join a thread `d` of its row: the step does not fail, and there are a state
that agrees with the globals after it, and descriptions of it for what `a` has become and for what it
starts, such that there

- all of `beside`, which is the row of `a` without those that are not in the row of `d`, are listed,
- two of `beside` that are in each other's rows are so there, too,
- the new descriptions are in the rows of all of `beside` and of each other, and the other way round.

By induction over runs: the other threads of a covered configuration have descriptions in `beside` that are
in each other's rows, and keep them.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from seriatim.certificate.thread_pairs import PairedState, ThreadPairsEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.thread_steps import After, ByGlobals, Descriptions, Steps, covering_obligations
from seriatim.program.threads.syntax import ThreadProgram

Rows = Mapping[int, frozenset[int]]

CLOSED = "every step leads to threads that can be there together, and none fails"


def obligations(
    program: ThreadProgram, evidence: ThreadPairsEvidence, context: Context
) -> Iterator[Obligation]:
    pairs = Pairs(program, evidence, context.allowance)
    states = [state.globals for state in evidence.states]
    yield from covering_obligations(
        pairs.descriptions,
        states,
        lambda start: pairs.covers(start, {}, frozenset()),
        CLOSED,
        pairs.check_steps,
    )


class Pairs:
    def __init__(self, program: ThreadProgram, evidence: ThreadPairsEvidence, allowance: Allowance) -> None:
        self.evidence = evidence
        self.allowance = allowance
        self.descriptions = Descriptions(program, evidence.threads, allowance)
        self.states = ByGlobals((state.globals, rows_of(state)) for state in evidence.states)

    def check_steps(self) -> int:
        """How many there are; raises `DoesNotFollow`."""
        checked = 0
        for state in self.evidence.states:
            rows, steps = rows_of(state), Steps(self.descriptions, state.globals)
            for number, beside in rows.items():
                if not beside <= rows.keys():
                    raise DoesNotFollow("a thread of a row has no row of its own")
                for after, joined in steps.of(number, beside):
                    checked += 1
                    if not self.covers(after, rows, beside if joined is None else beside & rows[joined]):
                        where = f"a step of {after.where}"
                        raise DoesNotFollow(f"{where}, leads to something that is not covered")
        return checked

    def covers(self, after: After, rows: Rows, beside: frozenset[int]) -> bool:
        candidates = [self.descriptions.fitted(each) for each in after.threads]
        return any(
            self.keeps(target, rows, beside, chosen)
            for target in self.states.agreeing(after.globals)
            for chosen in product(*candidates)
        )

    def keeps(self, target: Rows, rows: Rows, beside: frozenset[int], chosen: tuple[int, ...]) -> bool:
        """Whether threads of `beside`, and the chosen ones, can be there together."""
        self.allowance.spend(1 + len(beside))
        nobody: frozenset[int] = frozenset()
        for other in beside:
            if other not in target or not (rows[other] & beside).union(chosen) <= target[other]:
                return False
        return all(
            each in target and beside.union(chosen[:index], chosen[index + 1 :]) <= target.get(each, nobody)
            for index, each in enumerate(chosen)
        )


def rows_of(state: PairedState) -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for number, row in state.rows:
        found[number] = found.get(number, frozenset()) | frozenset(row)
    return found
