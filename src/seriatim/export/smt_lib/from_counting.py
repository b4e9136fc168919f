"""Counting as an inductive invariant: the state equation and the cuts, with the counts as ghost variables.

A state is a marking of the net whose transitions are the steps of an input (`seriatim.checking.counting`),
together with how often each step has occurred and how many requests are completed in each way. Because the
counts are part of the state, no quantifier is needed: step t adds 1 to its own count. The invariant:

- all of these numbers are natural;
- each place holds what it held at the start, plus what was given, minus what was taken;
- each completion has occurred as often as the steps that answer so;
- siphon cut: nothing was taken from Q, or something came into Q from outside;
- trap cut: Q was empty at the start and nothing was given to it, or it is not empty *now*, or something
  has left it.

Claim: each step keeps it. For a siphon cut: a step that takes from Q finds a token there; Q was empty at the
start, so something was given to it, and either by a step from outside or after something was taken. For a
trap cut: a step that takes the last token from Q and gives nothing to it is one that leaves.

Wrong is a state with nobody in flight, and its control where runs can end, whose completions are in none of
the covers. Every complete run ends in a state with nobody in flight; so if nothing is wrong, every outcome is
in a cover, and covers are serial.
"""

from collections.abc import Iterable

from seriatim.arithmetic.linear_sets import Membership, membership
from seriatim.certificate.counting import CutPlaces
from seriatim.certificate.serial_paths import SerialPath
from seriatim.checking.allowed import Completion
from seriatim.checking.counting import Counting, InSituation, Place, ordered
from seriatim.checking.counting import Step as CountedStep
from seriatim.checking.cover_claim import CoverClaim
from seriatim.checking.covers import linear_set
from seriatim.checking.words import state_words, waiting_words
from seriatim.export.smt_lib.script import DeclaredVariable, ScriptDefinition, ScriptPart, ScriptStep, System
from seriatim.export.smt_lib.terms import (
    Term,
    addition,
    application,
    conjunction,
    disjunction,
    is_none,
    linear,
    number,
)
from seriatim.report.evidence_words import cover_words, cut_words

ABOUT = (
    "Every complete run of the input has an outcome that some serial run has, by counting.",
    "The steps are those that complete runs can contain: what can be in flight together, and who is never",
    "answered, was found by executing the input, and is not a question here.",
)
SITUATED = (
    "Steps are counted apart by the situation in which they are taken. That every complete run is a path of",
    "situations is not a question here either; `ser verify` checks it.",
)


def counting_system(claim: CoverClaim, covers: tuple[SerialPath, ...]) -> System:
    """The covers are those of the claim, in its order."""
    names = CountingNames(claim)
    counting = claim.counting
    outcome = tuple(names.completions.values())
    conditions = [membership(linear_set(cover, tuple(claim.outcome))) for cover in covers]
    covered = tuple(
        ScriptDefinition(
            f"Serial: {cover_words(cover)}", f"cover{index}", outcome, "Bool", inside(condition, outcome)
        )
        for index, (cover, condition) in enumerate(zip(covers, conditions, strict=True), 1)
    )
    in_a_cover = disjunction(application(cover.name, outcome) for cover in covered)
    unfinished = [name for place, name in names.places.items() if place not in counting.ends]
    situated = isinstance(counting.start, InSituation)
    return System(
        about=(*ABOUT, *(SITUATED if situated else ())),
        variables=tuple(names.variables(claim)),
        definitions=covered,
        invariant=(
            ScriptPart("All numbers are natural.", conjunction(f"(>= {name} 0)" for name in names.all())),
            *(balance(counting, place, name, names) for place, name in names.places.items()),
            *(total_answered(claim, completion, names) for completion in names.completions),
            *(cut_part(counting, cut, places, names) for cut, places in claim.cuts),
        ),
        steps=tuple(step(index, each, names) for index, each in enumerate(counting.steps)),
        wrong=conjunction([is_none(unfinished), f"(not {in_a_cover})"]),
        wrong_means="With no request in flight, the outcome is in a cover.",
    )


