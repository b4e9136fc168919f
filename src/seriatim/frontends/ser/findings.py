"""What a parse has found wrong so far, up to the point where more would not help."""

from seriatim.source import Diagnostic, InputError, Span

MAX_DIAGNOSTICS = 20
"""A text with more mistakes than this is probably no program at all."""

_START = Span(1, 1, 1, 1)


class Findings:
    """Collects diagnostics; the parse ends with an `InputError` when there are enough."""

    def __init__(self) -> None:
        self._diagnostics: list[Diagnostic] = []

    def __len__(self) -> int:
        return len(self._diagnostics)

    def report(self, code: str, message: str, span: Span, hint: str) -> None:
        self.add(Diagnostic(code, message, span, hint))

    def add(self, diagnostic: Diagnostic) -> None:
        self._diagnostics.append(diagnostic)
        if len(self._diagnostics) == MAX_DIAGNOSTICS:
            raise self.error()

    def error(self) -> InputError:
        """What was found, in the order of the text."""
        return InputError(sorted(self._diagnostics, key=lambda found: found.span or _START))
