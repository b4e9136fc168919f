"""What a reader has to know about a translated source: what was taken for what, and what is assumed."""

from seriatim.frontends.protocol import Approximation, Translation
from seriatim.report.look import Look
from seriatim.source import SourceText
from seriatim.text_width import filled

MARGIN = "  "


def scope_text(translation: Translation, source: SourceText, look: Look) -> str:
    """What `--explain-scope` shows: state, handlers, pauses, scopes, assumptions."""
    width = max((len(name) for name, _ in translation.scope_report), default=0)
    lines = [f"{source.name} is taken as follows:\n"]
    for name, meaning in translation.scope_report:
        lines.append(
            filled(f"{name:<{width}}  {meaning}", look.width, MARGIN + " " * (width + 2))[width + 2 :]
        )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines) + assumed_text(
        translation, look
    )


def assumed_text(translation: Translation, look: Look) -> str:
    """The approximations, an item each; empty if there are none."""
    if not translation.approximations:
        return ""
    items = (
        filled(assumption(each), look.width, MARGIN + "  ").lstrip() for each in translation.approximations
    )
    return f"{MARGIN}Assumed:\n" + "".join(f"{MARGIN}- {item}\n" for item in items)


def assumption(approximation: Approximation) -> str:
    """In a sentence, with its place and what approves of it."""
    place = "" if approximation.span is None else f"line {approximation.span.line}: "
    approval = f" ({approximation.approval})" if approximation.approval else ""
    return f"{place}{approximation.sentence}{approval}"
