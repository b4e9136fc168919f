"""Refutation by explicit search, over the number of requests.

States are (g, multiset of locals in flight, multiset of completions). `BoundedSearch` explores them in
buckets by the number of requests spawned so far, with at most c in flight at any time: most violations
interrupt only one or two requests, and a small c keeps the buckets small.

Claims.
1. A violation is genuine: it is a complete run of the system, and its outcome was looked up in the serial
   outcomes, which are computed exhaustively (where that is impossible, there is no hit).
2. The first violation of a search has the fewest requests among the runs with at most c in flight: buckets
   are explored in order, and whether a state is a violation is asked when it is taken from its bucket.
3. Domination loses nothing; `seriatim.engines.search.domination` says why. Nor does symmetry:
   `seriatim.engines.search.orbits`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.search.domination import Domination
from seriatim.engines.search.orbits import OrbitKeys
from seriatim.engines.shared.layers import Layers
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.engines.shared.run_evidence import Refuted
from seriatim.method import Minimality
from seriatim.systems.limits import LimitReached
from seriatim.systems.multiset import Multisets
from seriatim.systems.placed import PlacedProgram
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import Run, run_of
from seriatim.systems.symmetry import find_symmetry
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move, ProgramUnfolding

if TYPE_CHECKING:  # Short searches do not need it.
    from seriatim.engines.search.orbits import OrbitKeys
    from seriatim.engines.shared.run_evidence import Refuted
    from seriatim.systems.placed import PlacedProgram

State = tuple[int, int, int]
"""(global, multiset of locals in flight, multiset of completions)."""

Step = tuple[int, Move]
"""Where the request that moves was, and what it does. States share them: there are far fewer."""

START: State = (INITIAL_GLOBAL, 0, 0)

IN_FLIGHT_BOUNDS = (1, 2, 3, 4, 6, None)
FIRST_SLICE = 50
"""States that each bound may explore in the first round; each further round has four times as many."""

LONG_SLICE = 4 * FIRST_SLICE
"""From here on, it pays to look for a symmetry, and for conditions of domination."""

MINIMISING_STATES = 20_000
"""States that the search for a violation with fewer requests may explore."""

STEPS_PER_UNIT = 8
"""A state with this many steps costs one more unit of work."""

NEW_STEPS_PER_UNIT = 2
"""A state with this many new steps, which have to be executed first, costs one more unit of work."""

PAIRS_PER_UNIT = 4
"""This many steps of serial runs, for finding out whether an outcome is serial, cost as much as a state."""

CHECK_EVERY = 32


class BoundedSearch:
    """A search that can be continued: `advance` explores a number of states at a time."""

    def __init__(
        self,
        problem: OutcomeProblem,
        in_flight: int | None,
        max_requests: int | None = None,
        serial: SerialOutcomes | None = None,
        domination: Domination | None = None,
    ) -> None:
        self.problem = problem
        self.system = problem.system
        self.in_flight = in_flight
        self.max_requests = max_requests
        self.flights = Multisets()
        self.serial = serial or SerialOutcomes(problem.allowed, Multisets())
        self.outcomes = self.serial.multisets
        self.domination = domination
        """Domination over the same numbers of outcomes."""
        self.layers: Layers[State, Step] = Layers(START)
        self.found: Run | None = None
        self.orbits: OrbitKeys | None = None
        """The states that were met, up to symmetry, once there is one."""
        self._steps: dict[tuple[int, int], list[Step]] = {}
        self._first_steps: dict[tuple[int, bool], list[Step]] = {}

    @property
    def ended(self) -> bool:
        layers = self.layers
        is_last = layers.layer == self.max_requests
        return self.found is not None or (not layers.bucket if is_last else layers.is_exhausted)

    def clean_up_to(self) -> int:
        """There is no violation with at most this many requests (and `in_flight` of them in flight)."""
        return self.layers.clean_up_to()

    def advance(self, states: int, deadline: Deadline) -> Run | None:
        """Explores up to this many states, fewer if they have many successors or outcomes that are hard to
        explain. Returns the violation found, if any."""
        spent = count = 0
        while spent < states:
            if count % CHECK_EVERY == 0:
                deadline.check()
            count += 1
            spent += 1
            state = self.layers.next_state(self.max_requests)
            if state is None:
                return None
            looked_at = self.serial.looked_at
            if self.is_violation(state):
                self.found = self.run_to(self.fewest(state))
                return self.found
            spent += (self.serial.looked_at - looked_at) // PAIRS_PER_UNIT
            spent += self.expand(state)
            self.layers.bucket.popleft()  # only now: if time runs out on the way, it is still to be done
        return None

    def is_violation(self, state: State) -> bool:
        if state[1] != 0:
            return False
        origin = self.layers.came_from[state]
        try:
            if origin is not None and origin[2][1][0] < 0:
                is_allowed = self.serial.allows_one_more(origin[1][2], ~origin[2][1][0])
            else:
                is_allowed = self.serial.allows(state[2])
        except LimitReached:
            self.layers.is_cut = True
            return False
        return not is_allowed

    def fewest(self, violation: State) -> State:
        """A violation with as few requests of the input as any, where this is the first one that is met.

        A run that an observer ends has a request less of the input than others of its bucket. It is one of
        the bucket before, and the observer's only step: so all of them are in the bucket from the beginning.
        """
        if self.is_observed(violation):
            return violation
        others = (
            state for state in self.layers.bucket if self.is_observed(state) and self.is_violation(state)
        )
        return next(others, violation)

    def is_observed(self, state: State) -> bool:
        return self.problem.is_observed(self.outcomes.distinct(state[2]))

    def expand(self, state: State) -> int:
        """Visits the successors of a state; returns the cost beyond one unit."""
        global_, flight, _ = state
        steps = cost = 0
        for local in self.flights.distinct(flight):
            rest = self.flights.remove(flight, local)
            for step in self.steps(local, global_):
                steps += 1
                self.visit(state, rest, step, spawns=False)
        if self.layers.layer == self.max_requests:
            return steps // STEPS_PER_UNIT
        is_full = self.in_flight is not None and self.flights.sizes[flight] >= self.in_flight
        if (global_, is_full) not in self._first_steps:
            cost = len(self.system.starts) // NEW_STEPS_PER_UNIT
        for step in self.first_steps(global_, is_full):
            steps += 1
            self.visit(state, flight, step, spawns=True)
        return cost + steps // STEPS_PER_UNIT

    def first_steps(self, global_: int, is_full: bool) -> list[Step]:
        """The first steps of fresh requests; without room for more in flight, only those that answer."""
        known = self._first_steps.get((global_, is_full))
        if known is None:
            steps = (step for local in self.system.starts for step in self.steps(local, global_))
            known = [step for step in steps if step[1][0] < 0 or not is_full]
            self._first_steps[global_, is_full] = known
        return known

    def steps(self, local: int, global_: int) -> list[Step]:
        known = self._steps.get((local, global_))
        if known is None:
            try:
                known = [(local, move) for move in self.system.moves(local, global_)]
            except LimitReached:
                self.layers.is_cut = True
                known = []
            self._steps[local, global_] = known
        return known

    def run_to(self, state: State) -> Run:
        steps: list[tuple[int, int, int, int, bool]] = []
        while (origin := self.layers.came_from[state]) is not None:
            requests, before, (local, (target, global_)) = origin
            spawns = requests > self.layers.count_requests(before)
            steps.append((local, target, before[0], global_, spawns))
            state = before
        return run_of(steps[::-1])

    def visit(self, before: State, others: int, step: Step, spawns: bool) -> None:
        """The state after a step, beside the `others` in flight."""
        target, global_ = step[1]
        if target < 0:
            state = (global_, others, self.outcomes.add(before[2], ~target))
        else:
            state = (global_, self.flights.add(others, target), before[2])
        layers = self.layers
        if state in layers.came_from:
            return
        if (self.domination is not None and self.is_dominated(state, self.domination)) or (
            self.orbits is not None and self.orbits.is_image(*state)
        ):
            layers.drop(state)
        else:
            layers.meet(before, step, state, spawns)

    def is_dominated(self, state: State, domination: Domination) -> bool:
        global_, flight, outcome = state
        return any((global_, flight, rest) in self.layers.came_from for rest in domination.smaller(outcome))


class Search:
    """All in-flight bounds in turn, each with growing slices of the states; can be continued."""

    def __init__(self, problem: OutcomeProblem, bounds: Sequence[int | None] = IN_FLIGHT_BOUNDS) -> None:
        self.problem = problem
        serial = SerialOutcomes(problem.allowed, Multisets())
        self.domination = Domination(problem.allowed, serial.multisets)
        self.searches = [
            BoundedSearch(problem, bound, serial=serial, domination=self.domination) for bound in bounds
        ]
        self.widest = self.searches[-1]
        self.slice = FIRST_SLICE
        self.turn = 0

    def count_explored(self) -> int:
        """How many states were met so far."""
        return sum(len(attempt.layers.came_from) for attempt in self.searches)

    def clean_up_to(self) -> int:
        """There is no violation with at most this many requests."""
        return self.widest.clean_up_to() if self.widest.in_flight is None else 0

    def advance(self, states: int, deadline: Deadline) -> "Refuted | None":
        """Explores about this many states; if it finds a violation, tries to find one with fewer requests."""
        explored = 0
        while explored < states and not self.widest.ended:
            attempt = self.searches[self.turn]
            if not attempt.ended:
                size = min(self.slice, states - explored)
                run = attempt.advance(size, deadline)
                explored += size
                if run is not None:
                    return smallest(self.problem, attempt, run, deadline)
            self.turn += 1
            if self.turn == len(self.searches):
                self.turn = 0
                self.slice *= 4
                if self.slice == LONG_SLICE:
                    self.domination.learn_conditions()
                    self.look_for_symmetry(deadline)
        return None

    def look_for_symmetry(self, deadline: Deadline) -> None:
        """From now on, distinguishes states only up to the symmetry of the program, if it has one."""
        origin = self.problem.origin
        if count_numbered(origin.global_names) < FEWEST and count_numbered(origin.requests) < FEWEST:
            return
        placed = place_program(self.problem, deadline)
        if placed is not None:
            for attempt in self.searches:
                attempt.orbits = OrbitKeys(placed, attempt.flights, attempt.outcomes)


FEWEST = 3
"""Variables or requests with a number in their name: fewer of them never propose a symmetry
(`seriatim.systems.symmetry.number_sets`)."""


def count_numbered(names: Sequence[str]) -> int:
    return sum(any(map(str.isdecimal, name)) for name in names)


def place_program(problem: OutcomeProblem, deadline: Deadline) -> "PlacedProgram | None":
    """The program over the positions of its symmetry, if it has one. A reduced system, or one with an
    observer or with barriers, is explored as it is."""
    origin = problem.origin
    if problem.system is not origin or not isinstance(origin, ProgramUnfolding) or not problem.is_serial:
        return None
    symmetry = find_symmetry(origin.program, deadline)
    if symmetry is None:
        return None
    return PlacedProgram(origin, symmetry)


def smallest(problem: OutcomeProblem, attempt: BoundedSearch, run: Run, deadline: Deadline) -> "Refuted":
    """Tries to find a violation with fewer requests than this one, or to show that none exists."""
    requests = run.requests()
    in_flight = requests if attempt.in_flight is None else attempt.in_flight
    is_cut = attempt.layers.is_cut
    if requests - 1 > in_flight:
        fewer = requests - 1 if problem.is_observed(run.outcome()) else requests
        rest = BoundedSearch(problem, None, fewer, attempt.serial, attempt.domination)
        if attempt.orbits is not None:
            rest.orbits = attempt.orbits.for_others(rest.flights)
        try:
            better = rest.advance(MINIMISING_STATES, deadline)
        except OutOfBudget:
            better = None
        if better is not None:
            run = better
            is_cut = is_cut or rest.layers.is_cut
        if better is not None or (rest.ended and not rest.layers.is_cut):
            in_flight = requests
    if is_cut:
        return Refuted(run, Minimality.UNKNOWN, in_flight)
    is_proved = in_flight >= requests - 1
    return Refuted(run, Minimality.PROVED if is_proved else Minimality.BOUNDED, in_flight)
