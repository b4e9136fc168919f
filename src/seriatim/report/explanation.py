"""Why a verdict holds, for people who want more than a sentence.

A proof says where each request takes effect, or what counting says about each global state; a counterexample,
what is where after each firing.
"""

from collections.abc import Iterator
from itertools import islice
from typing import assert_never

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.all import Evidence
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.chains import ChainEvidence
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.counting import CutPlaces
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.counting import counting
from seriatim.checking.cover_claim import cut_places
from seriatim.checking.moves import Moves
from seriatim.checking.precision import Precision
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.checking.words import state_words, values_words
from seriatim.engines.shared.in_flight import waiting
from seriatim.explain.commit_steps import commit_steps, listed
from seriatim.explain.firing import firing_table
from seriatim.explain.names import visible
from seriatim.explain.projection import Equation, Projection, projections
from seriatim.pipeline import Options
from seriatim.program.execution import big_steps
from seriatim.program.recursion import deep_recursion
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.repair.blame import blame
from seriatim.report.look import Look
from seriatim.report.repair_text import blame_remarks
from seriatim.report.show.tables import table_text
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.text_width import filled, printable
from seriatim.verdict import Decision, Faulty, Holds, Refused, Undecided, Violated

MAX_STATES = 12
"""Global states that are explained; more than that nobody reads."""

MAX_FLIGHTS = 6
"""Ways to be in flight that are listed for each of them."""

INDENTED = "    "


def explanation_text(decision: Decision, source: SourceText, options: Options, look: Look) -> str:
    """Paragraphs with their line breaks; empty if there is nothing to add."""
    verdict = decision.verdict
    match verdict:
        case Violated(run=run):
            origin = decision.unfolding
            table = table_text(firing_table(run, origin)).replace("×", look.symbols.times)
            if not isinstance(origin, ProgramUnfolding) or decision.question != SERIALIZABILITY:
                return f"\n{table}\n"
            remarks = blame_remarks(blame(origin.program, source.text))
            return f"\n{table}\n{''.join(_item(remark, look) for remark in remarks)}\n"
        case Holds(certificate=certificate):
            deadline = Deadline(options.timeout, options.max_memory)
            evidence = certificate.evidence
            counts = isinstance(evidence, CoverEvidence | TreeEvidence | ChainEvidence)
            if counts and decision.question != SERIALIZABILITY:
                return ""  # What is counted are states of a derived system, which nobody wants to read.
            items = _because(evidence, decision.unfolding, options.limits, deadline)
            text = "".join(_item(item, look) for item in items)
            return f"\n{text}\n" if text else ""
        case Undecided() | Refused() | Faulty():
            return ""
        case _:
            assert_never(verdict)


def _item(text: str, look: Look) -> str:
    return INDENTED[2:] + "- " + filled(printable(text), look.width, INDENTED).lstrip() + "\n"


def _because(evidence: Evidence, origin: Origin, limits: Limits, deadline: Deadline) -> Iterator[str]:
    try:
        match evidence:
            case AtomicEvidence():
                yield from atomic_words(origin)
            case CommitEvidence():
                yield from (step.words() for step in commit_steps(evidence, origin, limits, deadline))
            case ReductionEvidence():
                yield from reduction_words(evidence, origin)
            case CoverEvidence():
                yield from cover_words(evidence, origin, deadline)
            case TreeEvidence(claim=claim):
                yield from cover_words(claim, origin, deadline)
            case ChainEvidence(level=level, invariants=invariants):
                # What counting says is true here as well, though it is not enough.
                yield from counting_words(Precision(level, invariants), (), origin, deadline)
            case NoCycleEvidence() | NoFaultEvidence():
                return  # The reason is all there is to say.
            case (
                RunEvidence() | FoldedRunEvidence() | CycleEvidence() | PointsEvidence() | FaultRunEvidence()
            ):
                raise AssertionError("a run is no proof")
            case _:
                assert_never(evidence)
    except (OutOfBudget, LimitReached, GaveUp):
        yield "There is more to say, but finding it out takes too long."


