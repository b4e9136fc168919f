"""Inputs that differ in one place: certificates are kept, and what they are about is changed under them."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program
from seriatim.source import InputError, SourceText


def changed_inputs(content: Input, source: str) -> Iterator[Input]:
    """A program without one of its yields or with one number larger by 1; a system with one step changed.

    What is no input then is left out.
    """
    if isinstance(content, Program):
        for word in re.finditer(r"yield|\d+", source):
            other = "0" if word.group() == "yield" else str(int(word.group()) + 1)
            with suppress(InputError):
                yield read_input(SourceText("-", source[: word.start()] + other + source[word.end() :]))
        return
    for index, (local, global_, target, after) in enumerate(content.delta):
        before, behind = content.delta[:index], content.delta[index + 1 :]
        yield replace(content, delta=before + behind)
        for state in range(len(content.globals)):
            yield replace(content, delta=(*before, (local, global_, target, state), *behind))
            yield replace(content, delta=(*before, (local, state, target, after), *behind))
        for place in range(len(content.locals)):
            yield replace(content, delta=(*before, (local, global_, place, after), *behind))
