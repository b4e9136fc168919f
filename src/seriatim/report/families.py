"""Requests that differ only in their arguments, listed once: `inc(…)` stands for all of them.

Claim: what is said about a family is true of each of its requests. Reasons are joined only if they are equal
up to the arguments, and up to the answers of commits, which then stand for any answer; and `inc(…)` is
written only where the same is said about every request of the family that is mentioned at all.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from seriatim.explain.explanation import CommitStep, Reason, Reduced, Uninterrupted

_WITH_ARGUMENTS = re.compile(r"(\w+)\(.*\)")

_OfHandler = CommitStep | Reduced | Uninterrupted


def join_families(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """The reasons, joined to one for each family of requests about which the same is said."""
    found: dict[Reason, list[Reason]] = {}
    for reason in reasons:
        found.setdefault(_key(reason), []).append(reason)
    members: dict[str, set[str]] = {}
    for same in found.values():
        for each in same:
            if isinstance(each, _OfHandler):
                members.setdefault(_family(each.handler), set()).add(each.handler)
    return tuple(_join(same, members) for same in found.values())


def _key(reason: Reason) -> Reason:
    match reason:
        case CommitStep():
            return replace(reason, handler=_family(reason.handler), responses=())
        case Uninterrupted() | Reduced():
            return replace(reason, handler=_family(reason.handler))
        case _:
            return reason


def _family(handler: str) -> str:
    named = _WITH_ARGUMENTS.fullmatch(handler)
    return handler if named is None else f"{named[1]}(…)"


def _join(same: list[Reason], members: dict[str, set[str]]) -> Reason:
    first = same[0]
    if len(same) == 1 or not isinstance(first, _OfHandler):
        return first
    names = [each.handler for each in same if isinstance(each, _OfHandler)]
    family = _family(first.handler)
    handler = family if set(names) == members[family] else ", ".join(names)
    if isinstance(first, CommitStep):
        answers = {answer for each in same if isinstance(each, CommitStep) for answer in each.responses}
        return replace(first, handler=handler, responses=tuple(sorted(answers)))
    return replace(first, handler=handler)
