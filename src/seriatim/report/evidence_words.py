"""Evidence in words, for readers who follow the checker obligation by obligation."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import assert_never

from seriatim.certificate.chain_proofs import (
    ChainNode,
    Counted,
    Fixed,
    Layered,
    NoRuns,
    OutsideCover,
    Situated,
)
from seriatim.certificate.commit import CommittedState
from seriatim.certificate.counting import CutPlaces, Situations
from seriatim.certificate.folded_run import AnyTurn
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.serial_paths import SerialPath, SerialStep
from seriatim.certificate.turns import Turn
from seriatim.checking.chains_structure import ProofStep
from seriatim.checking.words import any_turn_words, counted, state_words, waiting_words
from seriatim.folding import Folded, Repeated


def evidence_words(data: Iterable[object]) -> Iterator[str]:
    """Lines about what an obligation rests on."""
    for number, item in enumerate(data):
        match item:
            case Turn():
                yield turn_words(item)
            case AnyTurn() | Repeated():
                yield from folded_turns_words((item,))
            case CommittedState():
                yield committed_words(item)
            case Invariant():
                yield invariant_words(item)
            case SerialPath():
                yield cover_words(item)
            case CutPlaces():
                yield cut_words(item)
            case Situations():
                yield from situation_words(item)
            case Waiting():
                yield f"place {number}: {waiting_words(item)}"
            case ProofStep():
                yield proof_step_words(item)
            case _:
                yield str(item)


def turn_words(turn: Turn) -> str:
    does = "pauses" if turn.response is None else f"answers {turn.response}"
    return f"request {turn.request}, `{turn.handler}`, {does} and leaves {state_words(turn.after)}"


def folded_turns_words(turns: Iterable[Folded[AnyTurn]]) -> Iterator[str]:
    """A line for each turn; a repeated part is shown once, after a line that says how often."""
    for turn in turns:
        if isinstance(turn, Repeated):
            lines = list(folded_turns_words(turn.items))
            yield f"{counted(turn.times, 'time')} the next {counted(len(lines), 'line')}:"
            yield from lines
        else:
            yield any_turn_words(turn)


def committed_words(state: CommittedState) -> str:
    return f"{waiting_words(state)} has taken effect, and will answer {state.response}"


def invariant_words(invariant: Invariant) -> str:
    what = "exceeds" if invariant.sign == 1 else "falls short of"
    return f"by how much {invariant.variable} {what} its initial value is a sum over all requests in flight"


def cover_words(cover: SerialPath) -> str:
    """The path, then the cycles and where they begin."""
    cycles = (f"{steps_words(c.steps)} at {state_words(c.at)}" for c in cover.cycles)
    return "; any number of times ".join((steps_words(cover.steps) or "nobody", *cycles))


def steps_words(steps: Iterable[SerialStep]) -> str:
    """Steps such as `a/0 ×3, b/1`; equal neighbours are shown once, with a count."""
    groups = ((name, len(list(same))) for name, same in groupby(f"{s.handler}/{s.response}" for s in steps))
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in groups)


def cut_words(cut: CutPlaces) -> str:
    places = [
        *map(state_words, cut.globals),
        *(f"situation {number}" for number in cut.situations),
        *map(waiting_words, cut.waiting),
    ]
    return f"{cut.kind} of {'; '.join(places) or 'nothing'}"


def situation_words(situations: Situations) -> Iterator[str]:
    """Each situation with its number."""
    for number, case in enumerate(situations.cases, 1):
        known = (
            f"{count} of {waiting_words(waiting)}"
            for count, waiting in zip(case.numbers, situations.waiting, strict=False)
            if count is not None
        )
        yield f"situation {number}: {'; '.join((state_words(case.state), *known))}"


def proof_step_words(step: ProofStep) -> str:
    sizes = f"{counted(step.nodes, 'node')}, {counted(step.edges, 'edge')}"
    return f"step {step.number} (`{step.rule}`; {sizes}): {chain_step_words(step.step)}"


def chain_step_words(step: ChainNode) -> str:
    """Describes what a step of a proof by chains says about its structure."""
    match step:
        case NoRuns():
            return "nothing leads from the start to the end"
        case Counted(counts=counts, chains=chains):
            said = f"{len(set(counts.levels))} levels, {len(counts.rows)} rows, {len(counts.cuts)} cuts"
            other = f", or its run is in one of {len(chains)} chains" if chains else ""
            return f"{said}; every outcome is in a cover{other}"
        case Situated(direction=direction, cases=cases):
            return f"{len(cases)} cases, {direction}s"
        case Layered(level=level, edges=edges, times=None):
            return f"whether one of {len(edges)} edges of level {level} has been taken"
        case Layered(level=level, edges=edges, times=times):
            return f"{len(edges)} edges of level {level} are taken at most {times} times"
        case Fixed(edge=edge, places=places, values=values):
            said = ", ".join(map(str, places))
            return f"after edge {edge}, places {said} have one of {len(values)} tuples of numbers"
        case OutsideCover(cover=cover, parts=parts):
            return f"outside of cover {cover}, in {len(parts)} parts"
        case _:
            assert_never(step)
