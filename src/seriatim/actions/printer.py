"""Prints asynchronous programs in one fixed form; the text parses to an equal program."""

from collections.abc import Iterator
from hashlib import sha256
from typing import assert_never

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Booleans,
    Cell,
    Copies,
    Domain,
    Expression,
    First,
    InMajority,
    Integers,
    Majorities,
    Members,
    Parameter,
    Pending,
    Quantified,
    Size,
    Symbol,
    Target,
)
from seriatim.actions.syntax import (
    Action,
    ActionProgram,
    Assert,
    Assign,
    Async,
    Await,
    Block,
    BoolType,
    Collection,
    Either,
    EnumType,
    For,
    Gate,
    GateKind,
    Global,
    Havoc,
    If,
    IntType,
    MajorityType,
    Order,
    Proof,
    Receive,
    Send,
    Skip,
    Statement,
    Take,
    Term,
    ValueType,
    When,
)
from seriatim.terms.operators import ATOM, COMPARISON, CONDITIONAL, NEGATION, SUM
from seriatim.terms.text import OPEN, Writer

INDENTATION = "    "


def expression_text(expression: Expression, around: int = OPEN) -> str:
    """An expression, in parentheses if it binds more loosely than its place allows."""
    return _WRITER.text(expression, around)


def _special_text(expression: Expression) -> tuple[str, int]:
    """Writes an expression that only this language has, with how tightly it binds."""
    match expression:
        case Quantified(for_all=for_all, binders=binders, body=body):
            listed = ", ".join(f"{each.name} in {domain_text(each.domain)}" for each in binders)
            return f"{'all' if for_all else 'some'} {listed}: {expression_text(body)}", OPEN
        case InMajority(member=member, majority=majority):
            return f"{expression_text(member, SUM)} in {expression_text(majority, SUM)}", COMPARISON
        case _:
            return _primary(expression), ATOM


def _primary(expression: Expression) -> str:
    match expression:
        case Symbol(name=name) | Parameter(name=name):
            return name
        case Cell(name=name, indices=indices, old=old):
            return f"old({_indexed_text(name, indices)})" if old else _indexed_text(name, indices)
        case Aggregate(fold=fold, body=body, binder=binder):
            return f"{fold}({expression_text(body)} for {binder.name} in {domain_text(binder.domain)})"
        case Size(target=target):
            return f"size({target_text(target)})"
        case First(target=target):
            return f"first({target_text(target)})"
        case Copies(message=message, target=target):
            return f"copies({_message_text(message)}, {target_text(target)})"
        case Pending(action=action, arguments=arguments):
            return f"pending({action}({_list_text(arguments)}))"
        case _:
            raise AssertionError(expression)


_WRITER: Writer[Expression] = Writer(
    other=_special_text,
    words={"&&": "and", "||": "or", "==>": "=>"},
    negation=("not ", NEGATION),
    conditional="{1} if {0} else {2}",
    last=CONDITIONAL,
)


def _list_text(expressions: tuple[Expression, ...]) -> str:
    return ", ".join(map(expression_text, expressions))


def _message_text(parts: tuple[Expression, ...]) -> str:
    return expression_text(parts[0]) if len(parts) == 1 else f"({_list_text(parts)})"


def _indexed_text(name: str, indices: tuple[Expression, ...]) -> str:
    return name + "".join(f"[{expression_text(each)}]" for each in indices)


def target_text(target: Target) -> str:
    return _indexed_text(target.name, target.indices)


def domain_text(domain: Domain) -> str:
    match domain:
        case Between(low=low, high=high):
            return f"{expression_text(low, SUM)}..{expression_text(high, SUM)}"
        case Members(enum=name) | Majorities(family=name):
            return name
        case Booleans():
            return "bool"
        case Integers():
            return "int"
        case _:
            assert_never(domain)


def type_text(type_: ValueType | Collection) -> str:
    match type_:
        case IntType():
            return "int"
        case BoolType():
            return "bool"
        case EnumType(name=name) | MajorityType(family=name):
            return name
        case Collection(kind=kind, message=(IntType(),)):
            return str(kind)
        case Collection(kind=kind, message=message):
            return f"{kind}({', '.join(map(type_text, message))})"
        case _:
            assert_never(type_)


def statement_lines(statement: Statement, depth: int) -> Iterator[tuple[str, Statement]]:
    """The lines of a statement, each with the statement that it belongs to."""
    indent = INDENTATION * depth
    match statement:
        case If():
            yield from _if_lines(statement, depth, "if")
        case Either(blocks=blocks):
            for number, block in enumerate(blocks):
                yield f"{indent}{'or' if number else 'either'}:", statement
                yield from block_lines(block, depth + 1)
        case For(name=name, range=range_, body=body):
            yield f"{indent}for {name} in {domain_text(range_)}:", statement
            yield from block_lines(body, depth + 1)
        case _:
            yield indent + simple_text(statement), statement


def _if_lines(statement: If, depth: int, word: str) -> Iterator[tuple[str, Statement]]:
    indent = INDENTATION * depth
    yield f"{indent}{word} {expression_text(statement.condition)}:", statement
    yield from block_lines(statement.then, depth + 1)
    match statement.otherwise:
        case ():
            return
        case (If() as inner,):
            yield from _if_lines(inner, depth, "elif")
        case block:
            yield f"{indent}else:", statement
            yield from block_lines(block, depth + 1)


