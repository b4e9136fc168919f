"""python -m differential [--minutes M | --cases N] [--first NUMBER] [--only COMPARISON]
                       [--output FOLDER] [--cluster ADDRESS] [FILE…]

Fuzzes for some time, or examines files, such as those that an earlier session has saved. Ends with 1 if
there is a contradiction.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from random import SystemRandom
from time import monotonic

from differential.elsewhere import session_on
from differential.facts import THOROUGH
from differential.session import COMPARISONS, Finding, Tally, examine, session
from differential.subject import Subject
from differential.summary import finding_text, summary
from seriatim.cluster.address import read_address
from seriatim.cluster.client import join_cluster
from seriatim.frontends.all import read_input
from seriatim.source import InputError

SHRINK_SECONDS = 120.0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="differential", description="Look for contradictions.")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default: 1)")
    parser.add_argument("--cases", type=int, help="how many cases, instead of how long")
    parser.add_argument("--first", type=int, help="the number of the first case, or of each file")
    parser.add_argument("--only", choices=COMPARISONS, help="what to compare (default: everything)")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="where findings go")
    parser.add_argument("--cluster", type=read_address, help="have cases examined there, such as local:4")
    parser.add_argument("files", nargs="*", type=Path, help="examine these instead of random cases")
    options = parser.parse_args(arguments)
    comparisons = COMPARISONS if options.only is None else (options.only,)
    if options.files:
        try:
            return examine_files(options.files, options.first or 0, comparisons)
        except (OSError, UnicodeDecodeError, InputError) as error:
            parser.error(str(error))
    first = SystemRandom().randrange(10**9) if options.first is None else options.first
    ends = monotonic() + 60 * options.minutes
    last = None if options.cases is None else first + options.cases
    cases = numbers(first, last, ends)
    if options.cluster is None:
        here = partial(session, cases, THOROUGH, SHRINK_SECONDS, comparisons=comparisons)
        return fuzz(here, options.output)
    with join_cluster(options.cluster) as crew:
        there = partial(session_on, crew, cases, SHRINK_SECONDS, comparisons=tuple(comparisons))
        return fuzz(there, options.output)


def numbers(first: int, last: int | None, ends: float) -> Iterator[int]:
    for number in count(first):
        if monotonic() > ends if last is None else number >= last:
            return
        yield number


def fuzz(examined: Callable[[Tally], Iterator[Finding]], folder: Path) -> int:
    tally = Tally()
    try:
        for finding in examined(tally):
            sys.stdout.write(finding_text(finding, save(finding, folder)))
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stdout.write("Interrupted.\n")
    sys.stdout.write(summary(tally))
    return 1 if tally.findings else 0


def save(finding: Finding, folder: Path) -> Path:
    """The subject as it was drawn, the small one, and what is wrong with it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{finding.comparison}-{finding.drawn.subject.number}"
    small = folder / f"{name}{finding.small.suffix}"
    (folder / f"{name}.drawn{finding.small.suffix}").write_text(finding.drawn.subject.text, "utf-8")
    (folder / f"{name}.txt").write_text(finding_text(finding, small), "utf-8")
    small.write_text(finding.small.text, "utf-8")
    return small


def examine_files(files: Sequence[Path], number: int, comparisons: Iterable[str]) -> int:
    is_clean = True
    for file in files:
        subject = Subject(file.read_text("utf-8"), file.suffix == ".json", number)
        read_input(subject.source)  # What cannot be read is no finding.
        for comparison, found in examine(subject, THOROUGH, comparisons):
            is_clean = False
            sys.stdout.write(f"{file}: {comparison}: {found.kind}\n{found.details}\n")
    sys.stdout.write("No contradiction.\n" if is_clean else "")
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
