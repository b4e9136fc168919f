"""Evidence of the kind `sequentialization`: a proof by one order, at given sizes or for all.

The conditions come from the program and from the proof in the certificate, through `conditions` or, at
given sizes, through the reference interpreter. Nothing that found the proof takes part.
"""

from collections.abc import Iterator

from seriatim.actions.configurations import TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.actions.values import TooFew
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import Answer, ask
from seriatim.budget import Deadline
from seriatim.certificate.sequentialization import OrderEvidence, SizesAt
from seriatim.checking.allowance import GaveUp
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.sequentialization.action_run import sizes_of
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import (
    Discharged,
    Status,
    condition_script,
    discharge_all,
    follows_from_instances,
)
from seriatim.checking.sequentialization.finite import FiniteReport, check_at
from seriatim.checking.sequentialization.premises import Premise, tell
from seriatim.checking.words import counted
from seriatim.frozen import replace

MAX_CONFIGURATIONS = 1_000_000


def order_obligations(
    program: ActionProgram,
    proof: Proof,
    evidence: OrderEvidence,
    solvers: tuple[SolverName, ...],
    deadline: Deadline,
) -> Iterator[Obligation]:
    """What has to hold, in this order. Raises `GaveUp`, `OutOfBudget`."""
    yield _ensures_the_same(program, proof)
    if evidence.all_sizes:
        whole = proof.gates is not None and (proof.measure is not None or evidence.terminating)
        yield Obligation("the proof says which gates and which measure it uses", whole, "a line is missing")
        yield _visits(program, proof, evidence, deadline)
        if not solvers:
            yield Obligation("all conditions hold", False, "this needs a solver, and none is allowed")
            return
        yield from prove_for_all(program, proof, evidence.terminating, solvers, deadline)
        return
    if not evidence.sizes:
        yield Obligation("some size is given", False, "no size is given")
    for sizes in evidence.sizes:
        yield _at(program, proof, sizes, evidence.terminating, deadline)


def _ensures_the_same(program: ActionProgram, proof: Proof) -> Obligation:
    wanted = () if program.proof is None else program.proof.ensures
    lines = (fact.span.line for fact in wanted if fact not in proof.ensures)
    missing = next((f"line {line} of the program is left out" for line in lines), None)
    return unless(missing, "the proof is about everything that the program ensures", "")


def _visits(program: ActionProgram, proof: Proof, evidence: OrderEvidence, deadline: Deadline) -> Obligation:
    """What is assumed can hold: small runs execute each ordered action."""
    claim = "runs in this order exist and execute each ordered action"
    chosen: set[str] = set()
    for given in evidence.sizes:
        report = _finite(program, proof, given, evidence.terminating, deadline)
        if isinstance(report, str):
            return Obligation(claim, False, report)
        chosen |= report.chosen
        if not report.prefixes:
            return Obligation(claim, False, f"there is no initial state at {sizes_of(given).text()}")
    never = (f"{name} is never executed at the sizes given" for name in proof.actions if name not in chosen)
    return unless(next(never, None), claim, "")


def _finite(
    program: ActionProgram, proof: Proof, given: SizesAt, terminating: bool, deadline: Deadline
) -> FiniteReport | str:
    try:
        interpreter = Interpreter(replace(program, proof=proof), sizes_of(given))
    except TooFew as few:
        return str(few)
    try:
        return check_at(interpreter, proof, MAX_CONFIGURATIONS, deadline, terminating)
    except TooLarge:
        raise GaveUp(f"more than {MAX_CONFIGURATIONS:,} configurations") from None


def _at(
    program: ActionProgram, proof: Proof, given: SizesAt, terminating: bool, deadline: Deadline
) -> Obligation:
    claim = f"all premises hold at {sizes_of(given).text()}"
    report = _finite(program, proof, given, terminating, deadline)
    if isinstance(report, str):
        return Obligation(claim, False, report)
    if not report.prefixes:
        return Obligation(claim, False, "there is no initial state")
    left = [each for _, _, pending in report.results for each in pending]
    if report.findings:
        found = report.findings[0]
        other = None if found.other is None else found.other[0]
        return Obligation(claim, False, tell(found.premise, found.action[0], other))
    if left:
        return Obligation(claim, False, f"{left[0][0]} is left at the end of the order")
    return Obligation(claim, True, f"{len(report.prefixes):,} configurations, {report.pairs:,} exchanges")


def prove_for_all(
    program: ActionProgram,
    proof: Proof,
    terminating: bool,
    solvers: tuple[SolverName, ...],
    deadline: Deadline,
) -> Iterator[Obligation]:
    """One obligation a premise."""
    conditions = Conditions(program, proof, terminating).all()
    for premise in Premise:
        mine = [each for each in conditions if each.premise is premise]
        if not mine:
            continue
        found = list(discharge_all(mine, solvers[0], deadline))
        open_ = [each for each in found if each.status is not Status.PROVED]
        if open_ and all(each.status is Status.OPEN for each in open_):
            raise GaveUp(f"no solver could tell about {open_[0].condition.name}")
        confirmed, gave_up = _second_opinions(found, solvers[1:], deadline)
        holds = "holds" if len(mine) == 1 else "hold"
        claim = f"{premise}: {counted(len(mine), 'condition')} {holds} for all sizes"
        detail = open_[0].condition.name if open_ else ""
        yield Obligation(claim, not open_, detail, confirmed_by=(solvers[0], *confirmed), gave_up=gave_up)


def _second_opinions(
    found: list[Discharged], solvers: tuple[SolverName, ...], deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which other solvers confirm everything, and which could not tell; raises `GaveUp` if one disagrees."""
    confirmed: list[str] = []
    gave_up: list[str] = []
    for solver in solvers:
        unknown = 0
        for each in found:
            if each.goal is None:
                continue
            answer = ask(condition_script(each.condition, each.goal), solver, deadline)
            if answer is Answer.SATISFIABLE:
                raise GaveUp(f"{solver} disagrees about {each.condition.name}")
            if answer is Answer.UNKNOWN:
                unknown += not follows_from_instances(each.condition, each.goal, solver, deadline)
        (gave_up if unknown else confirmed).append(f"{solver}: {unknown} open" if unknown else str(solver))
    return tuple(confirmed), tuple(gave_up)
