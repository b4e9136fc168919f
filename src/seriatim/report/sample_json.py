"""Sample runs as JSON."""

from typing import Any, assert_never

from seriatim.explain.drawn import Answered, CutShort, DrawnRun, GotStuck
from seriatim.report.result_json import VERSION
from seriatim.report.run_json import run_json
from seriatim.source import SourceText


def drawn_json(drawn: DrawnRun, source: SourceText) -> dict[str, Any]:
    header = {"version": VERSION, "file": source.name, "seed": drawn.seed, "serial": drawn.serial}
    match drawn.ending:
        case Answered():
            ending: dict[str, Any] = {"result": "complete"}
        case GotStuck(waiting=waiting, never_begun=never_begun):
            ending = {"result": "stuck", "waiting": list(waiting), "never_begun": list(never_begun)}
        case CutShort():
            ending = {"result": "too_long"}
        case _:
            assert_never(drawn.ending)
    return header | ending | run_json(drawn.run)
