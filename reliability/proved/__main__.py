"""python -m proved [--rocq] [--as-systems] [--barriers K] [--changes N] [--seed S] FILE-OR-FOLDER…

Decides inputs, has the kernel confirm each verdict, and measures that. With --barriers, the question is
whether they are strictly serializable with so many barriers of time. With --changes, changes the systems
under their evidence N times. Ends with 1 if the kernel refuses what the checker accepts, does not cover it,
or accepts what is wrong.
"""

import argparse
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from proved.changes import attack
from proved.subjects import Subject, subjects
from seriatim.budget import Deadline
from seriatim.export.kernel.claim import NotCovered, kernel_claim
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.runner import Accepted, NoKernel, ask, native_program
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.strict import StrictSerializability

SECONDS = 60.0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="proved", description="Measure the kernel.")
    parser.add_argument("--rocq", action="store_true", help="in Rocq itself, not as a native program")
    parser.add_argument("--as-systems", action="store_true", help="programs as network systems")
    parser.add_argument("--barriers", type=int, help="strict serializability, with so many barriers")
    parser.add_argument("--changes", type=int, default=0, help="how many changed systems to try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("paths", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    question = SERIALIZABILITY if options.barriers is None else StrictSerializability(options.barriers)
    found = list(subjects(options.paths, options.as_systems or options.changes > 0, question))
    undecided = [name for name in found if isinstance(name, str)]
    decided = [subject for subject in found if isinstance(subject, Subject)]
    if undecided:
        sys.stdout.write(f"no certificate: {', '.join(undecided)}\n")
    try:
        failures = measure(decided, KernelKind.ROCQ if options.rocq else KernelKind.NATIVE)
        if options.changes:
            failures += deceive(decided, options.changes, Random(options.seed))
    except NoKernel as reason:
        parser.error(f"{reason}; build it: make proofs")
    return 1 if failures else 0


def measure(decided: list[Subject], kind: KernelKind) -> int:
    """The number of inputs that the kernel does not confirm."""
    failures = 0
    slowest, where = 0.0, ""
    kinds: Counter[str] = Counter()
    for subject in decided:
        try:
            claim = kernel_claim(subject.certificate, subject.content, Deadline(SECONDS), subject.written)
        except NotCovered as reason:
            sys.stdout.write(f"{subject.name}: not covered: {reason}\n")
            failures += 1
            continue
        before = children_seconds()
        answer = ask(kind, claim, Deadline(SECONDS))
        seconds = children_seconds() - before
        if seconds > slowest:
            slowest, where = seconds, subject.name
        kinds[subject.certificate.evidence.kind] += 1
        if not isinstance(answer, Accepted):
            sys.stdout.write(f"{subject.name}: refused: {answer}\n")
            failures += 1
    listed = ", ".join(f"{number} {name}" for name, number in sorted(kinds.items()))
    sys.stdout.write(
        f"{len(decided) - failures} of {len(decided)} confirmed ({kind}): {listed}; "
        f"slowest {slowest * 1000:.0f} ms of processor time ({where})\n"
    )
    return failures


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def deceive(decided: list[Subject], cases: int, random: Random) -> int:
    """The number of changed systems about which the kernel was wrong."""
    tally: Counter[str] = Counter()
    wrong = list(attack(decided, cases, native_program(), random, tally))
    for deceived in wrong:
        sys.stdout.write(f"{deceived.name}, changed: {deceived.verdict} is wrong: {deceived.system}\n")
    listed = ", ".join(f"{number} {name}" for name, number in sorted(tally.items()))
    sys.stdout.write(f"{cases} changed systems: {listed}; {len(wrong)} wrongly accepted\n")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
