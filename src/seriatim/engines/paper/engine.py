"""The paper's own pipeline (section 3): serial automaton, regular expression, semilinear set, its complement,
and for each disjunct of that a reachability question about the interleaving net.

Claim: if no disjunct can be reached, the system is serializable. Why: a marking of the net in which nobody is
in flight is the outcome of a complete run, and the disjuncts hold what no serial run has as its outcome,
answers that occur in no serial run included. A run that reaches a disjunct is a violation.

The proofs of the disjuncts are stitched into one. Every cut holds for every run, so that all of them
together are a relaxation of the complete runs; in it, no outcome outside Ser is left. The components of Ser
come with paths and cycles of the serial automaton: they are the covers of a `ProvedByCover`. Cuts lose the
places that only the interleaving net has; docs/theory/paper-pipeline.md says why that loses nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from seriatim.arithmetic.formula import Conjunction, is_zero, total
from seriatim.arithmetic.semilinear.algebra import Algebra, TooManyComponents
from seriatim.arithmetic.semilinear.kleene import regular_expression
from seriatim.arithmetic.semilinear.presburger import complement
from seriatim.arithmetic.semilinear.regex import parikh_image
from seriatim.arithmetic.semilinear.sets import SemilinearSet
from seriatim.arithmetic.solvers.isl import NotInstalled
from seriatim.budget import Deadline
from seriatim.engines.counting.proof import PlaceCut, ProvedByCover
from seriatim.engines.paper.record import Asked, PaperRecord
from seriatim.engines.paper.serial_language import SerialLanguage, serial_language
from seriatim.engines.shared.run_evidence import Refuted
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.engines.stage import GaveUp
from seriatim.method import Minimality
from seriatim.petri.cuts import Cut
from seriatim.petri.from_system import Answered, Global, InFlight, InterleavingNet, interleaving_net
from seriatim.petri.goals import rewritten
from seriatim.petri.reachability import Open, Reached, Unreachable, reach, slice_for
from seriatim.petri.slicing import whole_slice
from seriatim.petri.system_runs import system_run
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.closure import Coverage
from seriatim.systems.from_input import Origin
from seriatim.systems.numbered_system import NumberedSystem, number_system

MAX_MARKINGS = 200_000
"""How many markings to search for a run to one disjunct."""

MAX_COVERS = 2_000
"""The most covers in a proof."""

Made = TypeVar("Made")


def paper(
    origin: Origin,
    coverage: Coverage,
    specification: SerialAutomaton,
    record: PaperRecord,
    deadline: Deadline,
) -> ProvedByCover | Refuted | GaveUp:
    """Decides by the paper's pipeline. Raises `LimitReached` about the serial automaton, `OutOfTime`."""
    try:
        return _Pipeline(origin, coverage, specification, record, deadline).run()
    except TooManyComponents:
        return GaveUp("the semilinear set of serial outcomes has too many components")
    except NotInstalled:
        return GaveUp("isl is not installed", "pip install 'seriatim[paper]'")


@dataclass(frozen=True, slots=True)
class Prepared:
    """The net, the query and all else that the questions need."""

    numbered: NumberedSystem
    interleaving: InterleavingNet
    language: SerialLanguage
    serial: SemilinearSet


def prepare(
    origin: Origin,
    coverage: Coverage,
    specification: SerialAutomaton,
    record: PaperRecord,
    deadline: Deadline,
) -> Prepared:
    """Takes all steps before the first question; each leaves its result in the record.

    Also raises `TooManyComponents` and `NotInstalled`.
    """
    chosen = record.optimizations
    numbered = number_system(origin, coverage)
    interleaving = record.interleaving = measure(record, "net", lambda: interleaving_net(numbered.system))
    completions = answered_completions(interleaving, origin)
    language = record.language = measure(record, "automaton", lambda: serial_language(specification))
    regex = record.regex = measure(
        record, "regex", lambda: regular_expression(language.automaton, chosen.by_degree)
    )
    algebra = Algebra(len(completions), deadline, chosen.pruning, chosen.fewer_constraints)
    words = language.words(completions)
    serial = record.serial = measure(record, "semilinear", lambda: parikh_image(regex, words, algebra))
    outside = measure(record, "complement", lambda: complement(serial, deadline))
    record.query = tuple(complete_goal(interleaving, disjunct) for disjunct in outside)
    return Prepared(numbered, interleaving, language, serial)