def simple_text(statement: Statement) -> str:
    match statement:
        case Assign(target=target, value=value):
            return f"{_assigned_text(target)} := {expression_text(value)}"
        case Receive(names=names, target=target):
            return f"{', '.join(names)} := receive({target_text(target)})"
        case Take(target=target, message=message):
            return f"receive({target_text(target)}, {_message_text(message)})"
        case Send(target=target, message=message):
            return f"send({target_text(target)}, {_message_text(message)})"
        case Havoc(target=target, domain=domain, condition=condition):
            chosen = "" if condition is None else f" with {expression_text(condition)}"
            return f"havoc {_assigned_text(target)} in {domain_text(domain)}{chosen}"
        case Await(condition=condition):
            return f"await {expression_text(condition)}"
        case Assert(condition=condition):
            return f"assert {expression_text(condition)}"
        case Async(action=action, arguments=arguments):
            return f"async {action}({_list_text(arguments)})"
        case Skip():
            return "skip"
        case _:
            raise AssertionError(statement)


def _assigned_text(target: Cell | str) -> str:
    return target if isinstance(target, str) else _indexed_text(target.name, target.indices)


def block_lines(block: Block, depth: int) -> Iterator[tuple[str, Statement]]:
    for statement in block:
        yield from statement_lines(statement, depth)


def header_text(word: str, action: Action) -> str:
    listed = ", ".join(
        each.name if isinstance(each.type, IntType) else f"{each.name}: {type_text(each.type)}"
        for each in action.arguments
    )
    return f"{word} {action.name}({listed}):"


def global_text(variable: Global) -> str:
    ranges = "".join(f"[{domain_text(each)}]" for each in variable.ranges)
    initial = "" if variable.initial is None else f" := {expression_text(variable.initial)}"
    return f"{variable.name}{ranges}: {type_text(variable.type)}{initial}"


def gate_text(gate: Gate) -> str:
    return f"waits({gate.other})" if gate.kind is GateKind.WAITS else str(gate.kind)


def gates_line(action: str, gates: tuple[Gate, ...]) -> str:
    return f"gate {action}: {', '.join(map(gate_text, gates)) or 'none'}"


def term_text(term: Term) -> str:
    return f"#{term.name}" if term.is_action else f"size({term.name})"


def order_claim(order: Order) -> str:
    """Says what a proof by this order says about runs."""
    if not order.names:
        return "`main` is the only action, so its step is the only run"
    by_index = " by index" if order.by_index else ""
    return f"Executing {', '.join(order.names)} in this order{by_index} covers every run"


def when_text(when: When) -> str:
    who = "none" if when.action is None else f"{when.action}({', '.join(when.arguments)})"
    return f"when {who} next: {expression_text(when.condition)}"


def proof_lines(proof: Proof) -> Iterator[str]:
    """The block `sequential`, line by line."""
    order = proof.order
    yield "sequential:"
    lines = [f"order {', '.join(order.names)}{' by index' if order.by_index else ''}"]
    lines += [f"key {k.action}({', '.join(k.arguments)}) := {_list_text(k.parts)}" for k in proof.keys]
    yield from (INDENTATION + line for line in lines)
    for action in proof.abstractions:
        names = ", ".join(argument.name for argument in action.arguments)
        yield f"{INDENTATION}abstract {action.name}({names}):"
        yield from (line for line, _ in block_lines(action.body, 2))
    lines = [f"always {expression_text(fact.condition)}" for fact in proof.always]
    lines += [when_text(when) for when in proof.when]
    for name in order.names if proof.gates is not None else ():
        lines.append(gates_line(name, tuple(g for g in proof.gates or () if g.action == name)))
    if proof.measure is not None:
        lines.append(f"measure {', '.join(map(term_text, proof.measure))}")
    lines += [f"invariant {expression_text(fact.condition)}" for fact in proof.invariants]
    lines += [f"ensures {expression_text(fact.condition)}" for fact in proof.ensures]
    yield from (INDENTATION + line for line in lines)


def declaration_lines(program: ActionProgram) -> Iterator[str]:
    for size in program.sizes:
        yield f"param {size.name} >= {size.least}"
    for enum in program.enums:
        yield f"enum {enum.name}: {', '.join(enum.members)}"
    for family in program.families:
        yield f"quorums {family.name} of {domain_text(family.members)}"
    yield from map(global_text, program.variables)
    for fact in program.initially:
        yield f"initially {expression_text(fact.condition)}"


def digest(program: ActionProgram) -> str:
    """SHA-256 of the program's fixed form, with the proof that the user wrote."""
    return sha256(print_actions(program).encode()).hexdigest()


def print_actions(program: ActionProgram) -> str:
    """The whole program as text; equal programs give the same text."""
    lines = list(declaration_lines(program))
    for action in program.actions:
        lines += ["", header_text("action", action), *(line for line, _ in block_lines(action.body, 1))]
    if program.proof is not None:
        lines += ["", *proof_lines(program.proof)]
    return "\n".join(lines).lstrip("\n") + "\n"
