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

from collections.abc import Callable, Iterator, Set
from typing import Generic

from seriatim.certificate.format import CommitEvidence, CommittedState, GlobalState, Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.numbering import Numbering
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
    try:
        cover = serial_cover(reference, evidence, allowance)
    except Fails as fails:
        yield Obligation(fails.claim, False, fails.detail)
        return
    points = f"{counted(len(cover.flights.known), 'point')} at which requests can wait"
    situations = f"{counted(len(cover.nodes), 'combination')} with the global state"
    yield Obligation(
        STAYS,
        True,
        f"{points}, in {situations}, looked at {LOOKS[evidence.level]}",
        tuple(map(committed_words, evidence.committed)),
    )
    used = tuple(map(invariant_words, cover.invariants))
    yield Obligation(EMPTY_ORDER, True, "no set of serial states becomes empty", used)


def serial_cover(
    reference: Reference[State], evidence: CommitEvidence, allowance: Allowance
) -> "Cover[State]":
    """What can occur, with the serial states of the commits so far: in all runs, or else in complete ones.

    Raises `Fails` if these commits do not prove anything."""
    flights = Flights(reference, evidence, allowance)
    try:
        return closed_cover(flights, evidence, is_serial=True, hopeful=None)
    except Fails:
        return closed_cover(flights, evidence, is_serial=True, hopeful=hopeful(flights, evidence))


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
    """The flights and global states found so far, by number; their steps, and what λ and the serial runs
    make of these."""

    def __init__(self, reference: Reference[State], evidence: CommitEvidence, allowance: Allowance) -> None:
        self.reference = reference
        self.allowance = allowance
        self.known: Numbering[tuple[str, State]] = Numbering()
        self.committed: list[str | None] = []
        """λ."""
        self.globals: Numbering[GlobalState] = Numbering()
        self.initial = self.globals.number(reference.initial)
        self._entries: dict[tuple[str, str], list[CommittedState]] = {}
        for entry in evidence.committed:
            self._entries.setdefault((entry.handler, entry.code), []).append(entry)
        self._steps: dict[tuple[int, int], list[tuple[int | str, int]]] = {}
        self._alone: dict[tuple[str, int], list[tuple[str, int]]] = {}
        self.fresh = {
            self.number(request, state)
            for request in reference.requests
            for state in reference.fresh(request)
        }

    def number(self, request: str, state: State) -> int:
        number = self.known.number((request, state))
        if number == len(self.committed):
            self.committed.append(self._committed(request, state))
        return number

    def _committed(self, request: str, state: State) -> str | None:
        """λ: the response of the first entry that describes this flight."""
        code, values = self.reference.description(state)
        for entry in self._entries.get((request, code), ()):
            if set(entry.values) <= set(values):
                return entry.response
        return None

    def steps(self, flight: int, global_: int) -> list[tuple[int | str, int]]:
        """(the next flight or the answer, the next global state). Answers come on arrival: later is the
        same."""
        key = (flight, global_)
        found = self._steps.get(key)
        if found is None:
            self.allowance.spend()
            request, state = self.known[flight]
            found = self._steps[key] = []
            if flight in self.fresh:
                found.extend((answer, global_) for answer in sorted(self.reference.answers(state)))
            for target, reached in self.reference.steps(state, self.globals[global_]):
                after = self.globals.number(reached)
                found.extend((answer, after) for answer in sorted(self.reference.answers(target)))
                if not self.reference.is_final(target):
                    found.append((self.number(request, target), after))
        return found

    def commit(self, flight: int, target: int | str) -> str | None:
        """The response to which a step commits, if it does; raises `Fails` if it breaks a commitment."""
        before = self.committed[flight]
        after = target if isinstance(target, str) else self.committed[target]
        if before is None:
            return after
        if flight in self.fresh or after != before:
            raise Fails(STAYS, f"`{self.known[flight][0]}` commits to {before}, but need not be answered so")
        return None

    def serial_after(self, serial: frozenset[int], request: str, response: str) -> frozenset[int]:
        """D after a commit; raises `Fails` if it is empty."""
        ends: set[int] = set()
        for global_ in serial:
            if (request, global_) not in self._alone:
                found = run_alone(self.reference, request, self.globals[global_], self.allowance)
                self._alone[request, global_] = [(r, self.globals.number(after)) for r, after in found]
            ends.update(after for answer, after in self._alone[request, global_] if answer == response)
        if not ends:
            raise Fails(EMPTY_ORDER, f"`{request}` may commit to {response} where no serial order allows it")
        return frozenset(ends)