def measure(record: PaperRecord, step: str, work: Callable[[], Made]) -> Made:
    began = monotonic()
    try:
        return work()
    finally:
        record.seconds[step] = monotonic() - began


class _Pipeline:
    """The questions about the disjuncts, and what follows from their answers."""

    def __init__(
        self,
        origin: Origin,
        coverage: Coverage,
        specification: SerialAutomaton,
        record: PaperRecord,
        deadline: Deadline,
    ) -> None:
        self.origin = origin
        self.coverage = coverage
        self.specification = specification
        self.record = record
        self.deadline = deadline

    def run(self) -> ProvedByCover | Refuted | GaveUp:
        record = self.record
        made = prepare(self.origin, self.coverage, self.specification, record, self.deadline)
        numbered, interleaving = made.numbered, made.interleaving
        completions = answered_completions(interleaving, self.origin)
        refuted = measure(
            record, "reachability", lambda: self.ask(numbered, interleaving, record.query or ())
        )
        if refuted is not None:
            return refuted
        unsettled = next((asked.answer for asked in record.asked if isinstance(asked.answer, Open)), None)
        if unsettled is not None:
            return GaveUp(f"a disjunct of the query is open: {unsettled.why}")
        covers: list[SerialCover] = []
        for component in made.serial.components:
            for cover in made.language.covers(component, completions):
                self.deadline.check()
                covers.append(cover)
                if len(covers) > MAX_COVERS:
                    return GaveUp("no disjunct can be reached, but the proof would be too large")
        cuts = dict.fromkeys(
            place_cut(interleaving, numbered, cut)
            for asked in record.asked
            if isinstance(asked.answer, Unreachable)
            for cut in asked.answer.cuts
        )
        return ProvedByCover(self.coverage, None, tuple(cuts), tuple(covers), tree=None)

    def ask(
        self, numbered: NumberedSystem, interleaving: InterleavingNet, query: tuple[Conjunction, ...]
    ) -> Refuted | None:
        """Asks about the disjuncts until one is reached."""
        net = interleaving.net
        for goal in query:
            began = monotonic()
            part = slice_for(net, goal) if self.record.optimizations.slicing else whole_slice(net)
            answer = reach(net, goal, MAX_MARKINGS, self.deadline, part)
            self.record.asked.append(Asked(goal, part, answer, monotonic() - began))
            if isinstance(answer, Reached):
                run = system_run(interleaving, numbered, self.origin, answer.firings)
                return Refuted(run, Minimality.UNKNOWN, 0)
        return None


def answered_completions(interleaving: InterleavingNet, origin: Origin) -> tuple[int, ...]:
    """The completions of the unfolding that the places of answered requests stand for, in their order; a
    number of its own for what the unfolding never answers."""
    known = {completion: number for number, completion in enumerate(origin.completions)}
    responses = interleaving.system.responses
    answered = [place for place in interleaving.places if isinstance(place, Answered)]
    return tuple(
        known.get((place.request, responses[place.response]), len(known) + index)
        for index, place in enumerate(answered)
    )


def complete_goal(interleaving: InterleavingNet, outcome: Conjunction) -> Conjunction:
    """Markings in which nobody is in flight and the answered requests satisfy a conjunction."""
    places = list(enumerate(interleaving.places))
    answered = [index for index, place in places if isinstance(place, Answered)]
    values = {entry: total([index]) for entry, index in enumerate(answered)}
    goal = rewritten(outcome, values, len(places))
    nobody = tuple(is_zero(total([index])) for index, place in places if isinstance(place, InFlight))
    return Conjunction(goal.dimension, goal.quotients, (*nobody, *goal.constraints))


def place_cut(interleaving: InterleavingNet, numbered: NumberedSystem, cut: Cut) -> PlaceCut:
    """Translates a cut of the net to states of the unfolding; places that it does not have are left out."""
    places = [interleaving.places[index] for index in cut.places]
    flights = [(place.request, place.local) for place in places if isinstance(place, InFlight)]
    return PlaceCut(
        cut.kind,
        frozenset(numbered.globals[place.state] for place in places if isinstance(place, Global)),
        frozenset(numbered.locals[flight] for flight in flights if flight in numbered.locals),
    )
