"""Evidence of the kind `sequentialization`: a proof by one order, at given sizes or for all.

The conditions come from the program and from the proof in the certificate, through `conditions` or, at
given sizes, through the reference interpreter. Nothing that found the proof takes part.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.actions.values import TooFew
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask
from seriatim.budget import Deadline
from seriatim.certificate.action_run import SizesAt
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming, unless
from seriatim.checking.sequentialization.action_run import instance_text, sizes_of
from seriatim.checking.sequentialization.beginnings import find_beginning
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import (
    Discharged,
    Status,
    condition_script,
    discharge_all,
    follows_from_instances,
)
from seriatim.checking.sequentialization.finite import FiniteReport, check_at
from seriatim.checking.sequentialization.premises import Premise

MAX_CONFIGURATIONS = 1_000_000


def order_obligations(
    program: ActionProgram,
    proof: Proof,
    evidence: OrderEvidence,
    solvers: tuple[SolverName, ...],
    deadline: Deadline,
) -> Iterator[Obligation]:
    """Yields what has to hold. Raises `GaveUp`, `OutOfBudget`."""
    stated = program.proof or proof
    wanted = [fact for fact in stated.ensures if fact not in proof.ensures]
    wanted += [fact for fact in stated.invariants if fact not in proof.invariants]
    left_out = (f"line {fact.span.line} is left out" for fact in wanted)
    yield unless(next(left_out, None), "the proof is about everything that the program ensures", "")
    whole = replace(program, proof=proof)
    if not evidence.all_sizes:
        if not evidence.sizes:
            yield Obligation("some size is given", False, "no size is given")
        for sizes in evidence.sizes:
            claim = f"all premises hold at {sizes_of(sizes).text()}"
            with claiming(claim):
                detail = _hold_at(whole, proof, sizes, evidence.terminating, deadline)
            yield Obligation(claim, True, detail)
        return
    complete = proof.gates is not None and (proof.measure is not None or evidence.terminating)
    complete = complete or not proof.actions  # `main` alone needs neither
    yield Obligation("the proof says which gates and which measure it uses", complete, "a line is missing")
    claim = "runs in this order exist and execute each ordered action"
    with claiming(claim):
        detail = _visit(whole, proof, evidence, deadline)
    yield Obligation(claim, True, detail)
    if solvers:
        found = find_beginning(program, proof, solvers[0], deadline)
        complaint = "" if found.exists else found.complaint()
        yield Obligation("a run begins at all sizes", found.exists, complaint)
        yield from prove_for_all(program, proof, evidence.terminating, solvers, deadline)
    else:
        yield Obligation("all conditions hold", False, "this needs a solver, and none is allowed")


def _visit(program: ActionProgram, proof: Proof, evidence: OrderEvidence, deadline: Deadline) -> str:
    """Shows that what is assumed can hold: small runs execute each ordered action."""
    reports = [_explore(program, proof, each, evidence.terminating, deadline) for each in evidence.sizes]
    for name in proof.actions:
        if not any(name in report.chosen for report in reports):
            raise DoesNotFollow(f"{name} is never executed at the sizes given")
    return ""


def _hold_at(
    program: ActionProgram, proof: Proof, given: SizesAt, terminating: bool, deadline: Deadline
) -> str:
    report = _explore(program, proof, given, terminating, deadline)
    for found in report.findings:
        others = () if found.other is None else (found.other,)
        who = " and ".join(map(instance_text, (found.action, *others)))
        raise DoesNotFollow(f"{found.premise} does not hold for {who}")
    _keep_invariants(program, given, deadline)
    return f"{len(report.prefixes):,} configurations, {report.pairs:,} exchanges"


def _keep_invariants(program: ActionProgram, given: SizesAt, deadline: Deadline) -> None:
    """Shows that what the program claims of every state holds in all that runs reach. Raises `GaveUp`."""
    facts = () if program.proof is None else program.proof.invariants
    if not facts:
        return
    interpreter = Interpreter(program, sizes_of(given))
    try:
        reached = Reached(interpreter, MAX_CONFIGURATIONS, deadline)
    except TooLarge:
        raise GaveUp(f"more than {MAX_CONFIGURATIONS:,} configurations") from None
    for (state, pending), fact in product(reached.configurations, facts):
        if pending != START and not interpreter.holds(fact.condition, state, state, pending, {}):
            raise DoesNotFollow(f"line {fact.span.line} is false in a state that a run reaches")


def _explore(
    program: ActionProgram, proof: Proof, given: SizesAt, terminating: bool, deadline: Deadline
) -> FiniteReport:
    try:
        interpreter = Interpreter(program, sizes_of(given))
        report = check_at(interpreter, proof, MAX_CONFIGURATIONS, deadline, terminating)
    except TooFew as few:
        raise DoesNotFollow(str(few)) from None
    except TooLarge:
        raise GaveUp(f"more than {MAX_CONFIGURATIONS:,} configurations") from None
    if not report.prefixes:
        raise DoesNotFollow(f"there is no initial state at {sizes_of(given).text()}")
    return report


def prove_for_all(
    program: ActionProgram,
    proof: Proof,
    terminating: bool,
    solvers: tuple[SolverName, ...],
    deadline: Deadline,
) -> Iterator[Obligation]:
    """Yields one obligation for each premise."""
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
        counted = "1 condition holds" if len(mine) == 1 else f"{len(mine):,} conditions hold"
        claim = f"{premise}: {counted} for all sizes"
        detail = open_[0].condition.name if open_ else ""
        yield Obligation(claim, not open_, detail, confirmed_by=(solvers[0], *confirmed), gave_up=gave_up)


def _second_opinions(
    found: list[Discharged], solvers: tuple[SolverName, ...], deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Asks other solvers: who confirms everything, who cannot tell? Raises `GaveUp` if one disagrees."""
    confirmed: list[str] = []
    gave_up: list[str] = []
    for solver in solvers:
        unknown = 0
        for each in found:
            if each.goal is None:
                continue
            answer = ask(condition_script(each.condition, each.goal), solver, deadline)
            if answer is SolverAnswer.SATISFIABLE:
                raise GaveUp(f"{solver} disagrees about {each.condition.name}")
            if answer is SolverAnswer.UNKNOWN:
                unknown += not follows_from_instances(each.condition, each.goal, solver, deadline)
        (gave_up if unknown else confirmed).append(f"{solver}: {unknown} open" if unknown else str(solver))
    return tuple(confirmed), tuple(gave_up)
