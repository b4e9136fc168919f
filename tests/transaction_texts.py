"""A small notation for logs of transactions."""

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
