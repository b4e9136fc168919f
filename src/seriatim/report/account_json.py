"""The account of a log as JSON, both ways; see `result.schema.json`."""

from typing import Any

from seriatim.explain.account import Account, Bar, Finding, Reason

Json = dict[str, Any]


def account_json(account: Account) -> Json:
    return {
        "size": account.size,
        "findings": [{"text": each.text, "holds": each.holds} for each in account.findings],
        "reasons": [
            {"title": each.title, "lines": list(each.lines), "entries": [_bar_json(bar) for bar in each.bars]}
            for each in account.reasons
        ],
        "facts": dict(account.facts),
    }


def _bar_json(bar: Bar) -> Json:
    return {"line": bar.line, "process": bar.lane, "text": bar.text, "start": bar.start, "end": bar.end}


def account_from(found: Json) -> Account:
    return Account(
        found["size"],
        tuple(Finding(each["text"], each["holds"]) for each in found["findings"]),
        tuple(map(_reason_from, found["reasons"])),
        found["facts"],
    )


def _reason_from(found: Json) -> Reason:
    bars = (
        Bar(each["line"], each["process"], each["text"], each["start"], each["end"])
        for each in found["entries"]
    )
    return Reason(found["title"], tuple(found["lines"]), tuple(bars))
