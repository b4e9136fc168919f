"""Variables that have no effect: read where they are always 0, or given values that nobody reads; perhaps
because another name was meant."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from seriatim.frontends.ser.surface import (
    AssignElement,
    Constant,
    Definition,
    Element,
    Enumeration,
    For,
    Lock,
    Surface,
    SurfaceProgram,
    Unlock,
    Variable,
    parts,
)
from seriatim.program.syntax import Assign, Read, While, is_global
from seriatim.source import Diagnostic, Span, quote, warning


@dataclass(frozen=True, slots=True)
class Access:
    """An element of an array counts as the array."""

    name: str
    span: Span
    """The span of the name."""
    reads: bool
    writes: bool


def operands(expression: Surface) -> tuple[Surface, ...]:
    """The immediate subexpressions that are evaluated by themselves, in the order of evaluation."""
    match expression:
        case Lock(target=target) | Unlock(target=target):
            return parts(target)
        case _:
            return parts(expression)


def own_access(expression: Surface) -> Access | None:
    """Returns what the expression does to a variable once its operands are evaluated."""
    match expression:
        case Read() | Element():
            return _access(expression, reads=True, writes=False)
        case Assign() | AssignElement():
            return _access(expression, reads=False, writes=True)
        case Lock(target=target):
            return _access(target, reads=True, writes=True)
        case Unlock(target=target):
            return _access(target, reads=False, writes=True)
        case _:
            return None


def accesses(expression: Surface) -> Iterator[Access]:
    """All of them. Recurses: see `seriatim.program.recursion`."""
    for operand in operands(expression):
        yield from accesses(operand)
    own = own_access(expression)
    if own is not None:
        yield own


Named = Read | Element | Assign[Surface] | AssignElement


def _access(variable: Named, reads: bool, writes: bool) -> Access:
    """The text of all of these begins with the name."""
    return Access(variable.name, variable.span.first(len(variable.name)), reads, writes)


def findings(program: SurfaceProgram) -> Iterator[Diagnostic]:
    all_accesses = [access for definition in program.definitions for access in accesses(definition.body)]
    variables = [access for access in all_accesses if access.name not in constants(program)]
    used = _Used(
        {each.name: each.span for each in program.declarations if isinstance(each, Variable)},
        _first_places(access for access in variables if access.reads),
        _first_places(access for access in variables if access.writes),
    )
    yield from _find_unused(used)
    yield from _never_given_a_value(used)
    yield from _never_read(used)
    for definition in program.definitions:
        yield from _unset_locals(definition, used, constants(program))


def constants(program: SurfaceProgram) -> set[str]:
    """The names of constants."""
    names: set[str] = set()
    for declaration in program.declarations:
        match declaration:
            case Constant(name=name):
                names.add(name)
            case Enumeration(members=members):
                names |= {member.name for member in members}
    return names


@dataclass(frozen=True, slots=True)
class _Used:
    """The globals that are declared, the variables that are read, those that are written; with a place."""

    declared: dict[str, Span]
    reads: dict[str, Span]
    writes: dict[str, Span]

    @property
    def given(self) -> dict[str, Span]:
        """The variables that are assigned somewhere."""
        return self.declared | self.writes


def _first_places(of: Iterable[Access]) -> dict[str, Span]:
    places: dict[str, Span] = {}
    for access in of:
        places.setdefault(access.name, access.span)
    return places


def _find_unused(used: _Used) -> Iterator[Diagnostic]:
    """Warns of variables that are declared and never used. Claim: without them, the program means the
    same."""
    named = used.reads | used.writes
    for name, span in used.declared.items():
        if name not in named:
            message = f"no handler uses {quote(name)}"
            yield warning("SER703", message, span, _hint(name, named, "remove it, or use it"))


def _never_given_a_value(used: _Used) -> Iterator[Diagnostic]:
    """Claim: the global is always 0, and nothing in the text says so."""
    for name, span in used.reads.items():
        if is_global(name) and name not in used.given:
            message = f"{quote(name)} is read, but no handler gives it a value: it is always 0"
            otherwise = f"assign to it in a handler; if it is a constant, write {quote(f'const {name} := 0')}"
            yield warning("SER702", message, span, _hint(name, used.given, otherwise))


def _never_read(used: _Used) -> Iterator[Diagnostic]:
    """Claim: no code reads the global, so no answer depends on it; and a used one has a similar name."""
    in_use = {name for name in used.reads if is_global(name) and name in used.given}
    for name, span in used.writes.items():
        meant = did_you_mean(name, in_use)
        if is_global(name) and name not in used.reads and meant is not None:
            message = f"{quote(name)} is assigned to, but no handler reads it"
            yield warning("SER704", message, span, f"did you mean {quote(meant)}?")


def _unset_locals(definition: Definition, used: _Used, constants: set[str]) -> Iterator[Diagnostic]:
    """Claim: whenever this read takes place, the request has not assigned to the local: it is 0.

    An assignment comes before a read only if it stands before it in the text, or in a loop around it.
    """
    given = (
        constants | {each.name for each in definition.parameters} | {each.name for each in definition.locals}
    )
    own = {access.name for access in accesses(definition.body) if access.writes}
    written = set(given)
    told: set[str] = set()

    def visit(expression: Surface, in_loop: bool = False) -> Iterator[Diagnostic]:
        if isinstance(expression, For):
            written.add(expression.variable.name)
        if isinstance(expression, While | For) and not in_loop:
            written.update(access.name for access in accesses(expression) if access.writes)
            in_loop = True
        for operand in operands(expression):
            yield from visit(operand, in_loop)
        access = own_access(expression)
        if access is None:
            return
        name = access.name
        if access.reads and not (is_global(name) or name in written or name in told):
            told.add(name)
            why = " before anything is assigned" if name in own else ", but this handler never assigns"
            message = f"{quote(name)} is read{why} to it: it is 0"
            others = own | given | {other for other in used.given if is_global(other)}
            yield warning(
                "SER701", message, access.span, _hint(name, others, "assign to it before, or write 0")
            )
        if access.writes:
            written.add(name)

    yield from visit(definition.body)


def _hint(name: str, others: Iterable[str], otherwise: str) -> str:
    meant = did_you_mean(name, others)
    return otherwise if meant is None else f"did you mean {quote(meant)}?"


SHORTEST = 3
"""The shortest names to compare: almost any two shorter ones are one typing error apart."""


def did_you_mean(name: str, others: Iterable[str]) -> str | None:
    """The other name that was probably meant: one that differs only in case, or else by one slip."""
    candidates = sorted(set(others) - {name})
    return next(
        (other for alike in (_differ_in_case, one_slip) for other in candidates if alike(name, other)),
        None,
    )


def _differ_in_case(left: str, right: str) -> bool:
    return left.casefold() == right.casefold()


def one_slip(left: str, right: str) -> bool:
    """Whether one letter too many, one too few, a wrong one, or two exchanged ones make the difference.

    What a digit, a letter of its own or another first or last letter tells apart is a name of the same
    kind: X1 and X2, SEEN_A and SEEN_B, XPOS and YPOS.
    """
    if min(len(left), len(right)) < SHORTEST or left == right:
        return False
    begin = 0
    while left[begin : begin + 1] == right[begin : begin + 1]:
        begin += 1
    end = 0
    while end < min(len(left), len(right)) - begin and left[-1 - end] == right[-1 - end]:
        end += 1
    one, other = left[begin : len(left) - end], right[begin : len(right) - end]
    before, after = left[:begin][-1:].isalpha(), left[len(left) - end :][:1].isalpha()
    match len(one), len(other):
        case (0, 1) | (1, 0):
            is_slip = before or after
        case (1, 1):
            is_slip = before and after
        case (2, 2):
            is_slip = one == other[::-1]
        case _:
            is_slip = False
    return is_slip and (one + other).isalpha()
