"""Why a run violates a property, as JSON, both ways; see `result.schema.json`."""

from collections.abc import Iterable
from typing import Any, assert_never

from seriatim.explain.argument import (
    Argument,
    Blocked,
    Case,
    Cases,
    Completion,
    DeadEnd,
    Impossible,
    Nearest,
    Occasion,
    Outline,
    Step,
)
from seriatim.explain.why import (
    AccessShown,
    ConflictShown,
    Cycle,
    Effect,
    Fails,
    FinalValues,
    Held,
    InTime,
    NothingExplains,
    Points,
    Seen,
    Stuck,
    Timed,
    Waits,
    Why,
)
from seriatim.report.diagnostic_json import diagnostic_from, diagnostic_json
from seriatim.report.run_json import state_from, state_json

Json = dict[str, Any]


def why_json(why: Why) -> Json:
    match why:
        case NothingExplains():
            return {
                **({"barriers": list(why.barriers)} if why.barriers else {}),
                **({} if why.seen is None else {"seen": _write_seen(why.seen)}),
                **({"cut": True} if why.is_cut else {}),
                "argument": argument_json(why.argument),
                "nearest": _nearest(why.nearest),
            }
        case Cycle(conflicts=conflicts):
            return {"argument": None, "nearest": None, "cycle": [_conflict(each) for each in conflicts]}
        case Points(effects=effects):
            return {"argument": None, "nearest": None, "points": [_effect(each) for each in effects]}
        case Fails(diagnostic=diagnostic):
            return {"argument": None, "nearest": None, "fault": diagnostic_json(diagnostic)}
        case Stuck():
            return {"argument": None, "nearest": None, **stuck_json(why)}
        case _:
            assert_never(why)


def why_from(found: Json) -> Why:
    if "cycle" in found:
        return Cycle(tuple(_conflict_from(conflict) for conflict in found["cycle"]))
    if "points" in found:
        return Points(tuple(Effect(**effect) for effect in found["points"]))
    if "waits" in found:
        return stuck_from(found)
    if "fault" in found:
        return Fails(diagnostic_from(found["fault"]))
    return NothingExplains(
        _argument_from(found["argument"]),
        _nearest_from(found["nearest"]),
        _read_seen(found.get("seen")),
        tuple(found.get("barriers", ())),
        found.get("cut", False),
    )


# Observations besides answers


def _write_seen(seen: Seen) -> Json:
    match seen:
        case FinalValues(values=values):
            return {"final_values": values}
        case InTime(requests=requests):
            return {
                "in_time": [
                    {"handler": one.handler, "answer": one.answer, "began": one.began, "times": one.times}
                    for one in requests
                ]
            }
        case _:
            assert_never(seen)


def _read_seen(seen: Json | None) -> Seen | None:
    if seen is None:
        return None
    if "final_values" in seen:
        return FinalValues(seen["final_values"])
    return InTime(tuple(Timed(**timed) for timed in seen["in_time"]))


# Arguments


def argument_json(argument: Argument | None) -> Json | None:
    match argument:
        case None:
            return None
        case Cases(root=root):
            return {"kind": "cases", "case": _case(root)}
        case Impossible(handler=handler, response=response, occasions=occasions):
            found = [
                {"before": _order(one.before), "state": state_json(one.state), "possible": list(one.possible)}
                for one in occasions
            ]
            return {"kind": "impossible", "handler": handler, "response": response, "occasions": found}
        case Outline(prefixes=prefixes, dead_ends=dead_ends, shortest=shortest):
            ends = [
                {
                    "order": _order(end.order),
                    "state": state_json(end.state),
                    "blocked": _write_blocked(end.blocked),
                }
                for end in shortest
            ]
            return {"kind": "outline", "prefixes": prefixes, "dead_ends": dead_ends, "shortest": ends}
        case _:
            assert_never(argument)


