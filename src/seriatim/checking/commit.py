"""Evidence of the kind `commit`: each request takes effect in one step, and the order of these steps is
serial.

A *flight* is a request with its local state. λ commits some flights, none of them fresh, to responses. A
step *commits* to a response r if it leads from an uncommitted flight to one that λ commits to r, or to an
answer r. D, a set of global states, is {g₀} at first; a step that commits replaces D by the global states
to which a request of that name, running alone from some member of D, can get while answering r.

Claim: if no step leads from a flight committed to r to an uncommitted one, to one committed to another
response or to another answer, and if D never becomes empty in complete runs, then the input is
serializable. For in a complete run each request is fresh at first and answered in the end, so it commits
exactly once, to its answer; D is what serial runs with these completions in this order can reach; it is not
empty, so there is such a serial run, with the same outcome.

What can occur in complete runs is over-approximated by a *cover*: for each node (g, D), the flights that
can be there (level 1), or the pairs of flights that can be there together (level 2). A cover holds for all
runs, by induction: a step of one flight takes its node to another one, puts the flight's successor there,
and takes along whatever could be beside it. Fresh flights can be beside everything. *Invariants* say what
cannot: if s · (v − initial v) = Σ w(flight) over all flights, with w ≥ 0 and 0 for fresh and answered ones,
then flights whose weights exceed the left side cannot be together. Weights are learned from the steps; that
every other step keeps the equation is verified, and an invariant that some step breaks is not used.

Steps to flights that no step in the cover ever leads to an answer are in no complete run, so they may be
left out; this can make the cover smaller, so it is repeated until nothing changes.
"""

from collections.abc import Callable, Iterator
from typing import Generic

from seriatim.certificate.format import CommitEvidence, GlobalState, Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import Reference, State
from seriatim.checking.run import counted, run_alone
from seriatim.checking.words import committed_words, invariant_words

EMPTY_ORDER = "in every reachable situation, the commits so far are in a serial order"
STAYS = "nobody is committed from the start, and whoever commits is answered accordingly"

LOOKS = {1: "one by one (level 1)", 2: "in pairs (level 2)"}
"""How closely each level looks at what can be in flight together."""


class Fails(Exception):
    """A claim does not hold; says which, and where."""

    def __init__(self, claim: str, detail: str) -> None:
        super().__init__(detail)
        self.claim = claim
        self.detail = detail


class Broken(Exception):
    """A step does not keep these invariants."""

    def __init__(self, invariants: set[Invariant]) -> None:
        super().__init__()
        self.invariants = invariants


def commit_obligations(
    reference: Reference[State], evidence: CommitEvidence, allowance: Allowance
) -> Iterator[Obligation]:
    """Both conditions, for the steps of everybody who can be answered."""
    if evidence.level not in (1, 2):
        yield Obligation("the level is 1 or 2", False, f"it is {evidence.level}")
        return
    flights = Flights(reference, evidence, allowance)
    try:
        cover = closed_cover(flights, evidence, is_serial=True, hopeful=None)
    except Fails:
        try:
            cover = closed_cover(flights, evidence, is_serial=True, hopeful=hopeful(flights, evidence))
        except Fails as fails:
            yield Obligation(fails.claim, False, fails.detail)
            return
    points = f"{counted(len(flights.known), 'point')} at which requests can wait"
    situations = f"{counted(len(cover.nodes), 'combination')} with the global state"
    yield Obligation(
        STAYS,
        True,
        f"{points}, in {situations}, looked at {LOOKS[evidence.level]}",
        tuple(map(committed_words, evidence.committed)),
    )
    used = tuple(map(invariant_words, cover.invariants))
    yield Obligation(EMPTY_ORDER, True, "no set of serial states becomes empty", used)


def hopeful(flights: "Flights[State]", evidence: CommitEvidence) -> set[int]:
    """The flights that complete runs can contain: whoever may be answered, as far as covers can tell."""
    kept: set[int] | None = None
    while True:
        cover = closed_cover(flights, evidence, is_serial=False, hopeful=kept)
        still = cover.may_be_answered()
        if still == kept:
            return still
        kept = still


def closed_cover(
    flights: "Flights[State]", evidence: CommitEvidence, is_serial: bool, hopeful: set[int] | None
) -> "Cover[State]":
    """The cover under all steps, or under those to hopeful flights; without the invariants that do not
    hold."""
    initial = flights.reference.initial
    names = set() if isinstance(initial, str) else set(dict(initial))
    invariants = {invariant for invariant in evidence.invariants if invariant.variable in names}
    while True:
        cover = Cover(flights, evidence.level, tuple(sorted(invariants)), is_serial, hopeful)
        try:
            cover.explore()
        except Broken as broken:
            invariants -= broken.invariants
        else:
            return cover


