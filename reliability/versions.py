"""Compares verdicts, runs and certificates with those of another version of the package.

    git worktree add ../seriatim-0.1.0 0c01869    # version 0.1.0
    .venv/bin/python -m reliability.versions ../seriatim-0.1.0 --count 2000

Both versions answer the same questions in turn, each in a process of its own, through the names that both
export: three questions about each example, the paper's benchmarks among them, and about random programs and
network systems. Work is bounded by states, so that answers do not depend on the machine. The last resort is
a limit on the CPU time of one answer, counted apart. Certificates are compared byte for byte, and then as
sets of what their lists contain. How answers differ is kept in a file, and a second run continues there: it
asks about inputs that are not in the file.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from signal import SIGKILL
from threading import Thread

ROOT = Path(__file__).parents[1]
MAX_STATES = 2_000
MAX_VALUE = 20
KEPT = ROOT / "build" / "versions.jsonl"

DECIDE = """
import json, sys
import seriatim
from seriatim import Serializability, StrictSerializability, certificate_text

def answer(text, question):
    try:
        verdict = seriatim.check(text, property=question, **limits)
    except seriatim.BadInput:
        return ["BadInput", None]
    evidence = getattr(verdict, "certificate", None)
    return [type(verdict).__name__, None if evidence is None else certificate_text(evidence)]

max_states, max_value = map(int, sys.argv[1:])
limits = {"timeout": None, "max_memory": None, "max_states": max_states, "max_value": max_value}
questions = (Serializability(), StrictSerializability(), Serializability("all"))
for line in sys.stdin:
    text, number = json.loads(line)
    print(json.dumps(answer(text, questions[number])), flush=True)
"""
"""Answers each text and number of a question with a line: the kind of verdict, and its certificate."""

QUESTIONS = ("serializable", "strict", "final values")

Answer = tuple[str, str | None]


def texts_in(folder: Path) -> Iterator[tuple[str, str]]:
    """The programs and systems in a folder and below it."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".ser", ".json"}:
            yield f"{folder.name}/{path.relative_to(folder)}", path.read_text(encoding="utf-8")


def random_texts() -> Iterator[tuple[str, str]]:
    """Programs of every kind that the tests make, and network systems, in turn."""
    for number, text in enumerate(_random_texts()):
        yield f"random input {number}", text


def _random_texts() -> Iterator[str]:
    sys.path.insert(0, str(ROOT / "tests"))
    from seriatim.program.inputs import canonical_text
    from testkit.generators.counters import CounterMaker
    from testkit.generators.handlers import HandlerMaker
    from testkit.generators.locked_steps import random_locked_steps
    from testkit.generators.nested import NestedMaker
    from testkit.generators.optimists import OptimistMaker
    from testkit.generators.programs import ProgramMaker
    from testkit.generators.systems import SETTINGS, random_system

    seed = 0
    while True:
        seed += 1
        random = Random(seed)
        modulus, odd = random.choice([2, 3]), random.choice([0.0, 0.2, 0.5])
        handlers = random.randint(1, 2)
        yield canonical_text(ProgramMaker(random, modulus, odd).program(handlers, random.randint(2, 5)))
        yield canonical_text(random_system(random, random.choice(SETTINGS), random.choice([0.0, 0.2, 0.5])))
        yield canonical_text(CounterMaker(random).program(handlers, random.randint(1, 3)))
        yield canonical_text(NestedMaker(random).program(handlers, random.randint(2, 4)))
        yield canonical_text(random_locked_steps(random))
        yield HandlerMaker(seed).program()
        yield OptimistMaker(random).program(handlers)


