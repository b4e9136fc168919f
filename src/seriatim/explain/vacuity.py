"""Warns where a verdict says little: requests that no complete run contains, answers that reveal nothing,
specified answers that no request gives.

A macro system has at least the moves of all complete runs. So an answer that none of its moves gives is in no
complete run.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from seriatim.frontends.ser.warnings import never_answered
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.program.syntax import (
    Assign,
    Expression,
    Handler,
    If,
    Number,
    Return,
    Sequence,
    While,
    Yield,
    is_global,
    walk,
    yields,
)
from seriatim.source import Diagnostic, Severity, quote, warning
from seriatim.systems.unfolding import ProgramUnfolding

if TYPE_CHECKING:
    from seriatim.systems.from_input import Origin
    from seriatim.systems.slicing import MacroSystem


SILENT = "always gives the same answer, so a lost update in it may not show"
REMEDY = "let each request answer what it has seen or done, or add --observe all"
"""What to do about answers that reveal nothing."""


def warn_of_unanswered(system: "MacroSystem") -> tuple[Diagnostic, ...]:
    """A warning for each request that no complete run contains."""
    answered = _find_answered(system)
    origin = system.origin
    handlers = origin.program.handlers if isinstance(origin, ProgramUnfolding) else ()
    spans = dict(enumerate(handler.span for handler in handlers))
    return tuple(
        never_answered(name, spans.get(request))
        for request, name in enumerate(system.requests)
        if request not in answered
    )


def _find_answered(system: "MacroSystem") -> set[int]:
    """The requests that complete runs may contain."""
    return {
        system.completions[~target][0] for moves in system.table.values() for target, _ in moves if target < 0
    }


def note_constant_answers(system: "MacroSystem") -> tuple[Diagnostic, ...]:
    """A note if requests can be interrupted, but the text alone determines the answers: of all requests, or
    of some that change what others see."""
    origin = system.origin
    if not isinstance(origin, ProgramUnfolding) or system.is_atomic():
        return ()
    constant = constant_handlers(origin.program.handlers)
    if len(constant) == len(origin.program.handlers):
        message = "every handler always gives the same answer, so races between requests cannot show"
        return (Diagnostic("SER709", message, hint=REMEDY, severity=Severity.NOTE),)
    answered = {system.requests[request] for request in _find_answered(system)}
    silent = {
        handler.span: handler.name
        for handler in constant
        if handler.name in answered and may_lose_updates(handler)
    }
    return tuple(
        Diagnostic("SER709", f"{quote(name)} {SILENT}", span, REMEDY, Severity.NOTE)
        for span, name in silent.items()
    )


def constant_handlers(handlers: Iterable[Handler]) -> tuple[Handler, ...]:
    """Claim: no two requests of one of these handlers get different answers, whatever is done to the
    globals."""
    return tuple(handler for handler in handlers if _is_constant(handler))


def may_lose_updates(handler: Handler) -> bool:
    """Whether it yields, and gives a global a value that depends on what it has read or chosen."""
    return yields(handler.body) and any(
        isinstance(part, Assign) and is_global(part.name) and not isinstance(part.value, Number)
        for part in walk(handler.body)
    )


def _is_constant(handler: Handler) -> bool:
    values = _values(handler.body)
    for part in walk(handler.body):
        if isinstance(part, Return):
            values |= _values(part.value)
    return None not in values and len(values) <= 1


def _values(expression: Expression) -> set[int | None]:
    """The values that an expression may have; None stands for those that the text does not tell."""
    match expression:
        case Number(value=value):
            return {value}
        case While() | Yield():
            return {0}
        case Return():
            return set()
        case Assign(value=value):
            return _values(value)
        case Sequence(items=(*_, last)):
            return _values(last)
        case If(then=then, otherwise=otherwise):
            return _values(then) | ({0} if otherwise is None else _values(otherwise))
        case _:
            return {None}


def warn_of_missing_answers(specification: "Specification", origin: "Origin") -> tuple[Diagnostic, ...]:
    """A warning for each specified answer that no request gives, if all reachable states were explored."""
    if not isinstance(specification.meaning, SpecificationAutomaton):
        return ()
    given = {(origin.requests[request], response) for request, response in origin.completions}
    first = {(step.request, step.response): step.span.line for step in reversed(specification.meaning.steps)}
    return tuple(
        warning(
            "SER224",
            f"{specification.name}, line {line}: no `{request}` is ever answered {response}",
            None,
            "perhaps the request gives a wrong answer, or the specification has a typo",
        )
        for (request, response), line in sorted(first.items(), key=lambda item: item[1])
        if (request, response) not in given
    )
