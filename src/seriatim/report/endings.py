"""How runs of an asynchronous program end, for people and as JSON."""

import json
from collections.abc import Iterator
from typing import assert_never

from seriatim.actions.values import Sizes
from seriatim.explain.action_states import instance_text, pending_text
from seriatim.report.text_look import Style, TextLook
from seriatim.sequencing.claims import Claim, Holds, Unknown, Violated
from seriatim.sequencing.endings import Ending, Endings
from seriatim.text_width import fill

CLAIMED = {Ending.DEADLOCK_FREE: "no run gets stuck", Ending.TERMINATING: "every run ends"}


def at_sizes(sizes: Sizes) -> str:
    """The sizes in words, after a space; empty for a program without sizes."""
    return f" at {sizes.text().replace('=', ' = ')}" if sizes.parameters else ""


def tell_endings(endings: tuple[Endings, ...]) -> Iterator[str]:
    """Tells the runs that get stuck or need not end, at given sizes; or that there are none."""
    for each in endings:
        yield from _tell_stuck(each)
        yield from _tell_endless(each)
    if endings and not any(each.stuck for each in endings):
        yield "No run gets stuck."
    if endings and not any(each.endless for each in endings):
        yield "Every run ends."


def _tell_stuck(endings: Endings) -> Iterator[str]:
    interpreter, stuck = endings.interpreter, endings.stuck
    if stuck is not None:
        path = ", ".join(instance_text(step, interpreter) for step in stuck.run) or "nothing is executed yet"
        waiting = pending_text(stuck.last[1], interpreter)
        place = at_sizes(interpreter.layout.sizes)
        yield f"A run gets stuck{place}: {path}; then nothing can be done of: {waiting}"


def _tell_endless(endings: Endings) -> Iterator[str]:
    interpreter, endless = endings.interpreter, endings.endless
    if endless is not None:
        path = ", ".join(instance_text(step, interpreter) for step in endless.run)
        again = ", ".join(instance_text(step, interpreter) for step in endless.again)
        place = at_sizes(interpreter.layout.sizes)
        yield f"A run need not end{place}: {path}; then {again} again and again"


def claim_text(name: str, ending: Ending, claim: Claim, look: TextLook, _seconds: float) -> str:
    title = look.paint(name, Style.STRONG)
    lines = [f"{title}: {_verdict(ending, claim, look)}"]
    lines += [fill(each, look.width, "  ") for each in _told(ending, claim)]
    return "".join(f"{line}\n" for line in lines)


def _verdict(ending: Ending, claim: Claim, look: TextLook) -> str:
    match claim:
        case Holds(sizes=sizes):
            where = "".join(map(at_sizes, sizes)) if sizes else " for all sizes"
            return f"{look.paint(str(ending), Style.GOOD)}{where}"
        case Violated():
            return look.paint(f"NOT {str(ending).upper()}", Style.BAD)
        case Unknown():
            return look.paint("unknown", Style.CHANGE)
        case never:
            assert_never(never)


def _told(ending: Ending, claim: Claim) -> Iterator[str]:
    match claim:
        case Holds(reason=reason):
            yield f"So {CLAIMED[ending]}: {reason}."
        case Violated(endings=endings):
            yield from (_tell_stuck if ending is Ending.DEADLOCK_FREE else _tell_endless)(endings)
        case Unknown(reason=reason):
            yield f"It is not known whether {CLAIMED[ending]}: {reason}."
            yield "At fixed sizes it is decided exactly: --size."
        case never:
            assert_never(never)


def claim_json(name: str, ending: Ending, claim: Claim, _look: TextLook, seconds: float) -> str:
    verdicts = {Holds: "holds", Violated: "violated", Unknown: "unknown"}
    found: dict[str, object] = {
        "file": name,
        "property": str(ending),
        "verdict": verdicts[type(claim)],
        "seconds": round(seconds, 3),
    }
    if isinstance(claim, Violated):
        found["sizes"] = dict(claim.endings.interpreter.layout.sizes.parameters)
    elif isinstance(claim, Holds):
        found["sizes"] = [dict(each.parameters) for each in claim.sizes] or "all"
    found["reason"] = " ".join(_told(ending, claim))
    return json.dumps(found) + "\n"
