"""The account of a log of transactions: which isolation levels they show, and why not the others."""

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
from seriatim.checking.history.transactions import Operation, TransactionLog
from seriatim.explain.account import Account, Bar, Finding, Reason, Shown, draw_bars
from seriatim.history.transactions.decide import Decided, LevelVerdict, NotApplicable, Undecided
from seriatim.history.transactions.names import cycle_name

FEW = 6
"""How many cycles and steps are listed."""
MOST = 30
"""How many transactions are drawn."""

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


def account_of_transactions(
    log: TransactionLog, verdicts: Verdicts, lists_all: bool, anomalies: Mapping[str, int]
) -> Account:
    """Returns what was found about the levels in question; of many, the strongest that hold and the weakest
    that do not, unless all are to be listed."""
    kind = "appends to lists" if log.has_lists else "registers"
    count = len(log.transactions)
    committed = sum(each.status == "ok" for each in log.transactions)
    told_of = "" if committed == count else f", {committed:,} known to have committed"
    size = f"{count:,} transaction{'s' * (count != 1)} ({kind}){told_of}"
    reasons = [
        _reason(level, verdict, log) for level, verdict in verdicts.items() if level in weakest(verdicts)
    ]
    absent = [level.words for level, v in verdicts.items() if isinstance(v, NotApplicable)]
    if absent and len(verdicts) > 1 and not lists_all:
        told = f"The log does not say when transactions began: nothing about {' and '.join(absent)}."
        reasons.insert(0, Reason(told))
    if anomalies:
        told = ", ".join(f"{name} × {count:,}" for name, count in anomalies.items())
        reasons.insert(0, Reason(f"Anomalies found: {told}."))
    shown = list(verdicts) if lists_all or len(verdicts) == 1 else _telling(verdicts)
    findings = tuple(_finding(level, verdicts[level]) for level in shown)
    facts: dict[str, object] = {
        "transactions": count,
        "lists": log.has_lists,
        "timed": log.is_timed,
        "levels": {level.value: _word(verdict) for level, verdict in verdicts.items()},
        "anomalies": dict(anomalies),
        "strongest": [level.value for level in strongest(verdicts)],
        "weakest": [level.value for level in weakest(verdicts)],
    }
    return Account(size, findings, tuple(reasons), facts)


def _telling(verdicts: Verdicts) -> list[Level]:
    undecided = [level for level, verdict in verdicts.items() if isinstance(verdict, Undecided)]
    return [*strongest(verdicts), *weakest(verdicts), *undecided]


def _finding(level: Level, verdict: LevelVerdict) -> Finding:
    match verdict:
        case Decided() if verdict.holds:
            return Finding(level.words, True)
        case Decided():
            return Finding(f"NOT {level.words}", False)
        case NotApplicable():
            return Finding(
                f"{level.words} does not apply, because the log does not say when transactions began", None
            )
        case Undecided(reason=reason):
            return Finding(f"{level.words}: undecided: {reason}", None)


def _word(verdict: LevelVerdict) -> str:
    match verdict:
        case Decided():
            return verdict.certificate.verdict
        case Undecided():
            return "undecided"
        case NotApplicable():
            return "not_applicable"


def _reason(level: Level, verdict: LevelVerdict, log: TransactionLog) -> Reason:
    assert isinstance(verdict, Decided)
    evidence = verdict.certificate.evidence
    name = (
        cycle_name(step.why for step in evidence.cycles[0].steps)
        if isinstance(evidence, Cycles) and len(evidence.cycles) == 1
        else ""
    )
    title = f"Why not {level.words}{name and f' ({name})'}:"
    return Reason(title, tuple(reason_lines(evidence, log)), _bars(evidence, log))


def _bars(evidence: LevelEvidence, log: TransactionLog) -> tuple[Bar, ...]:
    each = (log.transactions[number] for number in _involved(evidence)[:MOST])
    return draw_bars(
        [
            Shown(t.line, t.process or "", " ".join(map(_operation, t.operations)), t.start, t.end)
            for t in each
        ]
    )


def _involved(evidence: LevelEvidence) -> list[int]:
    """The transactions that a reason is about."""
    match evidence:
        case Anomaly(transactions=transactions):
            return sorted(set(transactions))
        case Cycles(cycles=cycles):
            steps = [step for cycle in cycles for step in cycle.steps]
            inner = [each for step in steps for each in (step, *step.path)]
            return sorted({number for each in inner for number in (each.source, each.target)})
        case _:
            return []


def _operation(operation: Operation) -> str:
    kind, key, value = operation
    shown = (
        f"[{' '.join(map(str, value))}]" if isinstance(value, tuple) else "nil" if value is None else value
    )
    return f"[{kind} {key} {shown}]"


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
