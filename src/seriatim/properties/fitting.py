"""Whether a specification fits an input: both name the same requests, with responses that occur."""

import re
from collections.abc import Iterator

from seriatim.program.inputs import Input
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.program.syntax import Program
from seriatim.source import Diagnostic, quote

_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


def strangers(specification: Specification, content: Input) -> Iterator[Diagnostic]:
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
