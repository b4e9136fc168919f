"""Decides isolation levels of a log of transactions, strongest first, each with evidence.

*Levels up to causal* leave the orders of versions open: edges are added until nothing more follows, and the
level holds iff there is no cycle (`saturate`).

*Levels above* need an order of the writers of each key. Where reads do not tell it, it is guessed; if the
graph of the level (`dependencies`) then has cycles, each cycle that rests on guesses becomes a clause: at
least one of these pairs of writers is the other way round. A solver looks for an order near the guess that
satisfies all clauses so far, and the question is asked again. The choices for one key have to be an order:
where they go round, that is a clause, too. There are finitely many clauses, so this ends: with a graph
without cycles, or with clauses that nothing satisfies, or with a cycle that rests on no guess.

For serializability of logs of lists, no guess is needed: appends that nobody has read come after everything
that is known, and any order of the graph without them settles theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from seriatim.arithmetic.solvers.cdcl import ClauseStore
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.transactions import (
    REAL_TIME,
    Choice,
    Cycle,
    Cycles,
    Level,
    LevelCertificate,
    LevelEvidence,
    TransactionOrder,
    weaker,
)
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history.isolation import verify_level
from seriatim.checking.history.transactions import TransactionLog, key_text
from seriatim.checking.obligation import Report
from seriatim.history.transactions.dependencies import RW, SHAPES, WW, LevelGraph, Part, Reads, shorten
from seriatim.history.transactions.graphs import components, shortest_cycle
from seriatim.history.transactions.guess import guess
from seriatim.history.transactions.observe import INIT, Observed
from seriatim.history.transactions.saturate import saturate

ALLOWANCE = 100_000_000

FIRST = (Level.READ_COMMITTED, Level.STRICT_SERIALIZABLE)
"""The levels that are decided first: most logs show both, or fail the first one."""

SHARE, SHARE_OF_ONE = 0.25, 0.7
"""The share of the time that is left for one of many levels, or for the only one; the rest is for the others,
and for the checker."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A level, with evidence that the checker has accepted."""

    level: Level
    certificate: LevelCertificate
    report: Report

    @property
    def holds(self) -> bool:
        return isinstance(self.certificate.evidence, TransactionOrder)


