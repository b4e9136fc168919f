"""How a translated source was understood, and what is assumed about it."""

from collections.abc import Sequence

from seriatim.frontends.protocol import Approximation, Translation
from seriatim.report.text_look import MARGIN, TextLook
from seriatim.source import SourceText
from seriatim.text_width import fill


def scope_text(translation: Translation, source: SourceText, look: TextLook) -> str:
    """The output of `--explain-scope`: state, handlers, pauses, scopes, assumptions."""
    lines = [f"{source.name} is understood as follows:"]
    for name, meaning in translation.scope_report:
        lines.append(f"{MARGIN}{fill(f'{name}: {meaning}', look.width, MARGIN + '  ').lstrip()}")
    return "\n".join(lines) + "\n" + assumed_text(translation.approximations, look)


def assumed_text(approximations: Sequence[Approximation], look: TextLook) -> str:
    """The approximations, an item each; empty if there are none."""
    if not approximations:
        return ""
    items = (fill(assumption(each), look.width, MARGIN + "  ").lstrip() for each in approximations)
    return f"{MARGIN}Assumed:\n" + "".join(f"{MARGIN}- {item}\n" for item in items)


def assumption(approximation: Approximation) -> str:
    """An approximation in a sentence, with its place and the mark that permits it."""
    place = "" if approximation.span is None else f"line {approximation.span.line}: "
    approval = f" ({approximation.approval})" if approximation.approval else ""
    return f"{place}{approximation.sentence}{approval}"
