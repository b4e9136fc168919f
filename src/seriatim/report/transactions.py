"""The output of `ser history LOG`: which isolation levels transactions show, and why not the others."""

from collections.abc import Iterator, Mapping

from seriatim.certificate.transactions import (
    Anomaly,
    Choice,
    Cycle,
    Cycles,
    Level,
    LevelEvidence,
    Step,
    weaker,
)
from seriatim.checking.history.transactions import TransactionLog
from seriatim.history.transactions.decide import Decided, LevelVerdict, NotApplicable, Undecided
from seriatim.report.look import Look, Style

FEW = 6
"""How many cycles and steps are listed."""

Verdicts = Mapping[Level, LevelVerdict]

ANOMALIES = {
    "garbage": "{reader} read a value of {key} that nobody wrote",
    "G1a": "{reader} read a value of {key} whose transaction did not commit",
    "G1b": "{reader} read {key} as it was in the middle of another transaction",
    "future": "{reader} read a value of {key} that it wrote only later",
    "duplicate": "{reader} read a list from {key} that has an element twice",
    "torn": "{reader} read a list from {key} with the appends of a transaction apart, or out of order",
    "incompatible": "{reader} and {other} read lists from {key}, neither of which begins with the other",
    "internal": "{reader} read something else from {key} than it had written or read before",
}


def strongest(verdicts: Verdicts) -> list[Level]:
    """The levels that hold, without those that others imply."""
    held = [level for level, v in verdicts.items() if isinstance(v, Decided) and v.holds]
    return [level for level in held if not any(level in weaker(other) for other in held)]


def weakest(verdicts: Verdicts) -> list[Level]:
    """The levels that do not hold, without those that follow from others."""
    failed = [level for level, v in verdicts.items() if isinstance(v, Decided) and not v.holds]
    return [level for level in failed if not any(other in weaker(level) for other in failed)]


def verdicts_text(name: str, log: TransactionLog, verdicts: Verdicts, lists_all: bool, look: Look) -> str:
    return "".join(f"{line}\n" for line in _lines(name, log, verdicts, lists_all, look))


def _lines(name: str, log: TransactionLog, verdicts: Verdicts, lists_all: bool, look: Look) -> Iterator[str]:
    title = look.paint(name, Style.STRONG)
    kind = "appends to lists" if log.has_lists else "registers"
    count = len(log.transactions)
    what = f"{count:,} transaction{'s' * (count != 1)} ({kind})"
    if len(verdicts) == 1:
        ((level, verdict),) = verdicts.items()
        yield f"{title}: {_verdict(level, verdict, look)}: {what}"
    else:
        yield f"{title}: {what}"
    if lists_all:
        for level, verdict in verdicts.items():
            yield f"  {_verdict(level, verdict, look)}"
    elif len(verdicts) > 1:
        told = [*strongest(verdicts), *weakest(verdicts)]
        told += [level for level, v in verdicts.items() if isinstance(v, Undecided)]
        yield f"  {', '.join(_verdict(level, verdicts[level], look) for level in told)}"
        absent = [level.words for level, v in verdicts.items() if isinstance(v, NotApplicable)]
        if absent:
            yield f"  The log does not say when transactions began: nothing about {' and '.join(absent)}."
    for level in weakest(verdicts):
        verdict = verdicts[level]
        if isinstance(verdict, Decided):
            yield f"  Why not {level.words}:"
            yield from (f"    {line}" for line in reason_lines(verdict.certificate.evidence, log))


def _verdict(level: Level, verdict: LevelVerdict, look: Look) -> str:
    match verdict:
        case Decided() if verdict.holds:
            return look.paint(level.words, Style.GOOD)
        case Decided():
            return look.paint(f"NOT {level.words}", Style.BAD)
        case NotApplicable():
            return f"{level.words} does not apply, because the log does not say when transactions began"
        case Undecided(reason=reason):
            return look.paint(f"{level.words}: undecided: {reason}", Style.CHANGE)


# --- reasons ------------------------------------------------------------------------------------------------


