"""Walks over expressions and statements: their parts, and the globals that they read or change."""

from collections.abc import Iterator
from typing import assert_never

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Cell,
    Copies,
    Domain,
    Expression,
    First,
    InMajority,
    Parameter,
    Pending,
    Quantified,
    Size,
    Symbol,
)
from seriatim.actions.syntax import (
    ActionProgram,
    Assert,
    Assign,
    Async,
    Await,
    Block,
    Either,
    For,
    Havoc,
    If,
    Receive,
    Send,
    Skip,
    Statement,
    Take,
)
from seriatim.terms.expressions import Apply, Constant, Variable


def children(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside one, those of its ranges included."""
    match expression:
        case Constant() | Symbol() | Variable() | Parameter():
            return ()
        case Cell(indices=indices):
            return indices
        case Apply(arguments=arguments):
            return arguments
        case Quantified(binders=binders, body=body):
            return (*(end for binder in binders for end in ends(binder.domain)), body)
        case Aggregate(binder=binder, body=body):
            return (*ends(binder.domain), body)
        case Size(target=target) | First(target=target):
            return target.indices
        case Copies(message=message, target=target):
            return (*message, *target.indices)
        case InMajority(member=member, majority=majority):
            return (member, majority)
        case Pending(arguments=arguments):
            return arguments
        case _:
            assert_never(expression)


def ends(domain: Domain) -> tuple[Expression, ...]:
    """The two ends of a range; nothing for other domains."""
    return (domain.low, domain.high) if isinstance(domain, Between) else ()


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """An expression and all expressions inside it."""
    yield expression
    for child in children(expression):
        yield from subexpressions(child)


def globals_of(expression: Expression) -> frozenset[str]:
    """The globals that an expression reads."""
    found: set[str] = set()
    for each in subexpressions(expression):
        match each:
            case Cell(name=name):
                found.add(name)
            case Size(target=target) | First(target=target) | Copies(target=target):
                found.add(target.name)
            case _:
                pass
    return frozenset(found)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks directly inside a statement."""
    match statement:
        case If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Either(blocks=inside):
            return inside
        case For(body=body):
            return (body,)
        case _:
            return ()


def statements(block: Block) -> Iterator[Statement]:
    """All statements of a block, with those inside them."""
    for statement in block:
        yield statement
        for inside in blocks(statement):
            yield from statements(inside)


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions directly in a statement."""
    match statement:
        case Assign(target=target, value=value):
            return (value,) if isinstance(target, str) else (*target.indices, value)
        case Receive(target=target):
            return target.indices
        case Take(target=target, message=message) | Send(target=target, message=message):
            return (*target.indices, *message)
        case Havoc(target=target, domain=domain, condition=condition):
            inside = () if isinstance(target, str) else target.indices
            return (*inside, *ends(domain), *(() if condition is None else (condition,)))
        case Await(condition=condition) | Assert(condition=condition) | If(condition=condition):
            return (condition,)
        case Async(arguments=arguments):
            return arguments
        case For(range=range_):
            return (range_.low, range_.high)
        case Either() | Skip():
            return ()
        case _:
            assert_never(statement)


def globals_changed_by(block: Block) -> frozenset[str]:
    """The globals that a block may change."""
    found: set[str] = set()
    for each in statements(block):
        match each:
            case Assign(target=Cell(name=name)) | Havoc(target=Cell(name=name)):
                found.add(name)
            case Receive(target=target) | Take(target=target) | Send(target=target):
                found.add(target.name)
            case _:
                pass
    return frozenset(found)


def assigned_globals(program: ActionProgram) -> frozenset[str]:
    """The globals that some action, or some abstraction of one, may change."""
    bodies = [action.body for action in program.actions]
    if program.proof is not None:
        bodies += [action.body for action in program.proof.abstractions]
    return frozenset(name for body in bodies for name in globals_changed_by(body))


def constants(program: ActionProgram) -> frozenset[int]:
    """The integers that a program names in its actions, initial values and assumptions."""
    found = [each.condition for each in program.initially]
    found += [each.initial for each in program.variables if each.initial is not None]
    for action in program.actions:
        for statement in statements(action.body):
            found += expressions_of(statement)
    return frozenset(
        part.value
        for expression in found
        for part in subexpressions(expression)
        if isinstance(part, Constant) and type(part.value) is int
    )
