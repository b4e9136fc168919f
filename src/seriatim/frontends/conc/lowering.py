"""Statements to steps: a template's text becomes a graph.
 A simple statement and the test of an `if` or a `while` are one step each. An atomic block is one step for
each path through it. `return` and the ends of blocks are no steps: what follows starts where they lead.
"""

from dataclasses import replace
from typing import assert_never

from seriatim.frontends.conc.surface import (
    Atomic,
    If,
    ProgramText,
    Return,
    Simple,
    Statement,
    ThreadText,
    While,
)
from seriatim.program.threads.printer import print_action, print_expression
from seriatim.program.threads.syntax import (
    FINISHED,
    Action,
    Assume,
    Edge,
    Fork,
    Join,
    Template,
    ThreadProgram,
)
from seriatim.source import Diagnostic, InputError, Span
from seriatim.terms.expressions import Expression, negation

MAX_PATHS = 256
"""Through an atomic block."""

Path = tuple[tuple[Action, ...], bool]
"""What is done on a path through an atomic block, and whether it returns."""


def lower(program: ProgramText) -> ThreadProgram:
    """Raises `InputError` where an atomic block cannot be one step."""
    templates = tuple(Lowering(thread).template() for thread in program.threads)
    return ThreadProgram(program.types, program.initial, templates, warnings=program.warnings)


class Lowering:
    """The graph of one template, as far as it is built."""

    def __init__(self, thread: ThreadText) -> None:
        self.thread = thread
        self.edges: list[Edge] = []
        self.places = 0

    def template(self) -> Template:
        thread = self.thread
        entry = self.block(thread.body, FINISHED)
        edges = reachable(entry, self.edges)
        return number_places(
            Template(thread.name, thread.parameters, thread.results, thread.types, entry, tuple(edges))
        )

    def block(self, statements: tuple[Statement, ...], after: int) -> int:
        """The place where a block starts, if what follows it starts at `after`."""
        own = [self.own_place(each) for each in statements]
        entries = [*own, after]
        for index in reversed(range(len(statements))):
            if own[index] is None:
                entries[index] = FINISHED if isinstance(statements[index], Return) else entries[index + 1]
        for index, statement in enumerate(statements):
            here, following = entries[index], entries[index + 1]
            assert here is not None
            assert following is not None
            if own[index] is not None:
                self.statement(statement, here, following)
        first = entries[0]
        assert first is not None
        return first

    def own_place(self, statement: Statement) -> int | None:
        """None if the statement is no step."""
        if isinstance(statement, Return) or (isinstance(statement, Atomic) and not statement.body):
            return None
        self.places += 1
        return self.places - 1

    def statement(self, statement: Statement, here: int, after: int) -> None:
        match statement:
            case Simple(actions=actions, span=span):
                text = ", ".join(map(print_action, actions))
                self.edges.append(Edge(here, after, actions, span, text))
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                self.test("if", condition, here, self.block(then, after), self.block(otherwise, after), span)
            case While(condition=condition, body=body, span=span):
                self.test("while", condition, here, self.block(body, here), after, span)
            case Atomic(body=body, span=span):
                for actions, returns in self.paths(body, span):
                    text = f"atomic {{ {'; '.join(map(print_action, actions))} }}"
                    self.edges.append(Edge(here, FINISHED if returns else after, actions, span, text))
            case Return():
                raise AssertionError("is no step")
            case _:
                assert_never(statement)

    def test(
        self, word: str, condition: Expression | None, here: int, then: int, otherwise: int, span: Span
    ) -> None:
        shown = "*" if condition is None else print_expression(condition)
        for target, is_met in ((then, True), (otherwise, False)):
            text = f"{word} ({shown}): {'yes' if is_met else 'no'}"
            self.edges.append(Edge(here, target, assume_condition(condition, is_met, span), span, text))

    def paths(self, body: tuple[Statement, ...], span: Span) -> list[Path]:
        """Returns what an atomic block can do."""
        found: list[Path] = [((), False)]
        for statement in body:
            going = [actions for actions, returns in found if not returns]
            found = [path for path in found if path[1]]
            steps = self.path_steps(statement)
            found += [(before + actions, returns) for before in going for actions, returns in steps]
            if len(found) > MAX_PATHS:
                message = f"there are more than {MAX_PATHS} ways through this atomic block"
                raise InputError([Diagnostic("SER077", message, span, "make it smaller")])
        for actions, _ in found:
            several = [each for each in actions if isinstance(each, Fork | Join)]
            if len(several) > 1:
                message = "an atomic block starts or joins more than one thread"
                hint = "one step starts or joins at most one: use two blocks"
                raise InputError([Diagnostic("SER077", message, several[1].span, hint)])
        return found

    def path_steps(self, statement: Statement) -> list[Path]:
        match statement:
            case Simple(actions=actions):
                return [(actions, False)]
            case Return():
                return [((), True)]
            case Atomic(body=body, span=span):
                return self.paths(body, span)
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                return [
                    (assume_condition(condition, is_met, span) + actions, returns)
                    for body, is_met in ((then, True), (otherwise, False))
                    for actions, returns in self.paths(body, span)
                ]
            case While(span=span):
                message = "an atomic block contains a loop"
                hint = "an atomic block is one step; write the loop around it, or its rounds one by one"
                raise InputError([Diagnostic("SER076", message, span, hint)])
            case _:
                assert_never(statement)


def assume_condition(condition: Expression | None, is_met: bool, span: Span) -> tuple[Action, ...]:
    if condition is None:
        return ()
    return (Assume(condition if is_met else negation(condition), span),)


def reachable(entry: int, edges: list[Edge]) -> list[Edge]:
    """The edges at places to which edges lead from the entry."""
    targets: dict[int, set[int]] = {}
    for edge in edges:
        targets.setdefault(edge.source, set()).add(edge.target)
    seen, pending = {entry}, [entry]
    while pending:
        fresh = targets.get(pending.pop(), set()) - seen
        seen |= fresh
        pending.extend(fresh)
    return [edge for edge in edges if edge.source in seen]


def number_places(template: Template) -> Template:
    """The same graph with places 0, 1, … in the order of the text, and its edges in that order."""
    order = {FINISHED: FINISHED} | {place: number for number, place in enumerate(template.places)}
    edges = sorted(
        (replace(edge, source=order[edge.source], target=order[edge.target]) for edge in template.edges),
        key=lambda edge: edge.source,
    )
    return replace(template, entry=order[template.entry], edges=tuple(edges))
