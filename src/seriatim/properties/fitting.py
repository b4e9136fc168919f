"""Whether a specification fits an input: both name the same requests, with responses that occur."""

import re
from collections.abc import Iterator
from typing import assert_never

from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.program.syntax import Program
from seriatim.source import Diagnostic, quote

_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


def strangers(specification: Specification, content: Input) -> Iterator[Diagnostic]:
    """Diagnostics about requests and responses that only the specification or only the input has."""
    requests = content.requests
    known = f"the input has {', '.join(map(quote, requests))}"
    meaning = specification.meaning
    if isinstance(meaning, SpecificationAutomaton):
        first = {step.request: step for step in reversed(meaning.steps)}
        for step in meaning.steps:
            if step.request not in requests and step is not first[step.request]:
                continue  # Report each request once.
            if step.request not in requests:
                message = f"the input has no request {quote(step.request)}"
                yield Diagnostic("SER223", message, step.span, known)
            elif (answers := _what_else(step.response, content)) is not None:
                message = f"no request answers {quote(step.response)}"
                yield Diagnostic("SER224", message, step.span, answers)
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
            hint = f"say which answers it may get and when, such as {example.format(request)}"
            yield Diagnostic("SER227", message, None, hint)


def _what_else(response: str, content: Input) -> str | None:
    """A hint with the possible answers; None if this answer is possible."""
    match content:
        case Program():
            return None if _NUMBER.fullmatch(response) else "handlers of a program answer numbers"
        case NetworkSystem(responses=responses):
            known = f"the answers are {', '.join(map(quote, responses))}"
            return None if response in responses else known
        case _:
            assert_never(content)