def atomic_words(origin: Origin) -> Iterator[str]:
    if isinstance(origin, ProgramUnfolding):
        for handler in origin.program.handlers:
            # Where it ends is not known: its code may be that of a function, somewhere else.
            yield f"`{handler.name}` (line {handler.span.line}) has no `yield`: nobody runs in between."


def reduction_words(evidence: ReductionEvidence, origin: Origin) -> Iterator[str]:
    late: dict[str, list[str]] = {}
    for waiting_late in evidence.late:
        late.setdefault(waiting_late.handler, []).append(waiting_late.code)
    for handler in origin.requests:
        if handler in late:
            left = max(late[handler], key=len)  # That is where it gets first.
            yield (
                f"`{handler}` has taken effect once it has only `{left}` left to do: what others do in the"
                " middle of it can be done before it until then, and after it from then on."
            )
        else:
            yield (
                f"`{handler}` takes effect with its answer: what others do in the middle of it can be done"
                " before it."
            )


# Counting


def cover_words(evidence: CoverEvidence, origin: Origin, deadline: Deadline) -> Iterator[str]:
    cuts = (
        () if evidence.situations is not None else evidence.cuts
    )  # Those about situations say nothing here.
    return counting_words(Precision(evidence.level, evidence.invariants), cuts, origin, deadline)


def counting_words(
    precision: Precision, known: tuple[CutPlaces, ...], origin: Origin, deadline: Deadline
) -> Iterator[str]:
    """What counting by global states says, under these cuts."""
    allowance = Allowance(1_000_000, deadline)
    with deep_recursion():
        if isinstance(origin, ProgramUnfolding):
            moves = Moves(ProgramReference(origin.program, big_steps), precision, allowance)
        else:
            moves = Moves(SystemReference(origin.system), precision, allowance)
    cuts = tuple((cut, cut_places(moves, cut, allowance)) for cut in known)
    places = Places(origin)
    states = len(moves.globals())
    yield from (
        places.projection_words(found)
        for found in islice(projections(moves, counting(moves), cuts, deadline), MAX_STATES)
    )
    if states > MAX_STATES:
        yield f"And so on, for {states - MAX_STATES} more global states."


class Places:
    """Requests in flight by the lines where they wait."""

    def __init__(self, origin: Origin) -> None:
        self.lines: dict[Waiting, int] = {}
        if isinstance(origin, ProgramUnfolding):
            for local in range(len(origin.local_states)):
                line = local_state(origin, local).line
                if line is not None:
                    self.lines.setdefault(waiting(origin, local), line)

    def words(self, found: Waiting) -> str:
        line = self.lines.get(found)
        values = f" with {values_words(found.values)}" if found.values else ""
        place = f"`{visible(found.code)}`" if line is None else f"line {line}"
        return f"`{visible(found.handler)}` in {place}{values}"

    def projection_words(self, found: Projection) -> str:
        flying = sorted({self.words(each) for each in found.in_flight})
        others = len(flying) - MAX_FLIGHTS
        shown = [*flying[:MAX_FLIGHTS], *([f"{others} others"] if others > 0 else [])]
        who = f"in flight may be {listed(shown, 'and')}" if shown else "nobody is halfway"
        if not found.can_rest:
            return f"In {state_words(found.state)}, {who}; somebody always is."
        facts = [equation_words(equation) for equation in found.equations]
        facts += [f"at most one {name(completion)}" for completion in found.at_most_one]
        if found.never:
            facts.append(listed([f"no {name(completion)}" for completion in found.never], "and"))
        said = ", ".join(facts) or "any numbers of answers"
        return f"In {state_words(found.state)}, {who}. If nobody is in flight: {said}."


def name(completion: tuple[str, str]) -> str:
    return "/".join(completion)


def equation_words(equation: Equation) -> str:
    """With what is added on either side."""
    sides = []
    for sign in (1, -1):
        terms = [
            name(completion) if abs(factor) == 1 else f"{abs(factor)} {name(completion)}"
            for factor, completion in equation.terms
            if factor * sign > 0
        ]
        if equation.constant * sign > 0:
            terms.append(str(abs(equation.constant)))
        sides.append(" + ".join(terms) or "0")
    return " = ".join(sides)
