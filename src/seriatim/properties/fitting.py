"""Whether a question can be asked about an input: what it names has to be there."""

import re
from collections.abc import Iterator
from typing import assert_never

from seriatim.program.inputs import Input
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.program.syntax import Program, global_names
from seriatim.properties.question import (
    ConflictSerializability,
    Linearizability,
    Question,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
)
from seriatim.source import Diagnostic, SourceText, quote

_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


def misfits(question: Question, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:
    """What cannot be asked about an input that was read from a source, and the text that says so."""
    match question:
        case Serializability(observed=observed):
            names = () if observed == "all" else observed
            return source, list(_unknown_variables(names, content))
        case ConflictSerializability() | StrictSerializability():
            return source, []
        case (
            Linearizability(specification=specification) | StaticLinearizability(specification=specification)
        ):
            return specification.source, list(_strange(specification, content))
        case _:
            assert_never(question)


def _unknown_variables(names: tuple[str, ...], content: Input) -> Iterator[Diagnostic]:
    known = global_names(content) if isinstance(content, Program) else ()
    for name in names:
        if name not in known:
            hint = (
                f"its globals are {', '.join(known)}"
                if known
                else "it has none; --observe all takes it whole"
            )
            yield Diagnostic("SER228", f"--observe: the input has no global {quote(name)}", hint=hint)


def _strange(specification: Specification, content: Input) -> Iterator[Diagnostic]:
    """Requests and responses that only one of the two knows."""
    is_program = isinstance(content, Program)
    requests = content.requests
    known = f"the input has {', '.join(map(quote, requests))}"
    meaning = specification.meaning
    if isinstance(meaning, SpecificationAutomaton):
        first = {step.request: step for step in reversed(meaning.steps)}
        for step in meaning.steps:
            if step.request not in requests and step is not first[step.request]:
                continue  # Once is enough.
            if step.request not in requests:
                message = f"the input has no request {quote(step.request)}"
                yield Diagnostic("SER223", message, step.span, known)
            elif is_program and not _NUMBER.fullmatch(step.response):
                message = f"no request answers {quote(step.response)}"
                yield Diagnostic("SER224", message, step.span, "handlers of a program answer numbers")
            elif not isinstance(content, Program) and step.response not in content.responses:
                message = f"no request answers {quote(step.response)}"
                answers = ", ".join(map(quote, content.responses))
                yield Diagnostic("SER224", message, step.span, f"the answers are {answers}")
        specified = {step.request for step in meaning.steps}
        example = f"{meaning.initial} -> {meaning.initial}: {{}}/0"
    else:
        for handler in meaning.handlers:
            if handler.name not in requests:
                message = f"the input has no request {quote(handler.name)}"
                yield Diagnostic("SER223", message, handler.span, known)
        specified = {handler.name for handler in meaning.handlers}
        example = "request {} {{ … }}"
    for request in requests:
        if request not in specified:
            message = f"the specification says nothing about the request {quote(request)}"
            hint = f"say when it may be answered what, such as {example.format(request)}"
            yield Diagnostic("SER227", message, None, hint)