Node = tuple[int, frozenset[int]]
"""(g, D); where serial order is not asked for, D stays as it is at first."""

Weights = tuple[int, ...]
"""For each invariant."""

NOBODY: frozenset[int] = frozenset()


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
        self.weights: dict[int, Weights] = dict.fromkeys(flights.fresh, (0,) * len(invariants))
        self._rooms: dict[int, Weights] = {}
        start = (flights.initial, frozenset((flights.initial,)))
        self.nodes: dict[Node, dict[int, Set[int]]] = {start: {}}
        """For each node, for each flight that is not fresh, those beside which it can be (level 2 only)."""
        self.departures: dict[Node, dict[tuple[Node, Weights], set[int]]] = {}
        """For each node, whither flights of some weight have gone, and what they are there (level 1 only)."""
        self.departed: dict[Node, set[int]] = {}
        """For each node, the flights whose steps are among these."""
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
        yield from self.with_singles(node) if self.level == 1 else self.with_pairs(node)

    def with_singles(self, node: Node) -> Iterator[Node]:
        """Level 1. Steps to the same node by flights of the same weight take along the same others."""
        here = self.nodes[node]
        fits = self.fitting(node)
        departures = self.departures.setdefault(node, {})
        departed = self.departed.setdefault(node, set())
        for flight in (self.flights.fresh | here.keys()) - departed:
            departed.add(flight)
            for target, then in self.moves(flight, node):
                arrivals = departures.setdefault((then, self.weights[flight]), set())
                if target is not None and target not in self.flights.fresh:
                    arrivals.add(target)
        for (then, weight), arrivals in departures.items():
            there = self.nodes.get(then)
            if there is None:
                there = self.nodes[then] = dict.fromkeys(fits(weight) | arrivals, NOBODY)
                yield then
            elif new := (fits(weight) | arrivals) - there.keys():
                there.update(dict.fromkeys(new, NOBODY))
                yield then

    def with_pairs(self, node: Node) -> Iterator[Node]:
        """Level 2."""
        here = self.nodes[node]
        fits = self.fitting(node)
        fresh = self.flights.fresh
        for flight in [*fresh, *here]:
            weight = self.weights[flight]
            beside = (here.keys() if flight in fresh else here[flight]) & fits(weight)
            for target, then in self.moves(flight, node):
                gains = then not in self.nodes
                there = self.nodes.setdefault(then, {})
                arrived = NOBODY if target is None or target in fresh else frozenset((target,))
                for other in beside:
                    both = tuple([a + b for a, b in zip(weight, self.weights[other], strict=True)])
                    gains |= add(there, other, here[other] & beside & fits(both) | arrived)
                for other in arrived:
                    gains |= add(there, other, beside)
                if gains:
                    yield then

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

    def weigh(self, flight: int, target: int | str, before: int, after: int) -> None:
        """Learns the weight of a flight from the first step to it, and verifies it for every other step."""
        weight = self.weights[flight]
        if before != after:
            changes = zip(weight, self.room(after), self.room(before), strict=True)
            weight = tuple([own + now - then for own, now, then in changes])
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

    def room(self, global_: int) -> Weights:
        """The weight of all flights together."""
        room = self._rooms.get(global_)
        if room is None:
            state = self.flights.globals[global_]
            values = {} if isinstance(state, str) else dict(state)
            differences = (values[i.variable] - self.initial_values[i.variable] for i in self.invariants)
            room = tuple([i.sign * by for i, by in zip(self.invariants, differences, strict=True)])
            self._rooms[global_] = room
        return room

    def fitting(self, node: Node) -> Callable[[Weights], set[int]]:
        """The flights at a node that the invariants allow beside others of some weight together."""
        room = self.room(node[0])
        groups: dict[Weights, set[int]] = {}
        for flight in self.nodes[node]:
            groups.setdefault(self.weights[flight], set()).add(flight)
        answers: dict[Weights, set[int]] = {}

        def fits(taken: Weights) -> set[int]:
            allowed = answers.get(taken)
            if allowed is None:
                allowed = answers[taken] = set()
                for weight, flights in groups.items():
                    if all(w + t <= r for w, t, r in zip(weight, taken, room, strict=True)):
                        allowed |= flights
            return allowed

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


def add(there: dict[int, Set[int]], flight: int, beside: Set[int]) -> bool:
    """Puts a flight somewhere, beside others; whether that is news."""
    known = there.get(flight)
    if known is not None and beside <= known:
        return False
    there[flight] = beside if known is None else known | beside
    return True