class Version:
    """A version of the package, which answers in a process of its own."""

    def __init__(self, checkout: Path, seconds: int) -> None:
        self._checkout = checkout
        self._seconds = seconds
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-c", DECIDE, str(MAX_STATES), str(MAX_VALUE)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(self._checkout / "src")},
        )
        self._lines: SimpleQueue[str] = SimpleQueue()
        Thread(target=self._listen, args=(self._process, self._lines), daemon=True).start()

    @staticmethod
    def _listen(process: subprocess.Popen[str], lines: SimpleQueue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    def answers(self, text: str) -> list[Answer]:
        """What this version says about a text, question by question."""
        return [self._answer(text, question) for question in range(len(QUESTIONS))]

    def _answer(self, text: str, question: int) -> Answer:
        """The answer to one question; who takes too long, or crashes, starts again."""
        process = self._process
        assert process.stdin is not None
        process.stdin.write(json.dumps([text, question]) + "\n")
        process.stdin.flush()
        ends = cpu_seconds(process.pid) + self._seconds
        while True:
            with suppress(Empty):
                line = self._lines.get(timeout=0.2)
                break
            if cpu_seconds(process.pid) > ends:
                process.kill()
        if line:
            verdict, certificate = json.loads(line)
            return verdict, certificate
        is_late = process.wait() == -SIGKILL
        self._start()
        return "no answer in time" if is_late else "no answer: a crash", None


def cpu_seconds(process: int) -> float:
    """What a process has used so far; all of time, if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except FileNotFoundError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def unordered(value: object) -> object:
    """JSON without the order of lists."""
    match value:
        case dict():
            return {key: unordered(each) for key, each in value.items()}
        case list():
            return sorted((unordered(each) for each in value), key=json.dumps)
        case _:
            return value


def difference(old: Answer, new: Answer) -> str:
    """How two answers differ."""
    if old[0] != new[0]:
        return f"{old[0]} is now {new[0]}"
    if old[1] == new[1]:
        return "same"
    if old[1] is None or new[1] is None:
        return "one has no certificate"
    before, after = json.loads(old[1]), json.loads(new[1])
    if before["kind"] != after["kind"]:
        return f"evidence of the kind {before['kind']} is now {after['kind']}"
    return (
        "same entries in another order"
        if unordered(before) == unordered(after)
        else f"another {after['kind']}"
    )


def compare(checkout: Path, folder: Path, count: int, seconds: int, kept: Path) -> None:
    """Adds to a file how the answers about each input differ, for inputs that it does not have."""
    known = {name for name, _ in read_kept(kept)}
    texts = [*texts_in(folder), *islice(random_texts(), count)]
    versions = [Version(each, seconds) for each in (checkout, ROOT)]
    kept.parent.mkdir(exist_ok=True)
    with kept.open("a", encoding="utf-8") as file:
        for name, text in texts:
            if name in known:
                continue
            old, new = (each.answers(text) for each in versions)
            found = [
                (question, after[0], difference(before, after))
                for question, before, after in zip(QUESTIONS, old, new, strict=True)
            ]
            file.write(json.dumps([name, found]) + "\n")
            file.flush()


def read_kept(kept: Path) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """For each input its name, and for each question the verdict now and how the answers differ."""
    return [json.loads(line) for line in kept.read_text("utf-8").splitlines()] if kept.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path, help="of the other version")
    parser.add_argument("--folder", type=Path, default=ROOT / "examples", help="of programs and systems")
    parser.add_argument("--count", type=int, default=2_000, help="of random inputs")
    parser.add_argument("--seconds", type=int, default=120, help="of CPU time for one answer")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of answers")
    parser.add_argument("--show", action="store_true", help="which inputs differ")
    given = parser.parse_args()
    compare(given.checkout, given.folder, given.count, given.seconds, given.kept)
    inputs = read_kept(given.kept)
    answers = [(name, *each) for name, found in inputs for each in found]
    verdicts = Counter(verdict for _, _, verdict, _ in answers)
    kinds = Counter(kind for *_, kind in answers)
    if given.show:
        for name, question, _, kind in answers:
            if kind != "same":
                sys.stdout.write(f"{name}, {question}: {kind}\n")
    sys.stdout.write(f"{len(inputs)} inputs, {len(answers)} answers: {dict(verdicts)}\n")
    for kind, number in kinds.most_common():
        sys.stdout.write(f"{number:6} {kind}\n")
    return int(any("is now" in kind and "kind" not in kind for kind in kinds))


if __name__ == "__main__":
    sys.exit(main())
