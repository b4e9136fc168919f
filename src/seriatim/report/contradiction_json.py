"""Why an outcome is not serial, and the serial outcomes nearest to it, as JSON; see `result.schema.json`."""

from collections.abc import Iterable
from typing import Any, assert_never

from seriatim.explain.contradiction import (
    Argument,
    Blocked,
    Case,
    Cases,
    Impossible,
    Outline,
)
from seriatim.explain.nearest import Nearest
from seriatim.explain.next_steps import Completion
from seriatim.program.state import GlobalState

Json = dict[str, Any]


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
                {"order": _order(end.order), "state": state_json(end.state), "blocked": _blocked(end.blocked)}
                for end in shortest
            ]
            return {"kind": "outline", "prefixes": prefixes, "dead_ends": dead_ends, "shortest": ends}
        case _:
            assert_never(argument)


def nearest_json(nearest: Nearest | None) -> Json | None:
    if nearest is None:
        return None
    return {"changed": nearest.changed, "orders": [_order(order) for order in nearest.orders]}


def state_json(state: GlobalState) -> str | dict[str, int]:
    return state if isinstance(state, str) else dict(state)


def _case(case: Case) -> Json:
    steps = [
        {"handler": step.handler, "response": step.response, "case": _case(step.next)} for step in case.steps
    ]
    return {"state": state_json(case.state), "blocked": _blocked(case.blocked), "steps": steps}


def _blocked(blocked: Iterable[Blocked]) -> list[Json]:
    return [
        {"handler": one.handler, "wanted": list(one.wanted), "possible": list(one.possible)}
        | ({"precede": list(one.precede)} if one.precede else {})
        for one in blocked
    ]


def _order(order: Iterable[Completion]) -> list[list[str]]:
    return [[handler, response] for handler, response in order]
