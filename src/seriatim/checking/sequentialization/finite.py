"""Proofs by one order at given sizes, exactly.

The order is executed: its configurations are the invariant I, so I1 to I3 hold by construction. For an
instance A(ℓ) let R be the closure of the configurations where it comes next under the steps of all other
pending instances. Claim: gates that make the proof work exist iff on R the action does not fail (where it
is moved), its abstraction covers it, and LM2, LM3, LM4 and CO hold. For every valid gate contains R: it
holds where A(ℓ) comes next, and LM1 keeps it. Conversely R itself is such a gate, and the other premises
pass to subsets.

CO holds iff W contains all of R, where W is least with: c is in W if, for each A(ℓ) with c in R(A(ℓ)), some
step of A(ℓ) from c leads into W or out of all R. (Then the rank at which c enters W is a well-founded
measure.)
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.actions.configurations import Configuration, TooLarge, minus, plus
from seriatim.actions.interpreter import START, Execution, Instances, Interpreter
from seriatim.actions.order import Ordering
from seriatim.actions.syntax import Proof
from seriatim.actions.values import GlobalState, Instance
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.premises import Premise

COMES_NEXT = "it is blocked where it comes next"
"""The detail of a finding about an instance that cannot be executed in the order at all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A premise that does not hold, with the configurations that show it."""

    premise: Premise
    action: Instance
    other: Instance | None
    where: Configuration
    """The configuration in which the first of both is executed; the action is pending."""
    through: GlobalState | None = None
    """The state after the other one."""
    after: GlobalState | None = None
    """The state after both."""
    detail: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Prefix:
    """A configuration that the order reaches, and what comes next there."""

    initial: GlobalState
    state: GlobalState
    pending: Instances
    next: Instance | None


@dataclass(frozen=True, slots=True)
class FiniteReport:
    findings: tuple[Finding, ...]
    prefixes: tuple[Prefix, ...]
    pairs: int
    """The number of exchanges that were checked."""
    chosen: frozenset[str]
    """The actions that some run in this order executes."""
    delayed: dict[Instance, tuple[Configuration, ...]]
    """The strongest gate of each instance, as it was found; the instance itself is left out of what is
    pending."""


class _Check:
    def __init__(
        self, interpreter: Interpreter, proof: Proof, limit: int, deadline: Deadline, terminating: bool
    ) -> None:
        self.interpreter = interpreter
        self.proof = proof
        self.limit = limit
        self.deadline = deadline
        self.terminating = terminating
        self.ordering = Ordering(proof, interpreter.meanings)
        self.findings: dict[tuple[Premise, str, str | None], Finding] = {}
        self.pairs = 0

    def find(self, finding: Finding) -> None:
        other = None if finding.other is None else finding.other[0]
        self.findings.setdefault((finding.premise, finding.action[0], other), finding)

    # --- the order, executed ------------------------------------------------------------------------------

    def prefixes(self) -> list[Prefix]:
        known: dict[tuple[GlobalState, Configuration], Prefix] = {}
        queue: deque[tuple[GlobalState, Configuration]] = deque()

        def reach(initial: GlobalState, state: GlobalState, pending: Instances) -> None:
            if (initial, (state, pending)) not in known:
                next_ = self.ordering.least(pending, initial)
                known[initial, (state, pending)] = Prefix(initial, state, pending, next_)
                queue.append((initial, (state, pending)))

        for initial in self.interpreter.initial_states():
            execution = self.interpreter.execute(initial, START[0])
            if execution.failure is not None:
                where = initial, START
                self.find(Finding(Premise.INITIAL, START[0], None, where, line=execution.failure.span.line))
            for outcome in execution.outcomes:
                reach(initial, outcome.state, outcome.created)
        while queue:
            self.deadline.check()
            if len(known) > self.limit:
                raise TooLarge
            initial, configuration = queue.popleft()
            prefix = known[initial, configuration]
            if prefix.next is not None:
                rest = minus(prefix.pending, prefix.next)
                for outcome in self._abstract(prefix.state, prefix.next, prefix.pending).outcomes:
                    reach(initial, outcome.state, plus(rest, outcome.created))
        return list(known.values())

    def _abstract(self, state: GlobalState, instance: Instance, pending: Instances) -> Execution:
        return self.interpreter.execute_abstractly(state, instance, Counter(pending))

    def end(self, prefix: Prefix) -> None:
        """Checks that nothing is left and what is ensured holds."""
        where = prefix.state, prefix.pending
        for left in prefix.pending:
            self.find(Finding(Premise.END, left, None, where, detail="it is left at the end"))
        for fact in () if prefix.pending else self.proof.ensures:
            if not self.interpreter.holds(fact.condition, prefix.state, prefix.initial, (), {}):
                self.find(Finding(Premise.END, START[0], None, where, line=fact.span.line))

    # --- the strongest gates ------------------------------------------------------------------------------

    def delayed(self, instance: Instance, starts: list[Configuration]) -> tuple[Configuration, ...]:
        """Finds R, where an instance can be while others run, and checks all premises there.

        The instance is left out of what is pending. The same finding comes first each time.
        """
        first = frozenset(starts)
        seen = dict.fromkeys(starts)
        queue = deque(seen)
        while queue:
            self.deadline.check()
            here = queue.popleft()
            for target in self._exchanges(instance, here, here in first):
                if target not in seen:
                    seen[target] = None
                    queue.append(target)
            if len(seen) > self.limit:
                raise TooLarge
        return tuple(seen)

    def _exchanges(self, instance: Instance, here: Configuration, is_next: bool) -> Iterator[Configuration]:
        state, rest = here
        where = state, plus(rest, (instance,))
        moved = self._abstract(state, instance, where[1])
        original = self.interpreter.execute(state, instance)
        failure = moved.failure or original.failure
        if failure is not None:
            premise = Premise.ORDER if is_next else Premise.KEEPS_GATE
            detail = failure.reason if is_next else f"{failure.reason} when it is delayed"
            self.find(Finding(premise, instance, None, where, detail=detail, line=failure.span.line))
            return
        if moved is not original and not set(original.outcomes) <= set(moved.outcomes):
            self.find(Finding(Premise.ABSTRACTION, instance, None, where))
        if not moved.outcomes and not self.terminating:
            detail = COMES_NEXT if is_next else ""
            self.find(Finding(Premise.NOT_BLOCKED, instance, None, where, detail=detail))
        for other in dict.fromkeys(rest):
            if other == instance:
                continue  # the first of two equal instances to run is the one that is moved
            self.pairs += 1
            execution = self.interpreter.execute(state, other)
            if execution.failure is not None and not self.terminating:
                self._repairs(instance, other, where, moved)
                continue
            for outcome in execution.outcomes:
                target = outcome.state, plus(minus(rest, other), outcome.created)
                self._commutes(instance, other, where, moved, target, outcome.created)
                yield target

    def _repairs(self, instance: Instance, other: Instance, where: Configuration, moved: Execution) -> None:
        for outcome in moved.outcomes:
            if not self.interpreter.execute(outcome.state, other).fails:
                found = Finding(Premise.NO_REPAIR, instance, other, where, through=outcome.state)
                self.find(found)

    def _commutes(
        self,
        instance: Instance,
        other: Instance,
        where: Configuration,
        moved: Execution,
        target: Configuration,
        created: Instances,
    ) -> None:
        """Checks that whatever the instance does after the other one, it can do before it."""
        after = self._abstract(target[0], instance, plus(target[1], (instance,)))
        if after.failure is not None:
            return  # reported where the closure visits that configuration
        for outcome in after.outcomes:
            if not any(
                early.created == outcome.created and self._leads(early.state, other, outcome.state, created)
                for early in moved.outcomes
            ):
                found = Finding(
                    Premise.COMMUTES, instance, other, where, through=target[0], after=outcome.state
                )
                self.find(found)

    def _leads(self, state: GlobalState, other: Instance, target: GlobalState, created: Instances) -> bool:
        execution = self.interpreter.execute(state, other)
        if self.terminating and execution.fails:
            return False
        return any(each.state == target and each.created == created for each in execution.outcomes)

    # --- cooperation --------------------------------------------------------------------------------------

    def cooperates(self, delayed: dict[Instance, tuple[Configuration, ...]]) -> None:
        """Reports a configuration outside of W, if there is one."""
        movers: dict[Configuration, list[Instance]] = {}
        for instance, gate in delayed.items():
            for state, rest in gate:
                movers.setdefault((state, plus(rest, (instance,))), []).append(instance)
        successors: dict[Configuration, list[set[Configuration]]] = {}
        users: dict[Configuration, set[Configuration]] = {}
        for (state, pending), instances in movers.items():
            self.deadline.check()
            ways: list[set[Configuration]] = []
            for instance in instances:
                rest = minus(pending, instance)
                outcomes = self._abstract(state, instance, pending).outcomes
                ways.append({(each.state, plus(rest, each.created)) for each in outcomes})
                for target in ways[-1]:
                    users.setdefault(target, set()).add((state, pending))
            successors[state, pending] = ways
        inside: set[Configuration] = set()
        queue = deque(movers)
        while queue:
            here = queue.popleft()
            if here in inside:
                continue
            if all(any(t in inside or t not in movers for t in way) for way in successors[here]):
                inside.add(here)
                queue.extend(users.get(here, ()))
        for here, instances in movers.items():
            if here not in inside:
                self.find(Finding(Premise.COOPERATION, instances[0], None, here))
                return


def check_at(
    interpreter: Interpreter, proof: Proof, limit: int, deadline: Deadline, terminating: bool = False
) -> FiniteReport:
    """Checks all premises at the sizes of an interpreter. Raises `TooLarge`."""
    check = _Check(interpreter, proof, limit, deadline, terminating)
    prefixes = check.prefixes()
    starts: dict[Instance, list[Configuration]] = {}
    for prefix in prefixes:
        if prefix.next is not None:
            rest = minus(prefix.pending, prefix.next)
            starts.setdefault(prefix.next, []).append((prefix.state, rest))
    delayed = {instance: check.delayed(instance, where) for instance, where in starts.items()}
    if not terminating:
        check.cooperates(delayed)
    for prefix in prefixes:
        if prefix.next is None:
            check.end(prefix)
    return FiniteReport(
        findings=tuple(check.findings.values()),
        prefixes=tuple(prefixes),
        pairs=check.pairs,
        chosen=frozenset(name for name, _ in starts),
        delayed=delayed,
    )


def execute_order(
    interpreter: Interpreter, proof: Proof, limit: int, deadline: Deadline
) -> tuple[Prefix, ...]:
    """Executes the order at the sizes of an interpreter, and checks nothing. Raises `TooLarge`."""
    return tuple(_Check(interpreter, proof, limit, deadline, False).prefixes())
