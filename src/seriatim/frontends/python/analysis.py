"""A service from its text: what its state and its requests are, and the model that stands for it."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from seriatim.frontends.protocol import (
    Approximation,
    ApproximationKind,
    Settings,
    Translation,
    provenance,
)
from seriatim.frontends.python.completeness import demand_complete
from seriatim.frontends.python.discovery import Service, find_service
from seriatim.frontends.python.domains import Atoms
from seriatim.frontends.python.handlers import Lowered, Mode, cells, lower
from seriatim.frontends.python.marks import read_marks
from seriatim.frontends.python.module import Module
from seriatim.frontends.python.places import Places, Refused
from seriatim.frontends.python.state import Cell, Instance, Item, Keyed, Queue, Variable, cells_of
from seriatim.program.syntax import InitialValue, Program, mentioned_globals
from seriatim.source import Diagnostic, InputError, SourceText, Span

NAME = "python"


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is known about a service."""

    module: Module
    atoms: Atoms
    service: Service
    lowered: Lowered


def translation(source: SourceText, settings: Settings) -> Translation:
    """What a service stands for; raises `InputError`."""
    analysis = analyse(source, settings)
    demand_state(analysis)
    given = {**settings, "module": analysis.module.name}
    if any(analysis.lowered.limits.values()):
        given["python"] = ".".join(map(str, python_version(settings)))
    return Translation(
        model(analysis),
        observed=choose_observed(analysis),
        events=analysis.lowered.pauses,
        approximations=approximations(analysis, settings),
        exact=False,
        replayer=NAME,
        provenance=provenance(NAME, source, given),
        ranges_are_scopes=True,
        scope_report=report(analysis),
    )


def demand_state(analysis: Analysis) -> None:
    """Raises `InputError` if all that requests share is outside: a verdict would be about nothing."""
    lowered = analysis.lowered
    outside = [gate.span for gate in lowered.gates.values() if gate.slot or gate.is_block]
    if outside and not any(mentioned_globals(request.handler.body) for request in lowered.requests):
        hint = (
            "what a database or another service keeps is not looked at: keep what races in a variable of this"
        )
        hint += " file, or check transactions as SQL (see the guides)"
        message = "requests share no state of this file, so there is nothing to decide"
        raise InputError([Diagnostic("SER922", message, min(outside), hint)])


def analyse(source: SourceText, settings: Settings) -> Analysis:
    """Raises `InputError` with everything that is refused."""
    places = Places(source)
    try:
        tree = ast.parse(source.text)
    except SyntaxError as error:
        line = error.lineno or 1
        span = Span(line, error.offset or 1, line, (error.offset or 1) + 1, source.name)
        hint = "Python itself does not accept this file"
        raise InputError([Diagnostic("SER921", f"no Python: {error.msg}", span, hint)]) from None
    atoms = Atoms()
    try:
        marks = read_marks(source.text, settings.get("scope", ""))
        name = settings.get("module") or module_name(source.name)
        module = Module(tree, places, marks, name)
        mode = Mode("cancel" in settings, python_version(settings))
        found = find_service(module, atoms, settings.get("service", ""))
        service, lowered = lower_service(module, atoms, found, mode)
    except Refused as refused:
        raise places.error([refused]) from None
    is_partial = bool(lowered.refusals)
    left_out = demand_complete(module, service.owner, service.root, set(lowered.executed), is_partial)
    refusals = [*service.refusals, *lowered.refusals, *left_out]
    if refusals:  # What follows from others would only confuse.
        raise places.error([each for each in refusals if not each.follows] or refusals)
    return Analysis(module, atoms, service, lowered)


def module_name(file: str) -> str:
    """What variables of a file are called after: an identifier, also for `2-factor.py`."""
    name = re.sub(r"\W", "_", PurePath(file).stem) or "module"
    return f"_{name}" if name[0].isdigit() else name