class Flights(Generic[State]):
    """The flights found so far, by number; their steps, and what λ and the serial runs make of these."""

    def __init__(self, reference: Reference[State], evidence: CommitEvidence, allowance: Allowance) -> None:
        self.reference = reference
        self.evidence = evidence
        self.allowance = allowance
        self.known: list[tuple[str, State]] = []
        self.committed: list[str | None] = []
        """λ."""
        self._numbers: dict[tuple[str, State], int] = {}
        self._steps: dict[tuple[int, GlobalState], list[tuple[int | str, GlobalState]]] = {}
        self._alone: dict[tuple[str, GlobalState], list[tuple[str, GlobalState]]] = {}
        self.fresh = {
            self.number(request, state)
            for request in reference.requests
            for state in reference.fresh(request)
        }

    def number(self, request: str, state: State) -> int:
        flight = (request, state)
        if flight not in self._numbers:
            self._numbers[flight] = len(self.known)
            self.known.append(flight)
            self.committed.append(self._committed(request, state))
        return self._numbers[flight]

    def _committed(self, request: str, state: State) -> str | None:
        """λ: the response of the first entry that describes this flight."""
        code, values = self.reference.description(state)
        for entry in self.evidence.committed:
            if (entry.handler, entry.code) == (request, code) and set(entry.values) <= set(values):
                return entry.response
        return None

    def steps(self, flight: int, global_: GlobalState) -> list[tuple[int | str, GlobalState]]:
        """(the next flight or the answer, the next global state). Answers come on arrival: later is the
        same."""
        key = (flight, global_)
        if key not in self._steps:
            self.allowance.spend()
            request, state = self.known[flight]
            found: list[tuple[int | str, GlobalState]] = []
            if flight in self.fresh:
                found.extend((answer, global_) for answer in sorted(self.reference.answers(state)))
            for target, after in self.reference.steps(state, global_):
                found.extend((answer, after) for answer in sorted(self.reference.answers(target)))
                if not self.reference.is_final(target):
                    found.append((self.number(request, target), after))
            self._steps[key] = found
        return self._steps[key]

    def commit(self, flight: int, target: int | str) -> str | None:
        """The response to which a step commits, if it does; raises `Fails` if it breaks a commitment."""
        before = self.committed[flight]
        after = target if isinstance(target, str) else self.committed[target]
        if before is None:
            return after
        if flight in self.fresh or after != before:
            raise Fails(STAYS, f"`{self.known[flight][0]}` commits to {before}, but need not be answered so")
        return None

    def serial_after(
        self, serial: frozenset[GlobalState], request: str, response: str
    ) -> frozenset[GlobalState]:
        """D after a commit; raises `Fails` if it is empty."""
        ends: set[GlobalState] = set()
        for global_ in serial:
            if (request, global_) not in self._alone:
                self._alone[request, global_] = run_alone(self.reference, request, global_, self.allowance)
            ends.update(after for answer, after in self._alone[request, global_] if answer == response)
        if not ends:
            raise Fails(EMPTY_ORDER, f"`{request}` may commit to {response} where no serial order allows it")
        return frozenset(ends)


Node = tuple[GlobalState, frozenset[GlobalState]]
"""(g, D); where serial order is not asked for, D stays as it is at first."""


