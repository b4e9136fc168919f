"""Why a run violates a property, as JSON, both ways, as its types say; see `result.schema.json`."""

from typing import Any

from seriatim.codec import codec_of, read_among
from seriatim.explain.why import Cycle, Fails, NothingExplains, Points, Stuck, Why
from seriatim.report.diagnostic_json import diagnostic_from, diagnostic_json

Json = dict[str, Any]

_BY_KEY: dict[str, type[Cycle | Points | Stuck]] = {"cycle": Cycle, "points": Points, "waits": Stuck}


def why_json(why: Why) -> Json:
    match why:
        case NothingExplains():
            return record_json(why)
        case Fails(diagnostic=diagnostic):
            return {"argument": None, "nearest": None, "fault": diagnostic_json(diagnostic)}
        case _:
            return {"argument": None, "nearest": None} | record_json(why)


def why_from(found: Json) -> Why:
    if "fault" in found:
        return Fails(diagnostic_from(found["fault"]))
    kind = next((kind for key, kind in _BY_KEY.items() if key in found), NothingExplains)
    why: Why = read_among(kind, found)
    return why


def record_json(record: object) -> Json:
    """A record as JSON, as its type says."""
    written: Json = codec_of(type(record)).write(record)
    return written
