"""Recorded answers: what Seriatim says about examples, the paper's inputs and random inputs of all kinds.

    PYTHONPATH=tests:reliability python -m testkit.running.golden_answers

compares all answers with those in tests/golden/answers.tsv; with --accept, it records those of today.
Work is bounded by states, not by time, so an answer does not depend on the machine. Of a violation, the run
is recorded as a digest; of an open question, up to how many requests there is no violation. Proofs may
change: the checker has accepted each one before it gets here.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from differential.subject import drawn
from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.certificate.certificate import Certificate, write
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.all import translate_any
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.deadlock_free import DeadlockFreedom
from seriatim.properties.property import Property
from seriatim.properties.safe import Safety
from seriatim.properties.serializable import Serializability
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Answer, Faulty, Holds, Undecided, Violated
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.outcome import Outcome, Proved, RunBreaks
from seriatim.source import InputError, SourceText
from seriatim.systems.limits import Limits
from testkit.generators.actions import random_actions
from testkit.generators.threads import (
    random_crowd_text,
    random_gate_text,
    random_locking_text,
    random_small_text,
    random_text,
)
from testkit.generators.unbounded import CellMaker, UnboundedMaker

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests" / "golden" / "answers.tsv"
LIMITS = Limits(max_states=400, max_value=30)
TO_RECORD, TO_COMPARE = 1.5, 30.0
"""Seconds of CPU for one answer. What needs more is not recorded; a comparison has much patience."""

QUESTIONS: tuple[Property, ...] = (
    Serializability(),
    Safety(),
    DeadlockFreedom(),
    ConflictSerializability(),
    StrictSerializability(),
    Serializability("all"),
)
OF_THREADS: tuple[Property, ...] = (Safety(), DeadlockFreedom())

SHIPPED = (".ser", ".json", ".sql", ".p4", ".conc", ".c", ".actions")
"""Examples whose front ends read a text and nothing else."""

Record = dict[str, "Answered"]


@dataclass(frozen=True, slots=True)
class Answered:
    """The digest of a text, and the answer."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A text, by the name of its file, and the number of a question about it."""

    name: str
    text: str
    question: int = 0

    @property
    def label(self) -> str:
        return f"{self.name}?{self.question}"

    @property
    def digest(self) -> str:
        return shorten(self.text)

    def answer(self, seconds: float = TO_COMPARE) -> str | None:
        """The answer as a short text; None if it takes too long."""
        deadline = Deadline().of_cpu(seconds)
        try:
            found = self.answer_within(deadline)
            deadline.check()
        except OutOfBudget:
            return None
        except InputError as refused:
            return "refused " + " ".join(sorted({each.code for each in refused.diagnostics}))
        return found

    def answer_within(self, deadline: Deadline) -> str:
        source = SourceText(self.name, self.text)
        if self.name.endswith(".actions"):
            with enforce(deadline):
                return describe_outcome(Decision(parse(source), Settings(), read_proof, deadline).decide())
        content = translate_any(source).content
        is_threads = isinstance(content, ThreadProgram)
        question = (OF_THREADS if is_threads else QUESTIONS)[self.question]
        options = Options(LIMITS, None, max_memory=None, question=question, wants=THE_ANSWER_ALONE)
        if isinstance(content, ThreadProgram):
            result = decide_threads(content, options, source=source, deadline=deadline)
        else:
            result, _ = work_out(content, options, source=source, deadline=deadline)
        return describe_answer(result.answer)


def describe_answer(answer: Answer) -> str:
    match answer:
        case Holds(certificate=certificate):
            return certificate.verdict
        case Violated(certificate=certificate, minimality=minimality, in_flight=number):
            return f"{certificate.verdict} {number} {minimality.name.lower()} {digest_run(certificate)}"
        case Faulty(certificate=certificate):
            return f"{certificate.verdict} {digest_run(certificate)}"
        case Undecided(clean_up_to=clean_up_to):
            return f"unknown {clean_up_to}"
        case other:
            return type(other).__name__