def lower_service(module: Module, atoms: Atoms, service: Service, mode: Mode) -> tuple[Service, Lowered]:
    """Where the values of an `int` without a scope matter, it may be any integer. If something else needs
    bounds, that is said; if `int` does not fit at all, what is wrong is that it has no scope."""
    lowered = lower(module, atoms, service, mode)
    opened = service.open_integers()
    if not lowered.refusals or opened == service:
        return service, lowered
    try:
        again = lower(module, atoms, opened, mode)
    except Refused:
        return service, lowered
    needs_bounds = all(each.code == "SER924" for each in again.refusals)
    is_better = list_refusals(again) < list_refusals(lowered)
    return (opened, again) if needs_bounds or is_better else (service, lowered)


def list_refusals(lowered: Lowered) -> set[tuple[str, str, int]]:
    """What is refused, and where."""
    return {(each.code, each.message, getattr(each.node, "lineno", 0)) for each in lowered.refusals}


def python_version(settings: Settings) -> tuple[int, int]:
    """The version that a certificate was made with, or else this one."""
    recorded = settings.get("python", "")
    major, _, minor = recorded.partition(".")
    return (int(major), int(minor)) if recorded else sys.version_info[:2]


def model(analysis: Analysis) -> Program:
    """The program that stands for the service."""
    bodies = [request.handler.body for request in analysis.lowered.requests]
    bodies += [each.body for each in analysis.lowered.unbounded]
    used = {part for body in bodies for part in mentioned_globals(body)}
    variables = [cell for cell in cells(analysis.service) if cell.name in used]
    return Program(
        tuple(
            InitialValue(
                cell.name, cell.initial, Span(cell.line, 1, cell.line, 1, analysis.module.places.source.name)
            )
            for cell in variables
        ),
        tuple(request.handler for request in analysis.lowered.requests),
        value_names=value_names(analysis, variables),
        answer_names=analysis.lowered.answer_names,
        unbounded_handlers=analysis.lowered.unbounded,
    )


def value_names(analysis: Analysis, variables: list[Cell]) -> dict[str, dict[int, str]]:
    """How Python writes the values of variables."""
    atoms, domains = analysis.atoms, analysis.lowered.local_domains
    found: dict[str, dict[int, str]] = {}
    for cell in variables:
        domain = cell.scope if cell.scope is not None else domains.get(cell.family)
        if domain is None:
            domain = cell.start
        if not cell.is_observable:
            continue
        names = {atoms.code(atom): atom.text for atom in domain.in_order()}
        if domain.is_boolean:
            names |= {0: "False", 1: "True"}
        if names:
            found[cell.name] = names
    for name, domain in domains.items():
        names = {atoms.code(atom): atom.text for atom in domain.in_order()}
        if domain.is_boolean:
            names |= {0: "False", 1: "True"}
        if names and name not in found:
            found[name] = names
    return found


def choose_observed(analysis: Analysis) -> tuple[str, ...]:
    """The variables of the state, if answers tell nothing: then their final values count."""
    lowered = analysis.lowered
    if any(count != 1 for count in lowered.answer_counts.values()):
        return ()
    used = {part for request in lowered.requests for part in mentioned_globals(request.handler.body)}
    return tuple(
        sorted(cell.name for cell in cells(analysis.service) if cell.is_observable and cell.name in used)
    )


def approximations(analysis: Analysis, settings: Settings) -> tuple[Approximation, ...]:
    """Scopes, marks, locks; and that nobody is cancelled, unless somebody asked for that, or nobody waits."""
    found = (*scopes(analysis), *analysis.lowered.approximations, *_left_out(analysis))
    if "cancel" in settings or not analysis.lowered.pauses:
        return found
    sentence = "no request is cancelled while it waits (to allow that: --cancel)"
    return (*found, Approximation(ApproximationKind.ASSUMPTION, sentence))


