"""Decides the public logs of Porcupine in one process, and compares with the verdicts that its tests expect.

python benchmarks/porcupine_logs.py CHECKOUT

CHECKOUT is a folder with Porcupine's source: its tests name 102 logs of etcd and 6 of a store of texts.
"""

import re
import sys
from pathlib import Path
from time import process_time

from seriatim.budget import Deadline
from seriatim.checking.history.objects import Textbook
from seriatim.history.built_in import find_model
from seriatim.history.decide import NoOrder, Order, Question, decide
from seriatim.history.log import entries_of
from seriatim.history.reading import Format, read_records
from seriatim.history.timed import decide_timed, operations


def expected(checkout: Path) -> list[tuple[Path, str, Format, bool]]:
    """The logs with their models, formats and verdicts."""
    text = (checkout / "porcupine_test.go").read_text("utf-8")
    folder = checkout / "test_data"
    etcd = re.findall(r"checkJepsen\(t, (\d+), (\w+)\)", text)
    kv = re.findall(r'checkKv\(t, "([\w-]+)", (\w+), true\)', text)
    return [
        *(
            (folder / "jepsen" / f"etcd_{int(n):03}.log", "register", Format.JEPSEN_LOG, verdict == "true")
            for n, verdict in etcd
        ),
        *((folder / "kv" / f"{n}.txt", "kv", Format.EDN, verdict == "true") for n, verdict in kv),
    ]


def main(checkout: Path) -> None:
    counts: dict[str, int] = {}
    right: dict[str, int] = {}
    alone: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for path, model, form, is_explained in expected(checkout):
        begun = process_time()
        with path.open(encoding="utf-8") as lines:
            entries = entries_of(read_records(lines, form))
        question = Question(find_model(model, None), Textbook(model, None, is_split=False), model, entries)
        decide_timed(question.model, operations(question.model, entries), Deadline(60))
        alone[model] = alone.get(model, 0.0) + process_time() - begun
        begun = process_time()
        outcome = decide(question, Deadline(60))
        counts[model] = counts.get(model, 0) + 1
        right[model] = right.get(model, 0) + isinstance(outcome, Order if is_explained else NoOrder)
        seconds[model] = seconds.get(model, 0.0) + process_time() - begun
    for model, count in counts.items():
        times = f"{alone[model]:.1f} s of CPU to read and decide, {seconds[model]:.1f} s with evidence"
        sys.stdout.write(f"{model}: {right[model]} of {count} as expected, {times}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