def describe_outcome(outcome: Outcome) -> str:
    match outcome:
        case RunBreaks(certificate=certificate):
            return f"{certificate.verdict} {digest_run(certificate)}"
        case Proved():
            return outcome.certificate.verdict
        case _:
            return f"unknown {shorten(outcome.reason)}"


def digest_run(certificate: Certificate) -> str:
    return shorten(write(certificate))


def shorten(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


def shipped() -> Iterator[Asked]:
    """The examples, and the paper's inputs where they are."""
    for folder in (ROOT / "examples", ROOT.parent / "shared" / "benchmarks"):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in SHIPPED or not path.is_file():
                continue
            name, text = path.relative_to(folder.parent).as_posix(), path.read_text("utf-8")
            several = {".actions": 1, ".conc": len(OF_THREADS), ".c": len(OF_THREADS)}
            for question in range(several.get(path.suffix, 3)):
                yield Asked(name, text, question)


RANDOM_THREADS: tuple[Callable[[int], str], ...] = (
    random_text,
    random_small_text,
    random_locking_text,
    random_crowd_text,
    random_gate_text,
)


def drawn_inputs() -> Iterator[Asked]:
    """2,000 random inputs, always the same ones."""
    for number in range(1_200):
        one = drawn(number)
        yield Asked(
            f"{one.kind}-{number}{one.subject.suffix}", one.subject.text, number // 7 % len(QUESTIONS)
        )
    for number in range(100):
        yield Asked(f"unbounded-{number}.ser", UnboundedMaker(Random(number), 0.3).program(), number % 2)
        yield Asked(f"cells-{number}.ser", CellMaker(Random(number)).program(), number % 2)
        yield Asked(f"random-{number}.actions", random_actions(number))
    for number in range(500):
        make = RANDOM_THREADS[number % len(RANDOM_THREADS)]
        yield Asked(f"{make.__name__}-{number}.conc", make(number), number // 5 % len(OF_THREADS))


def everything() -> list[Asked]:
    return [*shipped(), *drawn_inputs()]


def recorded() -> Record:
    rows = [line.split("\t") for line in RECORDED.read_text("utf-8").splitlines()]
    return {label: Answered(text, answer) for label, text, answer in rows}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Compare answers with tests/golden/answers.tsv.")
    parser.add_argument("--accept", action="store_true", help="record the answers of today instead")
    parser.add_argument("--only", default="", help="a part of the labels")
    options = parser.parse_args(arguments)
    before = {} if options.accept and not options.only else recorded()
    asked = [each for each in everything() if options.accept or each.label in before]
    asked = [each for each in asked if options.only in each.label]
    seconds = [TO_RECORD if options.accept else TO_COMPARE] * len(asked)
    with ProcessPoolExecutor(2) as pool:
        found = zip(asked, pool.map(Asked.answer, asked, seconds, chunksize=8), strict=True)
        today = ((each, answer) for each, answer in found if answer is not None)
        return accept(today, before) if options.accept else compare(today, before)


def accept(today: Iterable[tuple[Asked, str]], before: Record) -> int:
    """Record answers in the order of the questions; those that were not asked again stay."""
    found = before | {each.label: Answered(each.digest, answer) for each, answer in today}
    labels = [each.label for each in everything() if each.label in found]
    rows = (f"{label}\t{found[label].text}\t{found[label].answer}\n" for label in labels)
    RECORDED.write_text("".join(rows), "utf-8")
    return 0


def compare(today: Iterable[tuple[Asked, str]], before: Record) -> int:
    number = changed = 0
    for each, answer in today:
        number += 1
        known = before[each.label]
        if (known.text, known.answer) != (each.digest, answer):
            changed += 1
            sys.stdout.write(f"{each.label}: {known.answer!r} is recorded, {answer!r} found\n")
    sys.stdout.write(f"{number} answers, {changed} changed\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
