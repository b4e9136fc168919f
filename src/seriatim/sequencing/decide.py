"""Decides for `ser sequentialize`: finds the missing parts of a proof, has it checked, and explains failures.

Small runs come first. A run that breaks an assertion or `ensures` settles the question. A premise that fails
there shows concrete states, and says whether a run of the program reaches them. Only then does the checker
generate and discharge the conditions for all sizes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.actions.configurations import Broken, Configuration, Reached, TooLarge, Trace
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.printer import digest, proof_lines
from seriatim.actions.syntax import ActionProgram, Gate, Order, Proof, Term
from seriatim.actions.values import GlobalState, Instance, Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.action_run import ActionRunEvidence, SizesAt
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.obligation import Report
from seriatim.checking.sequentialization.action_run import instance_text
from seriatim.checking.sequentialization.beginnings import find_beginning
from seriatim.checking.sequentialization.finite import COMES_NEXT, Finding, FiniteReport, check_at
from seriatim.checking.sequentialization.premises import Premise
from seriatim.checking.sequentialization.verify import ProofReader, verify_sequential
from seriatim.properties.sequential import SEQUENTIAL
from seriatim.sequencing.endings import Endings, find_endings
from seriatim.sequencing.facts import MANY, find_false_fact
from seriatim.sequencing.gates import drop_unstable_gates, failing_pairs, plain_gates, waiting_gates
from seriatim.sequencing.invariants import find_facts
from seriatim.sequencing.measures import explain_missing_measure, find_measure
from seriatim.sequencing.orders import change_order, find_orders
from seriatim.sequencing.outcome import (
    FoundProof,
    NotProved,
    Outcome,
    Proved,
    Reachability,
    RunBreaks,
)
from seriatim.sequencing.refuting import refute
from seriatim.sequencing.small import Small, explore, explore_further

MAX_EXPLORED = 100_000

EARLY_ROUNDS = 1
"""Rounds of drawing runs before a proof is tried."""

ROUNDS = 3
"""Rounds after a proof has failed and it is known where."""

MANY_ROUNDS = 8
"""Rounds after a proof has failed otherwise, or took too long."""

PROOF_SHARE = 0.6
"""Of the time, for a proof."""


@dataclass(frozen=True, slots=True)
class Settings:
    sizes: tuple[Sizes, ...] = ()
    """The sizes to look at; empty means all sizes."""
    terminating: bool = False
    find_order: bool = False
    solvers: tuple[SolverName, ...] = (SolverName.Z3,)
    max_configurations: int = 1_000_000


class Decision:
    """One program and one question."""

    def __init__(
        self,
        program: ActionProgram,
        settings: Settings,
        read_proof: ProofReader,
        deadline: Deadline,
        proof: Proof | None = None,
    ) -> None:
        """`proof`, if given, replaces the program's own proof."""
        self.settings = settings
        self.read_proof = read_proof
        self.deadline = deadline
        self.stated = program
        self.program = program if proof is None else replace(program, proof=proof)
        self.found = FoundProof()

    def decide(self) -> Outcome:
        """Decides the question. Raises `OutOfBudget`, and `GaveUp` if no solver can tell."""
        if self.settings.find_order:
            problem = self._find_order()
            if problem is not None:
                return problem
        assert self.program.proof is not None
        if self.settings.sizes:
            return self._decide_at_sizes(self.program.proof)
        return self._decide_for_all(self.program.proof)

    def _find_order(self) -> Outcome | None:
        """Looks for an order for most of the time; where none works, runs that break the program are looked
        for. None if an order was found."""
        own = self.deadline if self.settings.sizes else self.deadline.part(PROOF_SHARE)
        stopped: OutOfTime | None = None
        orders: list[Order] = []
        tried = 0
        try:
            orders, tried = find_orders(self.program, own, self.settings.terminating)
        except OutOfTime as why:
            stopped = why
        if orders:
            self.program = replace(self.program, proof=change_order(self.program, orders[0]))
            self.found = FoundProof(orders[0], tried)
            return None
        found = self._find_run()
        if found is not None:
            return found
        if stopped is not None:
            raise stopped
        reason = f"none of {tried} orders works at small sizes; try `key`, or an abstraction"
        return NotProved(reason, None, None, None, (), None)

    def _find_run(self) -> Outcome | None:
        """A run that breaks the program, at the given sizes or at growing ones; None if none is found."""
        if not self.settings.sizes:
            drawn = refute(self.program, self.deadline, MANY_ROUNDS)
            return None if drawn is None else self._refute(drawn.broken, drawn.interpreter)
        for sizes in self.settings.sizes:
            interpreter = Interpreter(self.program, sizes)
            reached = self._explore(interpreter)
            if reached is not None and reached.broken is not None:
                return self._refute(reached.broken, interpreter)
        return None

    # --- given sizes --------------------------------------------------------------------------------------

    def _decide_at_sizes(self, proof: Proof) -> Outcome:
        """Asks the checker first: a proof that it accepts needs no explanation, and no run breaks it."""
        given = tuple(map(_sizes_at, self.settings.sizes))
        evidence = OrderEvidence(_lines(proof), self.settings.terminating, False, given)
        outcome = self._check(evidence, proof, [])
        if isinstance(outcome, Proved):
            return replace(outcome, endings=self._find_endings())
        for sizes in self.settings.sizes:
            interpreter = Interpreter(self.program, sizes)
            limit = self.settings.max_configurations
            try:
                report = check_at(interpreter, proof, limit, self.deadline, self.settings.terminating)
            except TooLarge:
                raise GaveUp(f"more than {limit:,} configurations") from None
            problem = self._find_problem(interpreter, report)
            if problem is not None:
                return problem
        return outcome

    def _find_endings(self) -> tuple[Endings, ...] | None:
        """How runs end at the given sizes; None if there is too much to explore."""
        try:
            return tuple(
                find_endings(Interpreter(self.program, sizes), MAX_EXPLORED, self.deadline)
                for sizes in self.settings.sizes
            )
        except (TooLarge, OutOfTime):
            return None

    def _find_problem(self, interpreter: Interpreter, report: FiniteReport) -> Outcome | None:
        """Finds out what is wrong at given sizes; None if all is well."""
        sizes = interpreter.layout.sizes
        if not report.prefixes and not report.findings:
            reason = (
                f"there is no initial state at {sizes.text()} with integers from {sizes.low} to {sizes.high}"
            )
            return NotProved(reason, None, sizes, None, (), None)
        reached = self._explore(interpreter)
        if reached is not None and reached.broken is not None:
            return self._refute(reached.broken, interpreter)
        if report.findings:
            worst = min(report.findings, key=_urgency)
            return self._explain(worst, report, interpreter, reached)
        return None

    def _explore(self, interpreter: Interpreter) -> Reached | None:
        """Explores all configurations that the program reaches; None if there are too many."""
        try:
            return Reached(interpreter, MAX_EXPLORED, self.deadline)
        except TooLarge:
            return None

    def _refute(self, broken: Broken, interpreter: Interpreter) -> Outcome:
        sizes, trace = interpreter.layout.sizes, broken.trace
        failing = None if broken.instance is None else instance_text(broken.instance)
        steps = tuple(
            (instance_text(instance), repr(after)) for instance, after in _effects(trace, interpreter)
        )
        evidence = ActionRunEvidence(_sizes_at(sizes), repr(trace.initial), steps, failing)
        certificate = Certificate(digest(self.stated), SEQUENTIAL.verdicts[1], evidence, SEQUENTIAL)
        self._verify(certificate)
        return RunBreaks(broken, interpreter, certificate)

    def _explain(
        self, finding: Finding, report: FiniteReport, interpreter: Interpreter, reached: Reached | None
    ) -> Outcome:
        if reached is None:
            where, trace = Reachability.UNKNOWN, None
        else:
            trace = reached.trace_to(finding.where)
            where = Reachability.STORE if trace is None else Reachability.REACHABLE
        others = tuple(each for each in report.findings if each is not finding)
        pending = Counter(finding.where[1])
        first = interpreter.execute_abstractly(finding.where[0], finding.action, pending).outcomes
        early = tuple(dict.fromkeys(each.state for each in first))
        return NotProved("", finding, interpreter.layout.sizes, interpreter, others, where, trace, early)

    # --- all sizes ----------------------------------------------------------------------------------------

    def _decide_for_all(self, proof: Proof) -> Outcome:
        """Tries a proof for most of the time; where it fails, runs that break the program are looked for."""
        whole = self.deadline
        early = refute(self.program, whole, EARLY_ROUNDS)
        if early is not None:
            return self._refute(early.broken, early.interpreter)
        stopped: OutOfTime | GaveUp | None = None
        outcome: Outcome | None = None
        self.deadline = whole.part(PROOF_SHARE)
        try:
            outcome = self._prove_for_all(proof)
        except (OutOfTime, GaveUp) as why:
            stopped = why
        finally:
            self.deadline = whole
        if isinstance(outcome, Proved | RunBreaks):
            return outcome
        is_known = isinstance(outcome, NotProved) and outcome.finding is not None
        found = refute(self.program, whole, ROUNDS if is_known else MANY_ROUNDS)
        if found is not None:
            return self._refute(found.broken, found.interpreter)
        if stopped is not None:
            raise stopped
        assert outcome is not None
        return outcome

    def _prove_for_all(self, proof: Proof) -> Outcome:
        runs: list[Small] = []
        for small in explore(self.program, proof, self.deadline, self.settings.terminating):
            problem = self._find_problem(small.interpreter, small.report) if small.report.prefixes else None
            if problem is None:
                problem = find_false_fact(small, proof, MANY)
            if problem is not None:
                return problem
            if small.report.prefixes:
                runs.append(small)
        seen = {name for small in runs for name in small.report.chosen}
        unseen = [name for name in proof.actions if name not in seen]
        if unseen:
            reason = f"no small run executes {unseen[0]}, so its conditions would say nothing"
            hint = Finding(Premise.SATISFIABLE, (unseen[0], ()), None, ((), ()))
            return NotProved(reason, hint, None, None, (), None)
        beginning = find_beginning(self.program, proof, self.settings.solvers[0], self.deadline)
        if not beginning.exists:
            return NotProved(beginning.complaint(), None, None, None, (), None)
        whole = proof if proof.when else find_facts(self.program, proof, runs, self.deadline)
        outcome = self._try_proofs(whole, runs)
        if isinstance(outcome, NotProved) and outcome.finding is None:
            false = (find_false_fact(small, proof) for small in runs)
            return next(filter(None, false), None) or self._find_problem_further(proof) or outcome
        return outcome

    def _find_problem_further(self, proof: Proof) -> Outcome | None:
        """Looks at larger sizes for a premise or a fact that fails, so that the answer can show a state."""
        for small in explore_further(self.program, proof, self.deadline, self.settings.terminating):
            problem = self._find_problem(small.interpreter, small.report) if small.report.prefixes else None
            problem = problem or find_false_fact(small, proof)
            if problem is not None:
                return problem
        return None

    def _try_proofs(self, proof: Proof, runs: list[Small]) -> Outcome:
        """Tries proofs: with plain gates first, then with more conjuncts that small runs allow."""
        measure = proof.measure
        if measure is None and not self.settings.terminating:
            measure = find_measure(self.program, proof, runs)
        if measure is None and not self.settings.terminating:
            finding = Finding(Premise.COOPERATION, (proof.actions[0], ()), None, ((), ()))
            reason = explain_missing_measure(self.program, proof, runs)
            return NotProved(reason, finding, None, None, (), None)
        sizes = _witnesses(proof, runs)
        outcome: Outcome | None = None
        for gates in self._gates_to_try(proof, measure, runs):
            complete = replace(proof, gates=gates, measure=measure)
            evidence = OrderEvidence(_lines(complete), self.settings.terminating, True, sizes)
            try:
                outcome = self._check(evidence, complete, [small.report for small in runs])
            except GaveUp as stopped:
                outcome = NotProved(str(stopped), None, None, None, (), None)
            if isinstance(outcome, Proved):
                break
        assert outcome is not None
        return outcome

    def _gates_to_try(
        self, proof: Proof, measure: tuple[Term, ...] | None, runs: list[Small]
    ) -> Iterator[tuple[Gate, ...]]:
        """The user's gates; or plain gates, then also "the others wait", as long as exchanges fail. Gates
        with which some exchange fails are not worth a check of everything; the last ones explain why."""
        if proof.gates is not None:
            yield proof.gates
            return
        gates = plain_gates(proof, runs)
        yield gates
        plain = gates
        gates = drop_unstable_gates(self.program, proof, gates, self.deadline)
        waiting = waiting_gates(proof, runs)
        changed: frozenset[str] | None = None
        while True:
            complete = replace(proof, gates=gates, measure=measure)
            pairs = failing_pairs(self.program, complete, self.deadline, changed)
            more = [each for each in waiting if (each.action, each.other) in pairs and each not in gates]
            if not more:
                break
            gates = (*gates, *more)
            changed = frozenset(each.action for each in more)
        if gates != plain:
            yield gates

    def _check(self, evidence: OrderEvidence, proof: Proof, reports: list[FiniteReport]) -> Outcome:
        certificate = Certificate(digest(self.stated), SEQUENTIAL.verdicts[0], evidence, SEQUENTIAL)
        report = self._verify(certificate)
        if report.accepted:
            return Proved(proof, certificate, report, tuple(reports), self.found)
        failed = report.obligations[-1]
        return NotProved(f"not proved for all sizes: {failed.detail}", None, None, None, (), None)

    def _verify(self, certificate: Certificate) -> Report:
        return verify_sequential(
            certificate, self.stated, self.read_proof, self.settings.solvers, self.deadline
        )


