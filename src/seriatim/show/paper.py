"""Steps of the paper's pipeline: the regular expression of serial runs, their semilinear set, the query."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation
from seriatim.arithmetic.semilinear.kleene import regular_expression
from seriatim.arithmetic.semilinear.regex import Regex, size, write_regex
from seriatim.arithmetic.semilinear.sets import SemilinearSet, Word
from seriatim.budget import Deadline
from seriatim.engines.paper.engine import prepare
from seriatim.engines.paper.record import PaperRecord
from seriatim.engines.paper.serial_language import SerialLanguage, serial_language
from seriatim.explain.names import completion_text
from seriatim.method import ALL_OPTIMIZATIONS
from seriatim.petri.from_system import Answered, InterleavingNet
from seriatim.petri.goals import must_be_empty
from seriatim.report.tables import Page, TextTable
from seriatim.show.labels import count_text
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.closure import closure
from seriatim.systems.from_input import Origin, explain_limit
from seriatim.systems.limits import LimitReached, Limits

MAX_WRITTEN = 20_000
"""The most letters of an expression that is written out."""


@dataclass(frozen=True, slots=True)
class RegexView:
    """The regular expression of all serial runs; letters are request/response."""

    regex: Regex
    letters: tuple[str, ...]

    def page(self) -> Page:
        found = size(self.regex)
        heading = (
            f"Regular expression: {count_text(found.letters, 'letter')}, "
            f"{count_text(found.parts, 'different part')}, star height {found.star_height}"
        )
        return Page(heading, (TextTable("Expression", ("",), ((self.text(),),)),))

    def text(self) -> str:
        if size(self.regex).letters > MAX_WRITTEN:
            return "(too long to be written out)"
        return write_regex(self.regex, self.letters.__getitem__)

    def data(self) -> dict[str, object]:
        found = size(self.regex)
        return {
            "regex": self.text(),
            "letters": found.letters,
            "parts": found.parts,
            "star_height": found.star_height,
        }


@dataclass(frozen=True, slots=True)
class SemilinearView:
    """Ser as bases and periods, entries by request/response."""

    serial: SemilinearSet
    completions: tuple[str, ...]

    def page(self) -> Page:
        rows = tuple(
            (str(number), self.sum(part.base), ", ".join(map(self.sum, part.periods)))
            for number, part in enumerate(self.serial.components, 1)
        )
        heading = f"Semilinear set of serial outcomes: {count_text(len(rows), 'component')}"
        return Page(heading, (TextTable("Components", ("", "base", "any number of"), rows),))

    def sum(self, word: Word) -> str:
        return vector_text(word.counts, self.completions)

    def data(self) -> dict[str, object]:
        return {
            "completions": self.completions,
            "components": [
                {"base": part.base.counts, "periods": [period.counts for period in part.periods]}
                for part in self.serial.components
            ],
        }


@dataclass(frozen=True, slots=True)
class QueryView:
    """Answers that no serial run gives, as disjuncts about the net's places, with no request in flight."""

    interleaving: InterleavingNet
    disjuncts: tuple[Conjunction, ...]

    def page(self) -> Page:
        rows = tuple((str(number), self.disjunct(goal)) for number, goal in enumerate(self.disjuncts, 1))
        heading = f"Reachability query: {count_text(len(rows), 'disjunct')}, each with no request in flight"
        return Page(heading, (TextTable("Disjuncts", ("", "answers"), rows),))

    def disjunct(self, goal: Conjunction) -> str:
        return " and ".join(self.conditions(goal)) or "any"

    def conditions(self, goal: Conjunction) -> Iterator[str]:
        """The constraints on answers, and the definitions of their quotients."""
        names = (*place_names(self.interleaving), *(f"q{i + 1}" for i in range(len(goal.quotients))))
        answered = {i for i, place in enumerate(self.interleaving.places) if isinstance(place, Answered)}
        in_flight = must_be_empty(goal) - answered
        for constraint in goal.constraints:
            if not {variable for variable, _ in constraint.form.terms} <= in_flight:
                yield constraint_text(constraint, names)
        for index, (form, divisor) in enumerate(goal.quotients):
            yield f"q{index + 1} = ⌊({form_text(form, names)}) / {divisor}⌋"

    def data(self) -> dict[str, object]:
        return {"disjuncts": [list(self.conditions(goal)) for goal in self.disjuncts]}


def vector_text(vector: Sequence[int], names: Sequence[str]) -> str:
    return form_text(Form(tuple((i, n) for i, n in enumerate(vector) if n)), names)


def form_text(form: Form, names: Sequence[str]) -> str:
    parts = [names[v] if c == 1 else f"{c}·{names[v]}" for v, c in form.terms]
    if form.constant or not parts:
        parts.append(str(form.constant))
    return " + ".join(parts)


def constraint_text(constraint: Constraint, names: Sequence[str]) -> str:
    """A constraint with natural numbers only: negative terms move to the other side."""
    form = constraint.form
    left = Form(tuple((v, c) for v, c in form.terms if c > 0), max(0, form.constant))
    right = Form(tuple((v, -c) for v, c in form.terms if c < 0), max(0, -form.constant))
    sign = "=" if constraint.relation is Relation.IS_ZERO else "≥"
    return f"{form_text(left, names)} {sign} {form_text(right, names)}"


def place_names(interleaving: InterleavingNet) -> tuple[str, ...]:
    """Answered requests by request and response, everything else by the name of its place."""
    system = interleaving.system
    return tuple(
        completion_text(system.requests[place.request], system.responses[place.response])
        if isinstance(place, Answered)
        else name
        for place, name in zip(interleaving.places, interleaving.net.places, strict=True)
    )


def answered_names(interleaving: InterleavingNet) -> tuple[str, ...]:
    names = zip(interleaving.places, place_names(interleaving), strict=True)
    return tuple(name for place, name in names if isinstance(place, Answered))


def letters_of(language: SerialLanguage, origin: Origin) -> tuple[str, ...]:
    """Each edge as request/response."""
    found = (origin.completions[number] for _, number, _ in language.edges)
    return tuple(completion_text(origin.requests[request], response) for request, response in found)


def regex_view(origin: Origin, limits: Limits, deadline: Deadline) -> RegexView:
    try:
        language = serial_language(SerialAutomaton(origin, limits.max_states, deadline))
    except LimitReached as reached:
        raise explain_limit(reached, origin) from None
    return RegexView(regular_expression(language.automaton), letters_of(language, origin))


def prepare_record(origin: Origin, limits: Limits, deadline: Deadline) -> PaperRecord:
    """Runs the pipeline up to its first question."""
    record = PaperRecord(ALL_OPTIMIZATIONS)
    try:
        coverage = closure(origin, limits, deadline)
        prepare(origin, coverage, SerialAutomaton(origin, limits.max_states, deadline), record, deadline)
    except LimitReached as reached:
        raise explain_limit(reached, origin) from None
    return record


def semilinear_view(origin: Origin, limits: Limits, deadline: Deadline) -> SemilinearView:
    record = prepare_record(origin, limits, deadline)
    assert record.serial is not None
    assert record.interleaving is not None
    return SemilinearView(record.serial, answered_names(record.interleaving))


def query_view(origin: Origin, limits: Limits, deadline: Deadline) -> QueryView:
    record = prepare_record(origin, limits, deadline)
    assert record.query is not None
    assert record.interleaving is not None
    return QueryView(record.interleaving, record.query)
