"""Finds repairs of a program, after the verdict on it: only a violation can be repaired."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from seriatim.budget import Deadline, Observer
from seriatim.deciding.pipeline import Options, decide, work_out
from seriatim.engines.stage import Progress
from seriatim.frontends.all import read_input
from seriatim.frontends.languages import NETWORK, SER, Content, content_named, language_named
from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import Program
from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.repairs import Repairs
from seriatim.repair.search import MAX_CANDIDATES, Ask, may_hang, repairs
from seriatim.result import Result, Violated
from seriatim.source import Diagnostic, InputError, SourceText

ALL_CHANGES = frozenset(Change)

Asking = Callable[[Options], AbstractContextManager[Ask]]
"""A function that decides about changes, within some options."""


@contextmanager
def asking_here(_: Options) -> Iterator[Ask]:
    """This process decides."""
    yield decide


def read_program(source: SourceText) -> Program:
    """The program to repair. It has to be in Seriatim's own language: a network system has no lines to
    change, and changes for others would have to be written in their languages."""
    if content_named(source.name) is Content.THREADS:
        read_input(source)  # It says that this is about requests.
    frontend = language_named(source.name)
    if frontend is NETWORK:
        hint = "fix the program that it was made from"
        raise InputError([Diagnostic("SER210", "a network system has no yields to change", hint=hint)])
    if frontend not in (None, SER):
        hint = "save its model with ser check --emit-model MODEL.ser, and look for repairs of that"
        message = "repairs are found for programs in Seriatim's own language (.ser) only"
        raise InputError([Diagnostic("SER210", message, hint=hint)])
    return parse(source.text, source.name)


def suggest_repairs(
    program: Program,
    source: SourceText,
    options: Options,
    deadline: Deadline,
    observer: Observer[Progress] | None = None,
    candidates: int = MAX_CANDIDATES,
    changes: frozenset[Change] = ALL_CHANGES,
    asking: Asking = asking_here,
) -> Result | Repairs:
    """The repairs of a program, or its result if there is nothing to fix or that is not known."""
    result, _ = work_out(program, options, observer, source=source, deadline=deadline)
    if not isinstance(result.answer, Violated):
        return result

    def tell(number: int, candidate: Candidate) -> None:
        if observer is not None:
            observer(Progress(f"change {number} of at most {candidates}: {candidate.title}", 0, 0))

    left = replace(options, timeout=deadline.remaining())
    hangs = may_hang(result)
    with asking(left) as ask:
        return repairs(program, source.text, left, candidates, changes, tell, hangs=hangs, ask=ask)
