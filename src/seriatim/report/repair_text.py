"""Repairs for people and for machines: what to blame, what to change, and what that means."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from seriatim.explain.explanation import Blame, Repair
from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.repairs import Repairs
from seriatim.repair.yields import YieldPlace, join_words
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.report.verdict_text import count_text
from seriatim.source import SourceText
from seriatim.text_width import fill, printable

VERSION = 1
MAX_OPEN = 3
"""How many undecided changes are listed."""
CONTEXT = 1
"""Lines around a change that are shown with it."""


def repairs_text(repairs: Repairs, source: SourceText, look: TextLook) -> str:
    """Lines of text, each with its line break."""
    name = look.paint(source.name, Style.STRONG)
    if repairs.found:
        count = count_text(len(repairs.found), "repair")
        kept = {repair.change.keeps_yields for repair in repairs.found}
        order = "; those that keep all yields come first" if len(kept) > 1 else ""
        title = f"{name}: {look.paint(count, Style.GOOD)}{order}"
    else:
        title = f"{name}: {look.paint('NO REPAIR FOUND', Style.BAD)}"
    parts = [title + "\n" + "".join(fill(line, look.width, MARGIN) + "\n" for line in _remarks(repairs))]
    parts += [_repair(number, repair, source, look) for number, repair in enumerate(repairs.found, 1)]
    return "\n".join(parts)


def _remarks(repairs: Repairs) -> Iterator[str]:
    decided = count_text(repairs.decided, "candidate")
    limit = (
        " The budget is used up, so there may be others: see --candidates and --timeout."
        if repairs.is_cut
        else ""
    )
    if repairs.found:
        yield f"{decided} decided; those shown are proved serializable for any number of requests.{limit}"
    else:
        yield f"{decided} decided; none of them is proved serializable.{limit}"
    if repairs.hangs:
        yield "Some requests can wait for ever, and may still do so after these changes: see ser check."
    kept = [each for each in repairs.undecided if each.candidate.change.keeps_yields]
    for each in kept[:MAX_OPEN]:
        yield f"Undecided: to {each.candidate.title}, because then {each.reason}."
    yield from _tell_blame([[place.span.line for place in places] for places in repairs.list_blamed()])


def blame_remarks(blame: Blame) -> Iterator[str]:
    """Which yields are to blame, and how far that is known; nothing for a program without any."""
    if not blame.yields:
        return
    if blame.sets:
        yield from _tell_blame(blame.sets)
        them = "one of these sets" if len(blame.sets) > 1 else "it" if len(blame.sets[0]) == 1 else "them"
        yield f"Without {them}, the program is proved serializable for any number of requests."
    else:
        yield f"No set of up to {blame.largest} yields explains it alone."
    if blame.is_cut:
        looked_at = count_text(blame.decided, "set")
        yield f"Budget: {looked_at} of yields, {blame.seconds:g} seconds; so there may be others."


def _tell_blame(sets: Sequence[Sequence[int]]) -> Iterator[str]:
    if sets:
        yield f"To blame: {'; or '.join(map(_yields, sets))}."


def _yields(lines: Sequence[int]) -> str:
    shown = join_words([str(line) for line in lines])
    return f"the yield in line {shown}" if len(lines) == 1 else f"the yields in lines {shown}, together"


def _repair(number: int, repair: Candidate, source: SourceText, look: TextLook) -> str:
    title = f"{number}. {repair.title[0].upper()}{repair.title[1:]}"
    proved = " It is proved that no request waits for ever." if repair.never_hangs else ""
    lines = [look.paint(title, Style.STRONG), fill(repair.meaning + proved, look.width, MARGIN)]
    lines += [
        look.paint(printable(line), style) for line, style in difference(source.text, repair.text, look)
    ]
    return "".join(line + "\n" for line in lines)


def difference(before: str, after: str, look: TextLook) -> Iterator[tuple[str, Style]]:
    """The lines that change, with those around them; numbers are those of the text before."""
    old, new = before.splitlines(), after.splitlines()
    width = len(str(len(old)))
    groups = SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT)
    for number, group in enumerate(groups):
        if number:
            yield f"{MARGIN}{' ' * width}  {look.symbols.ellipsis}", Style.FAINT
        for kind, begin, end, new_begin, new_end in group:
            if kind == "equal":
                yield from ((f"{MARGIN}{n + 1:>{width}}    {old[n]}", Style.FAINT) for n in range(begin, end))
                continue
            yield from ((f"{MARGIN}{n + 1:>{width}}  - {old[n]}", Style.BAD) for n in range(begin, end))
            yield from ((f"{MARGIN}{' ' * width}  + {line}", Style.GOOD) for line in new[new_begin:new_end])


def repairs_remarks(repairs: Repairs) -> list[str]:
    """Remarks about all repairs together, in sentences."""
    return list(_remarks(repairs))


def repairs_json(repairs: Repairs, source: SourceText) -> dict[str, Any]:
    """Repairs as JSON; `repairs.schema.json` describes the format."""
    return {
        "version": VERSION,
        "file": source.name,
        "decided": repairs.decided,
        "cut": repairs.is_cut,
        "blamed": [[_place(place) for place in places] for places in repairs.list_blamed()],
        "repairs": [
            {
                "change": repair.change,
                "title": repair.title,
                "meaning": repair.meaning,
                "never_hangs": repair.never_hangs,
                "text": repair.text,
            }
            for repair in repairs.found
        ],
        "undecided": [
            {"change": each.candidate.change, "title": each.candidate.title, "reason": each.reason}
            for each in repairs.undecided
        ],
    }


def text_changes_text(found: Sequence[Repair], source: SourceText, look: TextLook) -> str:
    """The same changes as lines of text, each with its line break."""
    name = look.paint(source.name, Style.STRONG)
    if not found:
        nothing = "No lock around a part of the code, and nothing like it, was proved to be enough."
        return f"{name}: {look.paint('NO REPAIR FOUND', Style.BAD)}\n{fill(nothing, look.width, MARGIN)}\n"
    title = f"{name}: {look.paint(count_text(len(found), 'repair'), Style.GOOD)}"
    remark = "Each is proved: the model of the changed file answers with yes. Nothing was executed."
    parts = [f"{title}\n{fill(remark, look.width, MARGIN)}\n"]
    for number, each in enumerate(found, 1):
        heading = look.paint(f"{number}. {each.title[0].upper()}{each.title[1:]}", Style.STRONG)
        changed = [
            look.paint(printable(line), style) for line, style in difference(source.text, each.text, look)
        ]
        lines = [heading, fill(each.meaning, look.width, MARGIN), *changed]
        parts.append("".join(line + "\n" for line in lines))
    return "\n".join(parts)


def text_changes_json(found: Sequence[Repair], source: SourceText) -> dict[str, Any]:
    """Changes of a file in another language, in the same format."""
    return {
        "version": VERSION,
        "file": source.name,
        "decided": len(found),
        "cut": False,
        "blamed": [],
        "repairs": [
            {
                "change": Change.LOCK,
                "title": each.title,
                "meaning": each.meaning,
                "never_hangs": False,
                "text": each.text,
            }
            for each in found
        ],
        "undecided": [],
    }


def _place(place: YieldPlace) -> dict[str, int]:
    return {"line": place.span.line, "column": place.span.column}
