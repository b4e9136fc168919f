"""Reading an input: the file, then what its text stands for; whatever is wrong comes with that text."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from seriatim.cli.files import InputFile, read
from seriatim.source import Diagnostic, InputError, SourceText

Content = TypeVar("Content")


class BadInput(Exception):
    """An input that cannot be used, as far as it could be read, and why."""

    def __init__(self, source: SourceText, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(source.name)
        self.source = source
        self.diagnostics = tuple(diagnostics)


def load(file: InputFile, parse: Callable[[SourceText], Content]) -> tuple[SourceText, Content]:
    """The text of a file and what it stands for; raises `BadInput`."""
    source, problem = read(file)
    if problem is not None:
        raise BadInput(source, [problem])
    try:
        return source, parse(source)
    except InputError as error:
        raise BadInput(source, error.diagnostics) from None
