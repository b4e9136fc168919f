"""Words that only look like a statement: a slip of the pen, a word of another language, a lock nobody shares.

Without this, `yeild` would be a variable that is read, and the verdict would be about a program without its
pause. Claim: no program that means something is refused. A name is refused only where nothing gives it a
value, and where it stands in the place of a statement or is a word of another language. A lock is refused
only if it is local and nothing else is done with it, so that no other request can hold it.
"""

from collections.abc import Iterator

from seriatim.frontends.ser.surface import (
    AssignElement,
    Definition,
    Element,
    For,
    Lock,
    Surface,
    SurfaceProgram,
    Unlock,
    Variable,
    parts,
    walk,
)
from seriatim.frontends.ser.variable_warnings import accesses, constants
from seriatim.frontends.ser.words import OTHERS, STATEMENTS, meant_word, value_hint
from seriatim.program.syntax import Assign, If, Read, Sequence, While, is_global
from seriatim.source import Diagnostic, quote


def wrong_words(program: SurfaceProgram) -> Iterator[Diagnostic]:
    """The words of a program that cannot mean what they seem to."""
    given = constants(program) | {each.name for each in program.declarations if isinstance(each, Variable)}
    bodies = [each.body for each in program.definitions]
    given |= {access.name for body in bodies for access in accesses(body) if access.writes}
    for definition in program.definitions:
        own = {each.name for each in definition.parameters} | {each.name for each in definition.locals}
        loops = {part.variable.name for part in walk(definition.body) if isinstance(part, For)}
        yield from _wrong_names(definition, given | own | loops)
        yield from _own_locks(definition, own)


def _wrong_names(definition: Definition, given: set[str]) -> Iterator[Diagnostic]:
    statements = {id(item) for part in walk(definition.body) for item in _statements(part)}
    statements.add(id(definition.body))
    for part in walk(definition.body):
        if not isinstance(part, Read) or part.name in given:
            continue
        name = part.name
        hint = value_hint(name) or OTHERS.get(name)
        if hint is not None:
            yield Diagnostic("SER060", f"{quote(name)} means nothing here", part.span, hint)
        elif id(part) in statements:
            meant = meant_word(name, STATEMENTS)
            if meant is not None:
                message = f"{quote(name)} is no statement, and nothing gives it a value"
                yield Diagnostic("SER060", message, part.span, f"did you mean {quote(meant)}?")


def _statements(part: Surface) -> tuple[Surface, ...]:
    """Returns what stands in the place of a statement."""
    match part:
        case Sequence(items=items):
            return items
        case If() | While() | For():
            return parts(part)[-2:]
        case _:
            return ()


def _own_locks(definition: Definition, own: set[str]) -> Iterator[Diagnostic]:
    """Locks on a local with which the handler does nothing else."""
    locks = [part for part in walk(definition.body) if isinstance(part, Lock | Unlock)]
    targets = {id(lock.target) for lock in locks}
    others = own | {
        part.name
        for part in walk(definition.body)
        if isinstance(part, Read | Element | Assign | AssignElement) and id(part) not in targets
    }
    told: set[str] = set()
    for lock in locks:
        name = lock.target.name
        if not is_global(name) and name not in others and name not in told:
            told.add(name)
            yield _own_lock(lock)


def _own_lock(lock: Lock | Unlock) -> Diagnostic:
    name = lock.target.name
    shared = name[0].upper() + name[1:]
    message = f"{quote(name)} is local to each request, so that nobody else sees this lock"
    hint = f"globals begin with an uppercase letter: write `lock({shared})` and `unlock({shared})`"
    return Diagnostic("SER045", message, lock.span, hint)
