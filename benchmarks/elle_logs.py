"""Decides the public histories of elle-cli, and compares with the verdicts that its tests expect.

python benchmarks/elle_logs.py CHECKOUT

CHECKOUT is a folder with elle-cli's source: its `test.sh` names the histories, the models and the verdicts. A
bank begins with the balances of its first read; what is known to be answered otherwise has a reason below.
"""

import re
import sys
from pathlib import Path

from seriatim.budget import Deadline
from seriatim.certificate.history import Comparison
from seriatim.certificate.transactions import Level
from seriatim.deciding.logs import About, AboutLevels, decide_log
from seriatim.frontends.reading import BadInput
from seriatim.history.log import Returned
from seriatim.history.reading import format_by_suffix, read_records
from seriatim.result import Recorded, Undecided
from seriatim.source import InputError

MODELS = {"cas-register": "register", "set-full": "set"}
TRANSACTIONS = ("rw-register", "list-append", "long-fork")

REASONS = {
    "elle/rw-register": "line 4 read 3, which nobody wrote; with an initial value, it is not causal either",
    "jepsen/set_full": "each operation names a key first; the read of key 0 has all its elements. As a set of"
    " pairs it is wrong: no pair was read",
}


def first_balances(path: Path) -> str | None:
    with path.open(encoding="utf-8") as lines:
        for record in read_records(lines, format_by_suffix(path.name)):
            if isinstance(record, Returned) and record.answer is not None and record.answer.startswith("{"):
                return record.answer
    return None


def about(model: str, path: Path, initial: str | None) -> About:
    if model in TRANSACTIONS:
        return AboutLevels(Level.SERIALIZABLE if "gh-30" in path.name or model == "long-fork" else None)
    if model == "bank":
        initial = first_balances(path)
    return Comparison(MODELS.get(model, model), initial, is_keyed=model == "set-full")


def told(model: str, path: Path) -> str:
    """Our verdict: valid, invalid, or why there is none."""
    if not path.exists():
        return "missing in this checkout"
    initial = "0" if model == "counter" else None
    try:
        with path.open(encoding="utf-8") as lines:
            asked = about(model, path, initial)
            result = decide_log(path.name, lines, format_by_suffix(path.name), asked, Deadline(60))
    except (BadInput, InputError) as wrong:
        return f"refused: {wrong}"
    match result.answer:
        case Recorded(holds=True):
            return "valid"
        case Recorded():
            return "invalid"
        case Undecided(reason=reason):
            return f"undecided: {reason}"
        case other:
            return str(other)


def main(checkout: Path) -> None:
    seen: set[str] = set()
    for code, options in re.findall(r'^run_test (\d) "(.+)"$', (checkout / "test.sh").read_text(), re.M):
        words = options.split()
        model, name = words[1], next(word for word in words if word.startswith("histories/"))
        if name in seen:
            continue
        seen.add(name)
        ours, expected = told(model, checkout / name), "invalid" if code == "1" else "valid"
        place = name.removeprefix("histories/")
        reason = REASONS.get(place.rpartition(".")[0], "") if ours != expected else ""
        sys.stdout.write(f"| `{place}` | {expected} | {ours} | {reason} |\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
