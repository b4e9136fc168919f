"""Variables that are named in vain: read where they are always 0, or given values that nobody reads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from seriatim.language.lexer import quote
from seriatim.language.syntax import (
    Assign,
    Expression,
    Handler,
    Program,
    Read,
    While,
    children,
    is_global,
    name_span,
    walk,
)
from seriatim.language.warnings.spelling import did_you_mean
from seriatim.source import Diagnostic, Span, warning


def findings(program: Program) -> Iterator[Diagnostic]:
    globals_ = _Globals(
        {initial.name: initial.span for initial in program.initial_values},
        _first_places(program, Read),
        _first_places(program, Assign),
    )
    yield from _used_by_nobody(globals_)
    yield from _never_given_a_value(globals_, program)
    yield from _never_read(globals_)
    for handler in program.handlers:
        yield from _unset_locals(handler, globals_)


@dataclass(frozen=True, slots=True)
class _Globals:
    """The globals that have initial values, are read, are assigned to; each with the first such place."""

    initial: dict[str, Span]
    reads: dict[str, Span]
    writes: dict[str, Span]

    @property
    def given(self) -> dict[str, Span]:
        """Those that somebody gives a value to."""
        return self.initial | self.writes


def _first_places(program: Program, kind: type[Read] | type[Assign[Expression]]) -> dict[str, Span]:
    places: dict[str, Span] = {}
    for handler in program.handlers:
        for part in walk(handler.body):
            if isinstance(part, kind) and is_global(part.name):
                places.setdefault(part.name, name_span(part))
    return places


def _used_by_nobody(globals_: _Globals) -> Iterator[Diagnostic]:
    """Claim: without the initial value, the program means the same."""
    used = globals_.reads | globals_.writes
    for name, span in globals_.initial.items():
        if name not in used:
            message = f"no handler uses {quote(name)}"
            yield warning("SER703", message, span, _hint(name, used, "remove its initial value, or use it"))


def _never_given_a_value(globals_: _Globals, program: Program) -> Iterator[Diagnostic]:
    """Claim: the global is always 0, and nothing in the text says so."""
    others = set(globals_.given).union(*(_assigned_locals(handler.body) for handler in program.handlers))
    for name, span in globals_.reads.items():
        if name not in globals_.given:
            message = f"{quote(name)} is read, but nobody gives it a value: it is always 0"
            otherwise = (
                f"assign to it in a handler; if it is a constant, write {quote(name + ' := 0')} on top"
            )
            yield warning("SER702", message, span, _hint(name, others, otherwise))


def _never_read(globals_: _Globals) -> Iterator[Diagnostic]:
    """Claim: nobody reads the global, so no answer depends on it; and one that is in use is named alike."""
    in_use = globals_.reads.keys() & globals_.given.keys()
    for name, span in globals_.writes.items():
        meant = did_you_mean(name, in_use)
        if name not in globals_.reads and meant is not None:
            message = f"{quote(name)} is assigned to, but nobody reads it"
            yield warning("SER704", message, span, f"did you mean {quote(meant)}?")


def _unset_locals(handler: Handler, globals_: _Globals) -> Iterator[Diagnostic]:
    """Claim: whenever this read takes place, the request has not assigned to the local: it is 0.

    An assignment comes before a read only if it stands before it in the text, or in a loop around it.
    """
    locals_ = _assigned_locals(handler.body)
    written: set[str] = set()
    told: set[str] = set()

    def visit(expression: Expression, in_loop: bool = False) -> Iterator[Diagnostic]:
        if isinstance(expression, While) and not in_loop:
            written.update(_assigned_locals(expression))
            in_loop = True
        for child in children(expression):
            yield from visit(child, in_loop)
        match expression:
            case Assign(name=name):
                written.add(name)
            case Read(name=name) if not (is_global(name) or name in written or name in told):
                told.add(name)
                why = (
                    " before anything is assigned" if name in locals_ else ", but this handler never assigns"
                )
                message = f"{quote(name)} is read{why} to it: it is 0"
                hint = _hint(name, locals_ | globals_.given.keys(), "assign to it before, or write 0")
                yield warning("SER701", message, expression.span, hint)

    yield from visit(handler.body)


def _assigned_locals(expression: Expression) -> set[str]:
    return {part.name for part in walk(expression) if isinstance(part, Assign) and not is_global(part.name)}


def _hint(name: str, others: Iterable[str], otherwise: str) -> str:
    meant = did_you_mean(name, others)
    return otherwise if meant is None else f"did you mean {quote(meant)}?"