def _lines(proof: Proof) -> tuple[str, ...]:
    return tuple(proof_lines(proof))


def _sizes_at(sizes: Sizes) -> SizesAt:
    return SizesAt(tuple(sizes.parameters.items()), sizes.low, sizes.high)


def _witnesses(proof: Proof, runs: list[Small]) -> tuple[SizesAt, ...]:
    """A few small sizes at which, together, each ordered action is executed."""
    missing = set(proof.actions)
    chosen: list[SizesAt] = []
    for small in sorted(runs, key=lambda each: len(each.report.prefixes)):
        if missing & small.report.chosen:
            missing -= small.report.chosen
            chosen.append(_sizes_at(small.sizes))
    return tuple(chosen)


def _urgency(finding: Finding) -> int:
    """The sort key of failures: the order itself explains best, then exchanges, then progress."""
    if finding.detail == COMES_NEXT:
        return -1
    order = (Premise.INITIAL, Premise.ORDER, Premise.END, Premise.ABSTRACTION, Premise.KEEPS_GATE)
    rest = (Premise.COMMUTES, Premise.NO_REPAIR, Premise.NOT_BLOCKED, Premise.COOPERATION)
    return (*order, *rest).index(finding.premise)


def _effects(trace: Trace, interpreter: Interpreter) -> list[tuple[Instance, object]]:
    """Each step with the state and the instances that it leads to, as the checker replays them."""
    found: list[tuple[Instance, object]] = []
    state = trace.initial
    pending: tuple[object, ...] = (("main", ()),)
    for step in trace.steps:
        for outcome in interpreter.execute(state, step.instance).outcomes:
            if _leads_to(pending, step.instance, outcome.created, outcome.state, step.after):
                found.append((step.instance, (outcome.state, outcome.created)))
                break
        state, pending = step.after
    return found


def _leads_to(
    pending: tuple[object, ...],
    instance: object,
    created: tuple[object, ...],
    state: GlobalState,
    after: Configuration,
) -> bool:
    left = list(pending)
    left.remove(instance)
    return state == after[0] and sorted([*left, *created], key=repr) == sorted(after[1], key=repr)
