"""Finds the details beyond a result that only some faces show: reasons, firings, blame, pictures."""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.chains import ChainEvidence
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.deciding.pipeline import Options
from seriatim.explain.because import reasons
from seriatim.explain.explanation import Blame, Detail, Drawing, Explanation, Firing, Reason, Remark, Repair
from seriatim.explain.firing import firings
from seriatim.explain.retracing import retrace
from seriatim.explain.thread_reasons import explain_threads
from seriatim.frontends.languages import SER, language_of
from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.repair.blame import blame
from seriatim.repair.search import may_hang, repairs
from seriatim.repair.text_changes import has_changes, proved_changes
from seriatim.result import Holds, Result, Violated
from seriatim.show.views import TITLES, PicturedView, View, picture
from seriatim.source import InputError
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.replay import ImpossibleTurn, TooManyTurns

SECONDS_TO_DRAW = 5.0
SECONDS_TO_REPAIR = 10.0
MOST_REPAIRS_TRIED = 12
STATES_TO_DRAW = Limits(max_states=5_000)
PICTURED: tuple[PicturedView, ...] = (View.NS, View.SERIAL, View.NET)


def elaborate(
    content: Input,
    result: Result,
    details: frozenset[Detail],
    options: Options,
    settings: Settings = NO_SETTINGS,
) -> Explanation:
    """Explains a result about an input, within the limits of the options, counted from now; `settings` are
    those with which it was read."""
    deadline = Deadline(options.timeout, options.max_memory)
    return Explanation(
        tuple(_reasons(content, result, options.limits, deadline)) if Detail.REASONS in details else (),
        tuple(_firings(content, result, options.limits, deadline)) if Detail.FIRINGS in details else (),
        _blame(content, result) if Detail.BLAME in details else None,
        tuple(draw(view, content) for view in PICTURED) if Detail.PICTURES in details else (),
        repairs_of(result, options, settings) if Detail.REPAIRS in details else (),
    )


def elaborate_threads(
    program: ThreadProgram,
    result: Result,
    details: frozenset[Detail],
    options: Options,
    settings: Settings = NO_SETTINGS,
    *,
    is_default: bool = True,
) -> Explanation:
    """Explains what a proof about threads rests on, and how to mend a program that has none."""
    told: tuple[Reason, ...] = ()
    if isinstance(result.answer, Holds):
        found = explain_threads(program, result.answer.certificate.evidence)
        told = tuple(Remark(sentence) for sentence in found)
    mended = Detail.REPAIRS in details
    changes = repairs_of(result, options, settings, is_default=is_default) if mended else ()
    return Explanation(told, repairs=changes)


def _reasons(content: Input, result: Result, limits: Limits, deadline: Deadline) -> Iterator[Reason]:
    if not isinstance(result.answer, Holds):
        return
    evidence = result.answer.certificate.evidence
    counts = isinstance(evidence, CoverEvidence | TreeEvidence | ChainEvidence)
    if counts and result.property != SERIALIZABILITY:
        return  # The counts are about states of a derived system, which would not help readers.
    yield from reasons(evidence, unfold(content, limits, deadline), limits, deadline)


def _firings(content: Input, result: Result, limits: Limits, deadline: Deadline) -> Iterator[Firing]:
    if not isinstance(result.answer, Violated):
        return
    try:
        run, origin = retrace(result.answer.certificate.evidence, content, limits, deadline)
    except (ImpossibleTurn, TooManyTurns, LimitReached, OutOfBudget):
        return
    yield from firings(run, origin)


def _blame(content: Input, result: Result) -> Blame | None:
    is_known = isinstance(result.answer, Violated) and result.property == SERIALIZABILITY
    return blame(content, result.source.text) if is_known and isinstance(content, Program) else None


def repairs_of(
    result: Result, options: Options, settings: Settings = NO_SETTINGS, *, is_default: bool = True
) -> tuple[Repair, ...]:
    """Proved changes of a file whose result this is; none where the answer is yes, or not known."""
    hurried = replace(options, timeout=SECONDS_TO_REPAIR)
    deadline = Deadline(SECONDS_TO_REPAIR, options.max_memory)
    if has_changes(result.source.name):
        found = proved_changes(result, settings, hurried, deadline, is_default=is_default)
        return tuple(Repair(each.title, each.meaning, each.text) for each in found)
    is_known = isinstance(result.answer, Violated) and result.property == SERIALIZABILITY
    if not is_known or language_of(result.source) is not SER:
        return ()
    try:
        program = parse(result.source.text, result.source.name)
        tried = repairs(program, result.source.text, hurried, MOST_REPAIRS_TRIED, hangs=may_hang(result))
    except (InputError, OutOfBudget):
        return ()
    return tuple(Repair(each.title, each.meaning, each.text) for each in tried.found)


def draw(view: PicturedView, content: Input) -> Drawing:
    """A picture of an input, or of its first states if it is too large to read."""
    try:
        found, left_out = picture(view, content, STATES_TO_DRAW, Deadline(SECONDS_TO_DRAW))
    except OutOfBudget:
        return Drawing(TITLES[view], None)
    return Drawing(TITLES[view], found, left_out)