class CountingNames:
    """Short names with numbers, so that no two can be the same; what they stand for is in the comments."""

    def __init__(self, claim: CoverClaim) -> None:
        counting = claim.counting
        occurring = [p for step in counting.steps for p in (*ordered(step.takes), *ordered(step.gives))]
        control = dict.fromkeys(p for p in (counting.start, *occurring) if not isinstance(p, int))
        flights = dict.fromkeys(p for p in occurring if isinstance(p, int))
        self.places: dict[Place, str] = {}
        for index, place in enumerate(control):
            self.places[place] = f"g{index}"
        for index, flight in enumerate(flights):
            self.places[flight] = f"f{index}"
        self.counts = [f"x{index}" for index in range(len(counting.steps))]
        self.completions = {completion: f"z{index}" for index, completion in enumerate(claim.outcome)}
        self._moves = claim.moves

    def all(self) -> tuple[str, ...]:
        return (*self.places.values(), *self.completions.values(), *self.counts)

    def place_words(self, place: Place) -> str:
        match place:
            case InSituation(number=0):
                return "the start"
            case InSituation(number=index):
                return f"situation {index}"
            case int():
                return waiting_words(self._moves.waiting(place))
            case _:
                return f"global state {state_words(place)}"

    def step_words(self, step: CountedStep) -> str:
        taken, given = (
            " + ".join(self.place_words(p) for p in self.sort_places(places))
            for places in (step.takes, step.gives)
        )
        answer = "" if step.answer is None else f", answering {'/'.join(step.answer)}"
        return f"{taken} -> {given}{answer}"

    def sort_places(self, places: Iterable[Place]) -> list[Place]:
        known = list(self.places)
        return sorted(places, key=known.index)

    def variables(self, claim: CoverClaim) -> Iterable[DeclaredVariable]:
        start = claim.counting.start
        for place, name in self.places.items():
            yield DeclaredVariable(name, f"Now at: {self.place_words(place)}", int(place == start))
        for (handler, response), name in self.completions.items():
            yield DeclaredVariable(name, f"How many {handler} have been answered {response}", 0)
        for name, each in zip(self.counts, claim.counting.steps, strict=True):
            yield DeclaredVariable(name, f"How often: {self.step_words(each)}", 0)


def balance(counting: Counting, place: Place, name: str, names: CountingNames) -> ScriptPart:
    form = counting.tokens({place})
    tokens = linear(((factor, names.counts[index]) for index, factor in form.terms), form.constant)
    return ScriptPart(f"Balance of: {names.place_words(place)}", f"(= {name} {tokens})")


def total_answered(claim: CoverClaim, completion: Completion, names: CountingNames) -> ScriptPart:
    form = claim.outcome[completion]
    answering = linear((factor, names.counts[index]) for index, factor in form.terms)
    return ScriptPart(f"All {'/'.join(completion)}", f"(= {names.completions[completion]} {answering})")


def cut_part(
    counting: Counting, cut: CutPlaces, places: frozenset[Place], names: CountingNames
) -> ScriptPart:
    """As `Counting.cut` says for the end of a run, but with the tokens of now."""
    taking = {i for i, each in enumerate(counting.steps) if not each.takes.isdisjoint(places)}
    giving = {i for i, each in enumerate(counting.steps) if not each.gives.isdisjoint(places)}

    def some(steps: set[int]) -> Term:
        return f"(>= {addition(names.counts[index] for index in sorted(steps))} 1)"

    def none(steps: set[int]) -> Term:
        return is_none(names.counts[index] for index in sorted(steps))

    if cut.kind == "siphon":
        term = disjunction([none(taking), some(giving - taking)])
    else:
        now = addition(name for place, name in names.places.items() if place in places)
        escapes = [f"(>= {now} 1)", some(taking - giving)]
        term = disjunction(escapes if counting.start in places else [none(giving), *escapes])
    return ScriptPart(f"Cut: {cut_words(cut)}", term)


def step(index: int, counted_step: CountedStep, names: CountingNames) -> ScriptStep:
    changes = {names.counts[index]: f"(+ {names.counts[index]} 1)"}
    for place in counted_step.takes - counted_step.gives:
        changes[names.places[place]] = f"(- {names.places[place]} 1)"
    for place in counted_step.gives - counted_step.takes:
        changes[names.places[place]] = f"(+ {names.places[place]} 1)"
    if counted_step.answer is not None:
        completed = names.completions[counted_step.answer]
        changes[completed] = f"(+ {completed} 1)"
    guard = conjunction(f"(>= {names.places[place]} 1)" for place in names.sort_places(counted_step.takes))
    return ScriptStep(names.step_words(counted_step), guard, changes)


def inside(condition: Membership, outcome: tuple[str, ...]) -> Term:
    """That an outcome is in a linear set; exact, without quantifiers (`seriatim.arithmetic.linear_sets`)."""

    def apply(row: tuple[int, ...]) -> Term:
        constant = -sum(factor * base for factor, base in zip(row, condition.base, strict=True))
        return linear(zip(row, outcome, strict=True), constant)

    parts = [f"(= {apply(row)} 0)" for row in condition.equations]
    for row, divisor in condition.coordinates:
        parts.append(f"(>= {apply(row)} 0)")
        if divisor != 1:
            parts.append(f"(= (mod {apply(row)} {number(divisor)}) 0)")
    return conjunction(parts)
