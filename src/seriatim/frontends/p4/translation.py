"""Translates packet programs: finds the part that matters and the kinds of packets, and builds the model."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from seriatim.frontends.p4.assuming import approximations
from seriatim.frontends.p4.choosing import Choices
from seriatim.frontends.p4.code import Random, ReadCell, WriteCell, steps
from seriatim.frontends.p4.entries import read_entries
from seriatim.frontends.p4.exploring import Explored, explore
from seriatim.frontends.p4.model import Model, ModelBuilder
from seriatim.frontends.p4.models import Model as Atomicity
from seriatim.frontends.p4.parser import parse
from seriatim.frontends.p4.refusal import MARK, UNBOUNDED, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.scopes import Scopes, read_marks
from seriatim.frontends.p4.slicing import Slice, slice_switch
from seriatim.frontends.p4.switch import Switch, read_switch
from seriatim.frontends.p4.syntax import Program
from seriatim.frontends.protocol import (
    Approximation,
    ApproximationKind,
    Settings,
    Translation,
    provenance,
)
from seriatim.program.syntax import Handler, Number
from seriatim.program.syntax import Program as CoreProgram
from seriatim.source import Diagnostic, InputError, Severity, SourceText

NAME = "p4"
MODEL = "p4-model"
ENTRIES = "entries"
SCOPE = "scope"
INCLUDE = "include"


@dataclass(frozen=True, slots=True)
class Analysis:
    """All results about a packet program."""

    tree: Program
    switch: Switch
    part: Slice
    scopes: Scopes
    explored: Explored
    model: Model
    atomicity: Atomicity


def translate_source(source: SourceText, settings: Settings) -> Translation:
    """Translates a packet program; raises `InputError`."""
    try:
        analysis = analyse(source, settings)
    except SharesNothing as alone:
        return translate_stateless(source, settings, alone.switch)
    return Translation(
        analysis.model.program,
        observed=observed_registers(analysis),
        events=analysis.model.pauses,
        approximations=approximations(analysis),
        exact=False,
        replayer=NAME,
        provenance=provenance(NAME, source, settings),
        ranges_are_scopes=analysis.model.program.can_fail,
        questions=("serializable",),
        scope_report=report_scopes(analysis),
        escape=doubt(analysis),
        doubt_hint="widen the scopes, or look at the model with --emit-model FILE",
    )


class SharesNothing(InputError):
    """Raised for a program whose packets share no state, for those who need a model with registers."""

    def __init__(self, switch: Switch) -> None:
        hint = "nothing that leaves the switch depends on a register, and no register is written"
        super().__init__([Diagnostic(UNSUPPORTED, "packets share no state", hint=hint)])
        self.switch = switch


def translate_stateless(source: SourceText, settings: Settings, switch: Switch) -> Translation:
    """A program whose packets share no state: what happens to a packet does not depend on others.

    All code was read, and all that keeps state from one packet to the next is a register, or was refused. A
    register that no packet writes has the contents that the control plane gave it, like a table. A copy of a
    packet, a packet that comes back and a message to the control plane carry their state along: they are
    functions of the packet, too, and of its random numbers.
    """
    span = switch.ingress.span
    reason = "packets share no state: nothing that leaves the switch depends on a register that packets write"
    found = [Approximation(ApproximationKind.ASSUMPTION, reason)]
    read = {step.register.name: step.register for step in steps(switch.code) if isinstance(step, ReadCell)}
    for name, register in read.items():
        sentence = f"{name}: only the control plane writes it, and not between two steps of a packet"
        found.append(Approximation(ApproximationKind.ASSUMPTION, sentence, register.span))
    found += [Approximation(ApproximationKind.ASSUMPTION, f"left out: {each}") for each in switch.silent]
    return Translation(
        CoreProgram((), (Handler("packet", Number(0, span), span),)),
        approximations=tuple(dict.fromkeys(found)),
        provenance=provenance(NAME, source, settings),
        questions=("serializable",),
        scope_report=(("registers", "none that matters"),),
    )


def analyse(source: SourceText, settings: Settings) -> Analysis:
    """Analyses a packet program, once; raises `InputError` with all refusals."""
    relevant = tuple(sorted((name, text) for name, text in settings.items()))
    return _analysis(source, relevant, _read(source, settings).included)


def _read(source: SourceText, settings: Settings) -> Program:
    return parse(source, tuple(map(Path, settings.get(INCLUDE, "").splitlines())))


@lru_cache(maxsize=4)
def _analysis(
    source: SourceText, settings: tuple[tuple[str, str], ...], _included: tuple[str, ...]
) -> Analysis:
    """The analysis, which depends on the files that the program includes, too."""
    return analyse_tree(_read(source, dict(settings)), source, dict(settings))


def analyse_tree(tree: Program, source: SourceText, settings: Settings) -> Analysis:
    """Analyses a program from its tree, such as one with an additional `@atomic` block."""
    atomicity = choose_model(settings)
    given = read_entries(settings.get(ENTRIES, ""), tree)
    switch = read_switch(tree, given)
    part = slice_switch(switch)
    if not any(isinstance(step, WriteCell) for step in steps(switch.code)):
        raise SharesNothing(switch)
    switch.passes.refuse_unknown((switch.egress,))
    if not part.registers:
        raise SharesNothing(switch)
    _refuse_elsewhere(switch, source)
    scopes = Scopes(switch, Choices(switch.code, part))
    scopes.read((*tree.marks, *read_marks(settings.get(SCOPE, ""))))
    explored = explore(switch, part, scopes, atomicity)
    lines = source.text.split("\n")
    model = ModelBuilder(explored, lines, switch.ingress.span).build()
    return Analysis(tree, switch, part, scopes, explored, model, atomicity)


def _refuse_elsewhere(switch: Switch, source: SourceText) -> None:
    """Raises `InputError` for operations in included files: runs are told with lines of the program."""
    for step in steps(switch.code):
        if isinstance(step, ReadCell | WriteCell | Random) and step.span.file not in ("", source.name):
            hint = "move the control or action into the program itself"
            what = "an operation on a register in an included file is not supported"
            raise refuse(UNSUPPORTED, what, step.span, hint)


def doubt(analysis: Analysis) -> Diagnostic | None:
    """Why a proof would say nothing about the program, or only about some contents of registers that nobody
    wrote; None if it does say something. It is a note, since the scopes were chosen.

    A register that was narrowed counts modulo a number that is not its own: packets may write values that
    were not explored.
    """
    none = "no violation was found, with any number of requests"
    for dead in analysis.explored.dead:
        line = "" if dead.span is None else f" in line {dead.span.line}"
        known = dead.message.replace("this comparison", f"the comparison{line}", 1)
        return replace(dead, message=f"{none}, but {known}, which was chosen", severity=Severity.NOTE)
    for name, width in analysis.scopes.choices.widths.items():
        if name in analysis.part.registers:
            short = name.rpartition(".")[2]
            message = f"while {quote_name(short)} counts modulo {1 << width}, {none}"
            hint = f"for a proof about this, write // ser: {short} width {width}"
            return Diagnostic(UNBOUNDED, message, analysis.scopes.known[name].span, hint, Severity.NOTE)
    return None


def choose_model(settings: Settings) -> Atomicity:
    given = settings.get(MODEL, Atomicity.SPEC.value)
    try:
        return Atomicity(given)
    except ValueError:
        raise refuse(MARK, f"unknown model {given!r}", None, f"use {', '.join(Atomicity)}") from None


def observed_registers(analysis: Analysis) -> tuple[str, ...]:
    """The registers whose final values count: all of them if answers depend on no register, else none."""
    if analysis.part.answers:
        return ()
    return tuple(name for name in analysis.model.program.variables if not name.startswith("egress.thread"))


def report_scopes(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """Reports the registers, answers, kinds of packets and pauses of the model."""
    lines: list[tuple[str, str]] = []
    registers = {each.name: each for each in analysis.scopes.known.values()}
    for name, register in registers.items():
        if name not in analysis.part.registers:
            meaning = "left out: no answer depends on it"
        else:
            values = analysis.explored.contents.get(name, (0,))
            meaning = f"its values: {', '.join(map(str, values))}"
        lines.append((f"line {register.span.line}: register {name}", meaning))
    lines += [(f"answer: {path}", "depends on registers") for path in analysis.part.answers]
    if not analysis.part.answers:
        lines.append(("answer", "depends on no register: the final registers are compared"))
    for name, kinds in analysis.model.kinds.items():
        count = f"{len(kinds)} kinds of packets" if len(kinds) > 1 else "1 kind of packet"
        lines.append((name, count))
    lines += [
        (f"line {span.line}: pause before", what) for span, what in sorted(analysis.model.pauses.items())
    ]
    return tuple(lines)