def _left_out(analysis: Analysis) -> Iterator[Approximation]:
    """Functions that a framework calls, but that somebody says are no requests."""
    module = analysis.module
    for function in module.functions.values():
        mark = module.mark(function)
        if module.is_route(function) and mark is not None and mark.word == "internal":
            sentence = f"`{function.name}` changes nothing besides what the requests here do"
            span = module.places.line_span(function.lineno)
            yield Approximation(ApproximationKind.ASSUMPTION, sentence, span, "# ser: internal")


def state_expressions(analysis: Analysis, names: tuple[str, ...]) -> list[str]:
    """How the real service is asked for the values of variables."""
    kinds = {cell.name: expression for cell, expression in real_expressions(analysis)}
    return [kinds[name] for name in names]


def real_expressions(analysis: Analysis) -> Iterator[tuple[Cell, str]]:
    """Each variable of the state with an expression for its value, in terms of the real objects."""
    for root in (analysis.service.owner, analysis.service.root):
        if root is not None:
            yield from _expressions(root, analysis)


def _expressions(item: Item, analysis: Analysis) -> Iterator[tuple[Cell, str]]:
    match item:
        case Variable(cell=cell):
            yield cell, cell.name
        case Keyed(kind="set", name=name, entries=entries, key_domain=keys):
            for key, entry in entries.items():
                for cell in cells_of(entry):
                    yield cell, f"({keys.name(key, analysis.atoms)} in {name})"
        case Queue(cells=items, length=length, is_last_first=is_last_first):
            name = length.name.removesuffix(".qsize")
            yield length, f"{name}.qsize()"
            for index, cell in enumerate(items):
                order = "[::-1]" if is_last_first else ""
                yield cell, f"list({name}._queue){order}[{index}]"
        case Keyed(entries=entries):
            for entry in entries.values():
                yield from _expressions(entry, analysis)
        case Instance(members=members):
            for member in members.values():
                yield from _expressions(member, analysis)
        case _:
            return


def scopes(analysis: Analysis) -> tuple[Approximation, ...]:
    """The bounds that somebody has set for the sake of checking."""
    found: dict[Approximation, None] = {}
    for cell in cells(analysis.service):
        if cell.scope is not None and cell.scope.is_scope:
            sentence = f"{cell.family.removesuffix('[]')} stays in {cell.scope}; leaving it is a fault"
            span = analysis.module.places.line_span(cell.line)
            found[Approximation(ApproximationKind.SCOPE, sentence, span)] = None
    for source in analysis.service.handlers:
        for parameter in source.parameters:
            if parameter.values is not None and parameter.values.is_scope:
                sentence = (
                    f"`{source.function.name}` is called with {parameter.name} in {parameter.values} alone"
                )
                span = analysis.module.places.line_span(source.function.lineno)
                found[Approximation(ApproximationKind.SCOPE, sentence, span)] = None
    return tuple(found)


def report(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """What was taken for what."""
    lines: list[tuple[str, str]] = []
    for cell in cells(analysis.service):
        domain = cell.scope or analysis.lowered.local_domains.get(cell.family)
        if not cell.is_observable:
            lines.append((f"line {cell.line}: {cell.name}", "a lock, an event, or what belongs to one"))
            continue
        start = cell.start.name(cell.initial, analysis.atoms)
        values = "" if domain is None else f"; its values: {domain}"
        lines.append((f"line {cell.line}: {cell.name}", f"state, starts with {start}{values}"))
    lines += [
        (f"line {request.handler.span.line}: {request.name}", "request")
        for request in analysis.lowered.requests
    ]
    starts = {source.function.name: source.function.lineno for source in analysis.service.handlers}
    lines += [
        (
            f"line {starts[each.name.partition('(')[0]]}: {each.name}",
            "request with any integers; those with numbers are examples",
        )
        for each in analysis.lowered.unbounded
        if each.parameters
    ]
    lines += [(f"line {span.line}: pause", what) for span, what in sorted(analysis.lowered.pauses.items())]
    return tuple(lines)