def _argument_from(argument: Json | None) -> Argument | None:
    if argument is None:
        return None
    match argument["kind"]:
        case "cases":
            return Cases(_case_from(argument["case"]))
        case "impossible":
            occasions = tuple(
                Occasion(_order_from(one["before"]), state_from(one["state"]), tuple(one["possible"]))
                for one in argument["occasions"]
            )
            return Impossible(argument["handler"], argument["response"], occasions)
        case "outline":
            ends = tuple(
                DeadEnd(_order_from(end["order"]), state_from(end["state"]), _read_blocked(end["blocked"]))
                for end in argument["shortest"]
            )
            return Outline(argument["prefixes"], argument["dead_ends"], ends)
        case kind:
            raise ValueError(f"no argument is of the kind {kind!r}")


def _case(case: Case) -> Json:
    steps = [
        {"handler": step.handler, "response": step.response, "case": _case(step.next)} for step in case.steps
    ]
    return {"state": state_json(case.state), "blocked": _write_blocked(case.blocked), "steps": steps}


def _case_from(case: Json) -> Case:
    steps = (Step(step["handler"], step["response"], _case_from(step["case"])) for step in case["steps"])
    return Case(state_from(case["state"]), _read_blocked(case["blocked"]), tuple(steps))


def _write_blocked(blocked: Iterable[Blocked]) -> list[Json]:
    return [
        {"handler": one.handler, "wanted": list(one.wanted), "possible": list(one.possible)}
        | ({"precede": list(one.precede)} if one.precede else {})
        for one in blocked
    ]


def _read_blocked(blocked: list[Json]) -> tuple[Blocked, ...]:
    return tuple(
        Blocked(one["handler"], tuple(one["wanted"]), tuple(one["possible"]), tuple(one.get("precede", ())))
        for one in blocked
    )


def _nearest(nearest: Nearest | None) -> Json | None:
    if nearest is None:
        return None
    return {"changed": nearest.changed, "orders": [_order(order) for order in nearest.orders]}


def _nearest_from(nearest: Json | None) -> Nearest | None:
    if nearest is None:
        return None
    return Nearest(nearest["changed"], tuple(map(_order_from, nearest["orders"])))


def _order(order: Iterable[Completion]) -> list[list[str]]:
    return [[handler, response] for handler, response in order]


def _order_from(order: list[list[str]]) -> tuple[Completion, ...]:
    return tuple((handler, response) for handler, response in order)


# Conflicts and points


def _conflict(conflict: ConflictShown) -> Json:
    first, second = _access(conflict.first), _access(conflict.second)
    return {"variable": conflict.variable, "first": first, "second": second}


def _conflict_from(conflict: Json) -> ConflictShown:
    first, second = AccessShown(**conflict["first"]), AccessShown(**conflict["second"])
    return ConflictShown(conflict["variable"], first, second)


def _access(shown: AccessShown) -> Json:
    return {
        "request": shown.request,
        "handler": shown.handler,
        "access": shown.access,
        "line": shown.line,
    }


def _effect(effect: Effect) -> Json:
    return {
        "request": effect.request,
        "handler": effect.handler,
        "response": effect.response,
        "line": effect.line,
    }


# Waiting


def stuck_json(stuck: Stuck) -> Json:
    return {"waits": [_waits(each) for each in stuck.waits], "unchanged": list(stuck.unchanged)}


def stuck_from(found: Json) -> Stuck:
    waits = (
        Waits(**(each | {"holds": tuple(Held(**held) for held in each["holds"])})) for each in found["waits"]
    )
    return Stuck(tuple(waits), tuple(found["unchanged"]))


def _waits(waits: Waits) -> Json:
    return {
        "request": waits.request,
        "handler": waits.handler,
        "line": waits.line,
        "holds": [
            {
                "variable": held.variable,
                "value": held.value,
                "by": held.by,
                "handler": held.handler,
                "line": held.line,
                "has_ended": held.has_ended,
            }
            for held in waits.holds
        ],
    }