class Cover(Generic[State]):
    """For each node the flights that can be there, and at level 2 beside which others. Fresh ones always
    can."""

    def __init__(
        self,
        flights: Flights[State],
        level: int,
        invariants: tuple[Invariant, ...],
        is_serial: bool,
        hopeful: set[int] | None,
    ) -> None:
        self.flights = flights
        self.level = level
        self.invariants = invariants
        self.is_serial = is_serial
        self.hopeful = hopeful
        initial = flights.reference.initial
        self.initial_values = {} if isinstance(initial, str) else dict(initial)
        self.weights: dict[int, tuple[int, ...]] = dict.fromkeys(flights.fresh, (0,) * len(invariants))
        start = (initial, frozenset((initial,)))
        self.nodes: dict[Node, dict[int, set[int]]] = {start: {}}
        """For each node, for each flight that is not fresh, those beside which it can be (level 2 only)."""
        self.pending = [start]

    def explore(self) -> None:
        """Adds what follows, until nothing does."""
        waiting = set(self.pending)
        while self.pending:
            node = self.pending.pop()
            waiting.discard(node)
            for changed in self.consequences(node):
                if changed not in waiting:
                    waiting.add(changed)
                    self.pending.append(changed)

    def consequences(self, node: Node) -> Iterator[Node]:
        """Carries out all steps at a node; the nodes that gain something."""
        self.flights.allowance.spend()
        here = self.nodes[node]
        fits = self.fitting(node)
        for flight in [*self.flights.fresh, *here]:
            known_beside = set(here) if self.level == 1 or flight in self.flights.fresh else here[flight]
            for target, then in self.moves(flight, node):
                beside = known_beside & fits(flight)
                gains = then not in self.nodes
                there = self.nodes.setdefault(then, {})
                arrived = set() if target is None or target in self.flights.fresh else {target}
                for other in beside:
                    together = set()
                    if self.level == 2:
                        together = here[other] & beside & fits(flight, other) | arrived
                    gains |= self.add(there, other, together)
                for other in arrived:
                    gains |= self.add(there, other, beside if self.level == 2 else set())
                if gains:
                    yield then

    def add(self, there: dict[int, set[int]], flight: int, beside: set[int]) -> bool:
        """Puts a flight somewhere, beside others; whether that is news."""
        known = there.get(flight)
        if known is not None and beside <= known:
            return False
        there[flight] = beside if known is None else known | beside
        return True

    def moves(self, flight: int, node: Node) -> Iterator[tuple[int | None, Node]]:
        """(the next flight or None if it is answered, the next node), for the steps that count."""
        global_, serial = node
        request = self.flights.known[flight][0]
        for target, after in self.flights.steps(flight, global_):
            if isinstance(target, int) and self.hopeful is not None and target not in self.hopeful:
                continue
            self.weigh(flight, target, global_, after)
            then = serial
            if self.is_serial:
                response = self.flights.commit(flight, target)
                if response is not None:
                    then = self.flights.serial_after(serial, request, response)
            yield (target if isinstance(target, int) else None), (after, then)

    def weigh(self, flight: int, target: int | str, before: GlobalState, after: GlobalState) -> None:
        """Learns the weight of a flight from the first step to it, and verifies it for every other step."""
        changes = [now - then for now, then in zip(self.room(after), self.room(before), strict=True)]
        weight = tuple([own + change for own, change in zip(self.weights[flight], changes, strict=True)])
        expected = (0,) * len(weight)
        if isinstance(target, int):
            expected = self.weights.setdefault(target, weight)
        broken = {
            invariant
            for invariant, own, other in zip(self.invariants, weight, expected, strict=True)
            if own != other or own < 0
        }
        if broken:
            raise Broken(broken)

    def room(self, global_: GlobalState) -> list[int]:
        """For each invariant, the weight of all flights together."""
        if isinstance(global_, str):
            return [0] * len(self.invariants)
        values = dict(global_)
        return [i.sign * (values[i.variable] - self.initial_values[i.variable]) for i in self.invariants]

    def fitting(self, node: Node) -> Callable[..., set[int]]:
        """The flights at a node that the invariants allow beside some others."""
        room = self.room(node[0])
        groups: dict[tuple[int, ...], set[int]] = {}
        for flight in self.nodes[node]:
            groups.setdefault(self.weights[flight], set()).add(flight)
        answers: dict[tuple[int, ...], set[int]] = {}

        def fits(*others: int) -> set[int]:
            taken = tuple([sum(weights) for weights in zip(*(self.weights[o] for o in others), strict=True)])
            if taken not in answers:
                allowed: set[int] = set()
                for weight, flights in groups.items():
                    if all(w + t <= r for w, t, r in zip(weight, taken, room, strict=True)):
                        allowed |= flights
                answers[taken] = allowed
            return answers[taken]

        return fits

    def may_be_answered(self) -> set[int]:
        """The flights, fresh or in the cover, from which steps can lead to an answer."""
        before: dict[int, set[int]] = {}
        found: set[int] = set()
        for node, here in self.nodes.items():
            for flight in (*self.flights.fresh, *here):
                for target, _ in self.flights.steps(flight, node[0]):
                    if isinstance(target, str):
                        found.add(flight)
                    else:
                        before.setdefault(target, set()).add(flight)
        pending = list(found)
        while pending:
            for flight in before.get(pending.pop(), set()) - found:
                found.add(flight)
                pending.append(flight)
        return found
