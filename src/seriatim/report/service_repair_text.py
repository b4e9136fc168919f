"""Repairs of asyncio services, for people and for machines: what was tried, and what runs showed."""

from collections.abc import Iterator
from typing import Any

from seriatim.repair.service_repairs import SeenRepair, ServiceRepairs
from seriatim.report.repair_text import VERSION, difference
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.report.verdict_text import count_text
from seriatim.source import SourceText
from seriatim.text_width import fill, printable


def service_repairs_text(repairs: ServiceRepairs, source: SourceText, look: TextLook) -> str:
    """Lines of text, each with its line break."""
    name = look.paint(source.name, Style.STRONG)
    if not repairs.has_race:
        title = f"{name}: no race was seen with up to {count_text(repairs.explored, 'request')}"
        return f"{title}\n{MARGIN}There is nothing to fix.\n"
    if repairs.found:
        title = f"{name}: {look.paint(count_text(len(repairs.found), 'repair'), Style.GOOD)}"
    else:
        title = f"{name}: {look.paint('NO REPAIR FOUND', Style.BAD)}"
    remarks = "".join(fill(line, look.width, MARGIN) + "\n" for line in service_repairs_remarks(repairs))
    shown = [_repair(number, each, source, look) for number, each in enumerate(repairs.found, 1)]
    return "\n".join([f"{title}\n{remarks}", *shown])


def service_repairs_remarks(repairs: ServiceRepairs) -> Iterator[str]:
    tried = count_text(repairs.tried, "change")
    were = "was" if repairs.tried == 1 else "were"
    more = " The budget is used up, so there may be others." if repairs.is_cut else ""
    if repairs.found:
        yield (
            f"{tried} {were} tried by running changed copies. Those shown have no race any more, as far as"
            f" the runs go, and requests that run one at a time answer as before.{more}"
        )
    else:
        yield f"{tried} {were} tried by running changed copies: all of them race, or answer otherwise.{more}"


def _repair(number: int, repair: SeenRepair, source: SourceText, look: TextLook) -> str:
    change = repair.change
    seen = f"{repair.runs:,} runs, with up to {repair.requests} requests at a time."
    lines = [
        look.paint(f"{number}. {change.title[0].upper()}{change.title[1:]}", Style.STRONG),
        fill(f"{change.meaning} Seen in {seen}", look.width, MARGIN),
    ]
    lines += [
        look.paint(printable(line), style) for line, style in difference(source.text, change.text, look)
    ]
    return "".join(line + "\n" for line in lines)


def service_repairs_json(repairs: ServiceRepairs, source: SourceText) -> dict[str, Any]:
    """Repairs as JSON; `repairs.schema.json` describes the format."""
    return {
        "version": VERSION,
        "file": source.name,
        "decided": repairs.tried,
        "cut": repairs.is_cut,
        "blamed": [],
        "repairs": [
            {
                "change": each.change.change,
                "title": each.change.title,
                "meaning": each.change.meaning,
                "text": each.change.text,
                "runs": each.runs,
                "requests": each.requests,
            }
            for each in repairs.found
        ],
    }
