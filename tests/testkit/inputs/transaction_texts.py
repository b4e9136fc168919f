"""A small notation for logs of transactions, and such logs as text."""

import json

from seriatim.checking.history.transactions import Operation, Status, Transaction, TransactionLog


def log_of(*texts: str, lists: bool = True, timed: bool = True) -> TransactionLog:
    """Transactions one after the other, each as `ax1 rx12`; `!` before one that failed, `?` before one whose
    outcome is not known, and `p:` before one of process p."""
    found: list[Transaction] = []
    for number, text in enumerate(texts):
        status: Status = "fail" if text[0] == "!" else "info" if text[0] == "?" else "ok"
        process, _, words = text.lstrip("!?").rpartition(":")
        operations: list[Operation] = []
        for word in words.split():
            values = tuple(map(int, word[2:]))
            if word[0] == "r":
                operations.append(("r", word[1], values if lists else values[0] if values else None))
            else:
                operations.append(("append" if lists else "w", word[1], values[0]))
        start, end = (2 * number + 1, 2 * number + 2) if timed else (None, None)
        end = end if status == "ok" else None
        name = process or f"p{number}"
        found.append(Transaction(2 * number + 2, name, start, end, status, tuple(operations)))
    return TransactionLog(tuple(found), lists, timed, "digest")


def text_of_transactions(log: TransactionLog) -> str:
    """The log as JSON lines. The times of its events become their places."""
    events: list[tuple[int, dict[str, object]]] = []
    for each in log.transactions:
        found: list[list[object]] = [[f, str(k), v] for f, k, v in each.operations]
        asked = [[f, k, None if f == "r" else v] for f, k, v in found]
        if each.start is not None:
            events.append((each.start, {"type": "invoke", "process": each.process, "value": asked}))
        told = found if each.status == "ok" else asked
        events.append((each.line, {"type": each.status, "process": each.process, "value": told}))
    events.sort(key=lambda event: event[0])
    return "".join(json.dumps(event) + "\n" for _, event in events)