@dataclass(frozen=True, slots=True)
class Undecided:
    level: Level
    reason: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A level about times, for a log without them."""

    level: Level


LevelVerdict = Decided | Undecided | NotApplicable


def decide_levels(
    log: TransactionLog, levels: Sequence[Level], deadline: Deadline
) -> dict[Level, LevelVerdict]:
    """Decides each of the levels; what takes too long is undecided. Raises `InputError`, `OutOfBudget`."""
    return decide_observed(Observed(log), levels, deadline)


def decide_observed(
    observed: Observed, levels: Sequence[Level], deadline: Deadline
) -> dict[Level, LevelVerdict]:
    """The same, with what was observed."""
    log = observed.log
    shown: dict[Level, LevelEvidence] = {}
    found: dict[Level, LevelVerdict] = {
        level: NotApplicable(level) for level in levels if level in REAL_TIME and not log.is_timed
    }
    guesses: dict[bool, dict[int, int]] = {}
    tried: set[Level] = set()
    while (level := _next_level(levels, {*shown, *found}, tried, log.is_timed)) is not None:
        tried.add(level)
        try:
            evidence = _evidence(
                observed, level, guesses, deadline.part(SHARE if len(levels) > 1 else SHARE_OF_ONE)
            )
        except OutOfTime:
            if not deadline.remaining():
                break
            continue
        shown[level] = evidence
        holds = isinstance(evidence, TransactionOrder)
        for other in Level:
            if holds and other in weaker(level):
                shown[other] = evidence  # The stronger the level, the faster its evidence is checked.
            elif not holds and level in weaker(other):
                shown.setdefault(other, evidence)
    reports: dict[tuple[int, bool], Report] = {}
    for level in levels:
        if level not in found and level not in shown:
            found[level] = Undecided(level, OutOfTime.spent)
        elif level not in found:
            found[level] = _checked(log, level, shown[level], reports, deadline)
    return {level: found[level] for level in levels}


def _next_level(
    levels: Sequence[Level], settled: set[Level], tried: set[Level], is_timed: bool
) -> Level | None:
    """Chooses the level to decide next, so that few stay open whatever the answer is. A yes answers for
    weaker levels, a no for stronger ones."""
    if len(levels) == 1:
        return next((level for level in levels if level not in settled | tried), None)
    open_ = [level for level in Level if level not in settled]
    possible = [each for each in open_ if each not in tried and (is_timed or each not in REAL_TIME)]
    if not set(open_) & set(levels):
        return None
    for level in FIRST:
        if level in possible:
            return level

    def least(level: Level) -> int:
        below = sum(other in weaker(level) for other in open_)
        above = sum(level in weaker(other) for other in open_)
        return min(below, above)

    return max(possible, key=least, default=None)


def _checked(
    log: TransactionLog,
    level: Level,
    evidence: LevelEvidence,
    reports: dict[tuple[int, bool], Report],
    deadline: Deadline,
) -> LevelVerdict:
    """Lets the checker check the evidence. Evidence about a stronger or a weaker level is checked once."""
    certificate = LevelCertificate(log.digest, level, evidence)
    known = (id(evidence), isinstance(evidence, TransactionOrder))
    try:
        if not deadline.remaining():
            raise OutOfTime
        if known not in reports or not isinstance(evidence, TransactionOrder):
            reports[known] = verify_level(certificate, log, Allowance(ALLOWANCE, deadline))
    except GaveUp as stopped:
        return Undecided(level, f"the checker gave up: {stopped}")
    except OutOfTime:
        return Undecided(level, f"{OutOfTime.spent} before its evidence was checked")
    report = reports[known]
    if not report.accepted:
        return Undecided(level, f"the checker refuses the evidence: {report.obligations[-1].detail}")
    return Decided(level, certificate, report)


def _evidence(
    observed: Observed, level: Level, guesses: dict[bool, dict[int, int]], deadline: Deadline
) -> LevelEvidence:
    anomaly = observed.first_anomaly(level, weaker(level))
    if anomaly is not None:
        return anomaly
    if level not in SHAPES:
        return saturate(observed, level)
    return OpenOrders(observed, level, guesses, deadline).decide()


class OpenOrders:
    """The search for orders of versions that fit a level."""

    def __init__(
        self, observed: Observed, level: Level, guesses: dict[bool, dict[int, int]], deadline: Deadline
    ) -> None:
        self.observed = observed
        self.level = level
        self.guesses = guesses
        self.deadline = deadline
        self.sources: dict[tuple[int, int], list[int]] = {}
        """For each reader and key, the writers that it read from: several only if it contradicts itself."""
        for reader, k, writer in observed.reads_from:
            self.sources.setdefault((reader, k), []).append(writer)
        self.ranks = [{number: at for at, number in enumerate(key.chain)} for key in observed.keys]
        self.base: list[dict[int, int]] = []
        """The guess: the places of the writers of each tail."""
        self.orders: list[list[int]] = []
        self.variables: dict[tuple[int, int, int], int] = {}
        self.pairs: list[tuple[int, int, int]] = [(0, 0, 0)]
        """The key and the writers of each variable, the smaller one first; 0 is none."""
        self.by_key: dict[int, list[int]] = {}
        self.clauses = ClauseStore()
        self.cycles: list[Cycle] = []
        """The cycle of each clause."""

    def decide(self) -> LevelEvidence:
        places = self._known_places() if self.observed.log.has_lists else self._guessed_places()
        if isinstance(places, Cycles):
            return places
        for key in self.observed.keys:
            tail = sorted(key.tail, key=places.__getitem__)
            self.base.append({number: at for at, number in enumerate(tail)})
            self.orders.append(key.chain + tail)
        known: Reads | None = None
        members: set[int] = set()
        while True:
            self.deadline.check()
            graph = LevelGraph(self.observed, self.level, self.orders)
            found, order = graph.find_cycles()
            if not found:
                return self._as_order(graph, order)
            members |= graph.entangled
            refuted = self._rule_out(graph, found)
            if refuted is None:
                known = known or Reads(self.observed)
                refuted = self._untangle(Part(members, known), len(graph.sources))
            if refuted is not None:
                return refuted

    def _untangle(self, part: Part, most: int) -> Cycles | None:
        """Looks for orders for which some transactions alone have no cycles, or for what rules out the level:
        as long as that costs no more than the whole graph, which has `most` edges."""
        while most > 0:
            self.deadline.check()
            graph = LevelGraph(self.observed, self.level, self.orders, part)
            found, _ = graph.find_cycles()
            refuted = self._rule_out(graph, found) if found else None
            if refuted is not None or not found:
                return refuted
            most -= len(graph.sources)
        return None

    def _rule_out(self, graph: LevelGraph, found: list[list[int]]) -> Cycles | None:
        """Looks for other orders, which avoid cycles; what rules out the level if there are none."""
        for edges in found:
            steps = graph.steps_of(edges)
            literals = self._literals(graph, edges)
            cycle = Cycle(tuple(steps), tuple(map(self._choice, literals)))
            if not literals:
                return Cycles((self._shortened(cycle),), ())
            self.cycles.append(cycle)
            self.clauses.add(-literal for literal in literals)
        if self._reorder():
            return None
        core = self.clauses.core()
        lemmas = tuple(tuple(self._choice(-each) for each in clause) for clause in core.learned)
        return Cycles(tuple(self._shortened(self.cycles[number]) for number in core.given), lemmas)

    def _shortened(self, cycle: Cycle) -> Cycle:
        if self.level not in REAL_TIME or cycle.choices:
            return cycle
        return Cycle(tuple(shorten(self.observed, list(cycle.steps))), ())

    def _known_places(self) -> dict[int, int] | Cycles:
        """Places that what is known allows, as the log has them where it can; or a cycle of what is known."""
        orders = [key.chain + (key.tail if len(key.tail) == 1 else []) for key in self.observed.keys]
        graph = LevelGraph(self.observed, self.level, orders)
        found, order = graph.find_cycles()
        if found:
            best = min(
                (self._shortened(Cycle(tuple(graph.steps_of(e)), ())) for e in found[:50]), key=_length
            )
            return Cycles((best,), ())
        if graph.has_two:
            lines = [each.line for each in self.observed.transactions]
            order = graph.order_by([lines[p // 2] if p < graph.points else 0 for p in range(graph.size)])
        places: dict[int, int] = {}
        for node in order:
            number = graph.transaction(node)
            if number is not None:
                places[number] = len(places)
        return places

    def _guessed_places(self) -> dict[int, int]:
        has_two = "serializable" not in self.level and self.level is not Level.CURSOR_STABILITY
        if has_two not in self.guesses:
            self.guesses[has_two] = guess(self.observed, has_two, self.deadline)
        return self.guesses[has_two]

    # --- choices --------------------------------------------------------------------------------------------

    def _literal(self, k: int, first: int, second: int) -> int | None:
        """The choice that one writer comes before another; None if that is known."""
        if first == INIT or first in self.ranks[k]:
            return None
        pair = (k, min(first, second), max(first, second))
        variable = self.variables.get(pair)
        if variable is None:
            variable = self.variables[pair] = len(self.pairs)
            self.pairs.append(pair)
            self.by_key.setdefault(k, []).append(variable)
        return variable if first < second else -variable

    def _choice(self, literal: int) -> Choice:
        k, low, high = self.pairs[abs(literal)]
        name = key_text(self.observed.keys[k].name)
        return (name, low, high) if literal > 0 else (name, high, low)

    def _literals(self, graph: LevelGraph, edges: Sequence[int]) -> list[int]:
        """The choices that a cycle rests on."""
        found: dict[int, None] = {}
        for edge in edges:
            label = graph.labels[edge]
            first, second = graph.transaction(graph.sources[edge]), graph.transaction(graph.targets[edge])
            if label < 0 or label % 4 not in (WW, RW) or first is None or second is None:
                continue  # Joints lead to what is known.
            k = label // 4
            writer = self._overtaken(first, k) if label % 4 == RW else first
            literal = self._literal(k, writer, second)
            if literal is not None:
                found[literal] = None
        return list(found)

    def _overtaken(self, reader: int, k: int) -> int:
        """The first writer, in the present order, whose version a reader read."""
        writers = self.sources[reader, k]
        if len(writers) == 1 or INIT in writers:
            return min(writers)
        order = self.orders[k]
        return min(writers, key=order.index)

    def _reorder(self) -> bool:
        """Sets the orders to some that satisfy all clauses; False if there are none."""
        while True:
            self.deadline.check()
            self.clauses.prefer(
                v if self.base[k][low] < self.base[k][high] else -v
                for v, (k, low, high) in enumerate(self.pairs)
                if v
            )
            model = self.clauses.solve(self.deadline)
            if model is None:
                return False
            rounds = [
                ring for k, variables in self.by_key.items() for ring in self._sort_key(k, variables, model)
            ]
            if not rounds:
                return True
            for ring in rounds:
                self.cycles.append(Cycle((), tuple(map(self._choice, ring))))
                self.clauses.add(-literal for literal in ring)

    def _sort_key(self, k: int, variables: list[int], model: list[bool]) -> list[list[int]]:
        """Orders the writers of a key by the choices, and by the guess where they leave it open; or lists
        choices that go round."""
        base = self.base[k]
        following: dict[int, list[tuple[int, int]]] = {}
        degree = dict.fromkeys(base, 0)
        for variable in variables:
            _, first, second = self.pairs[variable]
            literal = variable
            if not model[variable]:
                first, second, literal = second, first, -variable
            following.setdefault(first, []).append((second, literal))
            degree[second] += 1
        heap = [(base[number], number) for number in base if not degree[number]]
        heapify(heap)
        order: list[int] = []
        while heap:
            _, number = heappop(heap)
            order.append(number)
            for other, _ in following.get(number, ()):
                degree[other] -= 1
                if not degree[other]:
                    heappush(heap, (base[other], other))
        if len(order) == len(base):
            self.orders[k] = self.observed.keys[k].chain + order
            return []
        rest = [number for number in base if degree[number]]
        rings: list[list[int]] = []
        for part in components(rest, following):
            inside = set(part)
            for start in part[:5]:
                ring = shortest_cycle(start, following, inside)
                if ring is not None:
                    rings.append(ring)
        return rings

    # --- evidence -------------------------------------------------------------------------------------------

    def _as_order(self, graph: LevelGraph, order: list[int]) -> TransactionOrder:
        """The points of transactions that happened, in the order of the graph."""
        numbers = (graph.transaction(node) for node in order)
        kept = tuple(n for n in numbers if n is not None and self.observed.happened[n])
        return TransactionOrder(self.level, kept)


def _length(cycle: Cycle) -> int:
    return len(cycle.steps)
