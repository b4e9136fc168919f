"""Why a run is not conflict-serializable: a cycle of conflicts, as data and as an argument that contradicts
itself."""

from dataclasses import dataclass
from typing import Any

from seriatim.certificate.cycle import Access, Conflict
from seriatim.explain.timeline import Notes
from seriatim.report.look import Look
from seriatim.source import Span
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run, Turn
from seriatim.systems.source_map import events
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.text_width import filled, printable


@dataclass(frozen=True, slots=True)
class AccessShown:
    """What a request of the run does with a variable."""

    request: int
    """Counted from 1."""
    handler: str
    access: Access
    line: int | None
    """None in a network system."""

    def words(self, variable: str) -> str:
        where = "" if self.line is None else f" in line {self.line}"
        return f"request {self.request}, `{printable(self.handler)}`, {self.access}s {variable}{where}"


@dataclass(frozen=True, slots=True)
class ConflictShown:
    """The first access comes before the second."""

    variable: str
    first: AccessShown
    second: AccessShown


def shown_conflicts(conflicts: tuple[Conflict, ...], run: Run, origin: Origin) -> tuple[ConflictShown, ...]:
    """The conflicts of a cycle with the lines of the accesses, beginning with the one that happens first."""
    first = min(range(len(conflicts)), key=lambda index: conflicts[index].first)
    return tuple(
        ConflictShown(
            conflict.variable,
            *(
                _shown(run.turns[number - 1], access, conflict.variable, origin)
                for number, access in zip((conflict.first, conflict.second), conflict.accesses, strict=True)
            ),
        )
        for conflict in (*conflicts[first:], *conflicts[:first])
    )


def _shown(turn: Turn, access: Access, variable: str, origin: Origin) -> AccessShown:
    span = _place(turn, access, variable, origin) if isinstance(origin, ProgramUnfolding) else None
    handler = origin.requests[origin.request_of(turn.local)]
    return AccessShown(turn.request + 1, handler, access, None if span is None else span.line)


def _place(turn: Turn, access: Access, variable: str, origin: ProgramUnfolding) -> Span | None:
    """Where a turn first does that with the variable."""
    for event in events(origin, turn.local, turn.before, turn.target, turn.after):
        written = None if event.write is None else event.write.name
        if variable == (event.read if access == "read" else written):
            return event.span
    return None


def access_notes(conflicts: tuple[Conflict, ...]) -> Notes:
    """For each turn of the cycle what it does with which variable."""
    notes: dict[int, dict[str, None]] = {}
    for conflict in conflicts:
        for number, access in zip((conflict.first, conflict.second), conflict.accesses, strict=True):
            notes.setdefault(number, {})[f"{access}s {printable(conflict.variable)}"] = None
    return {number: tuple(words) for number, words in notes.items()}


def cycle_text(cycle: tuple[ConflictShown, ...], look: Look, margin: str) -> str:
    """The argument, an item for each conflict."""
    lines = [filled("Suppose that one request at a time could have done this:", look.width, margin)]
    for conflict in cycle:
        first, second = conflict.first, conflict.second
        name = printable(conflict.variable)
        order = f"so request {first.request} comes before request {second.request}"
        sentence = f"{first.words(name)} before {second.words('it')}, {order}."
        lines.append(_item(sentence[:1].upper() + sentence[1:], look, margin))
    requests = [conflict.first.request for conflict in cycle]
    arrow = f" {look.symbols.arrow} "
    round_ = arrow.join(str(request) for request in (*requests, requests[0]))
    lines.append(
        _item(f"So request {requests[0]} would come before itself ({round_}): a contradiction!", look, margin)
    )
    return "".join(f"{line}\n" for line in lines)


def _item(text: str, look: Look, margin: str) -> str:
    return f"{margin}- {filled(text, look.width, margin + '  ').lstrip()}"


def cycle_json(cycle: tuple[ConflictShown, ...]) -> list[dict[str, Any]]:
    return [
        {
            "variable": conflict.variable,
            "first": _access_json(conflict.first),
            "second": _access_json(conflict.second),
        }
        for conflict in cycle
    ]


def _access_json(shown: AccessShown) -> dict[str, Any]:
    return {
        "request": shown.request,
        "handler": shown.handler,
        "access": shown.access,
        "line": shown.line,
    }