def reason_lines(evidence: LevelEvidence, log: TransactionLog) -> Iterator[str]:
    """Why a level does not hold."""
    match evidence:
        case Anomaly(name=name, transactions=(reader, *others), key=key):
            other = _line(others[0], log) if others else ""
            yield ANOMALIES[name].format(reader=_line(reader, log), other=other, key=key) + f" ({name})"
        case Cycles(cycles=(cycle,)):
            yield from _argument(cycle.steps, log)
        case Cycles(cycles=cycles):
            yield from _cases(cycles, log)
        case _:
            return


def _cases(cycles: tuple[Cycle, ...], log: TransactionLog) -> Iterator[str]:
    shown = [cycle for cycle in cycles if cycle.steps]
    single = {frozenset(cycle.choices[0][1:]) for cycle in shown if len(cycle.choices) == 1}
    if len(shown) == 2 and len(single) == 1 and all(len(cycle.choices) == 1 for cycle in shown):
        key, first, second = shown[0].choices[0]
        yield f"Who wrote {key} first, {_line(first, log)} or {_line(second, log)}? Neither will do."
    else:
        yield f"However the writers are ordered, one of {len(shown):,} cycles remains."
    for cycle in shown[:FEW]:
        conditions = " and ".join(_choice(choice, log) for choice in cycle.choices)
        yield f"If {conditions}:"
        yield from (f"  {line}" for line in _argument(cycle.steps, log))
    if len(shown) > FEW:
        yield f"… and {len(shown) - FEW:,} more; --certificate PATH saves them."


def _choice(choice: Choice, log: TransactionLog) -> str:
    key, first, second = choice
    return f"{_line(first, log)} wrote {key} before {_line(second, log)}"


def _argument(steps: tuple[Step, ...], log: TransactionLog) -> Iterator[str]:
    for at, step in enumerate(steps):
        is_last = at == len(steps) - 1
        begin = "but " if is_last and at else ""
        yield f"{begin}{step_text(step, log)}{': a contradiction!' if is_last else ','}"


def step_text(step: Step, log: TransactionLog) -> str:
    source, target = _line(step.source, log), _line(step.target, log)
    match step.why:
        case "wr":
            return f"{target} read {step.key} as {source} left it"
        case "ww":
            return f"{source} wrote {step.key} before {target}"
        case "rw":
            return f"{source} read {step.key} as it was before {target} wrote it"
        case "so":
            return f"{source} came before {target} in the same process"
        case "rt":
            return f"{source} ended before {target} began"
        case _:
            path = " and ".join(step_text(each, log) for each in step.path)
            reader = _line(step.path[-1].target, log)
            if step.source == step.target:
                return f"{reader} read {step.key} as it was before {source} wrote it, although {path}"
            why = f"{reader} read it as {target} left it, although {path}"
            return f"{source} wrote {step.key} before {target}, because {why}"


def _line(number: int, log: TransactionLog) -> str:
    return f"line {log.transactions[number].line}"


# --- JSON ---------------------------------------------------------------------------------------------------


def verdicts_json(name: str, log: TransactionLog, verdicts: Verdicts, seconds: float) -> dict[str, object]:
    words = {level: _word(verdict) for level, verdict in verdicts.items()}
    return {
        "file": name,
        "verdict": overall(verdicts),
        "seconds": round(seconds, 3),
        "method": "isolation",
        "transactions": len(log.transactions),
        "lists": log.has_lists,
        "timed": log.is_timed,
        "levels": {level.value: word for level, word in words.items()},
        "strongest": [level.value for level in strongest(verdicts)],
        "reasons": {
            level.value: list(reason_lines(verdict.certificate.evidence, log))
            for level in weakest(verdicts)
            if isinstance(verdict := verdicts[level], Decided)
        },
    }


def overall(verdicts: Verdicts) -> str:
    """`holds` if all levels do, `violated` if some does not."""
    words = {_word(verdict) for verdict in verdicts.values()}
    return next((each for each in ("violated", "undecided", "holds") if each in words), "not_applicable")


def _word(verdict: LevelVerdict) -> str:
    match verdict:
        case Decided():
            return verdict.certificate.verdict
        case Undecided():
            return "undecided"
        case NotApplicable():
            return "not_applicable"
