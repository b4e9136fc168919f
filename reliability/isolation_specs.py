"""PostgreSQL's isolation specs: which ones are read, whether their expected outputs agree, what is decided.

    PYTHONPATH=tests:reliability python -m isolation_specs .../src/test/isolation [--seconds 60] [NAME…]

The folder is that of PostgreSQL's sources: `specs` has the specs, `expected` what the isolation tester has to
print. A spec is *read* if `ser check --isolation read-committed` refuses nothing in it. Then each permutation
of the expected output is looked up in the model: some run of the same sessions, taking the same steps, has
to give all clients the rows and errors that are printed. Permutations in which PostgreSQL aborts somebody
are not compared, because aborted transactions start over here. A spec is *faithful* if nothing that was
compared differs. Then it is decided, within so many seconds of CPU.
"""

import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from seriatim.budget import Deadline, OutOfBudget
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_about
from seriatim.frontends.sql.frontend import translate
from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.spec_file import Session, parse_spec, read_spec
from seriatim.frontends.sql.states import Answer, Database, Done, Local
from seriatim.frontends.sql.terms import Moment, New, Value
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import InputError, SourceText

Shown = tuple[tuple[str, ...], ...] | str
"""Rows as a client prints them, sorted; or the code of an error."""

ERRORS = {
    "duplicate key value violates unique constraint": "23505",
    "violates foreign key constraint": "23503",
    "violates check constraint": "23514",
}
IGNORED = "current transaction is aborted"
VOID = re.compile(r"pg_advisory(_xact)?_lock(_shared)?|pg_advisory_unlock_all")
"""Functions that return nothing: here a client is told nothing, either."""
MAX_STATES = 200_000
HIDDEN = "*"
"""Stands for a value of a sequence."""


@dataclass
class Permutation:
    """What the isolation tester prints about one."""

    steps: list[str]
    shown: dict[str, list[Shown]] = field(default_factory=dict)
    """Of each session, in order."""
    is_comparable: bool = True
    """Whether nobody is aborted, and nothing is printed that is not understood."""


def permutations(text: str, sessions: list[Session]) -> Iterator[Permutation]:
    """Those of an expected output."""
    owner = {step: session.name for session in sessions for step in session.steps}
    for block in text.split("\nstarting permutation: ")[1:]:
        lines = block.splitlines()
        found = Permutation([name.strip('"') for name in lines[0].split()])
        current: str | None = None
        for number, line in enumerate(lines):
            if step := re.match(r'step "?([\w-]+)"?: ', line):
                current = owner.get(step[1])
            elif line.startswith("ERROR:"):
                _take_error(found, current, line)
            elif re.fullmatch(r"-+(\+-+)*", line) and not VOID.fullmatch(lines[number - 1].strip()):
                _take_rows(found, current, lines[number + 1 :], line.count("+") + 1)
            elif re.match(r"[\w-]+: (NOTICE|WARNING)|s\d+: ", line):
                found.is_comparable = False
        yield found


def _take_error(found: Permutation, session: str | None, line: str) -> None:
    code = next((code for words, code in ERRORS.items() if words in line), None)
    if IGNORED in line:
        return  # The client sends nothing more to a transaction that has failed.
    if session is None or code is None:
        found.is_comparable = False
    else:
        found.shown.setdefault(session, []).append(code)


def _take_rows(found: Permutation, session: str | None, lines: list[str], width: int) -> None:
    rows: list[tuple[str, ...]] = []
    for line in lines:
        if re.fullmatch(r"\(\d+ rows?\)", line):
            break
        rows.append(tuple(re.sub(r"^(-?\d+)\.0+$", r"\1", cell.strip()) for cell in line.split("|")))
    if session is None or any(len(row) != width for row in rows):
        found.is_comparable = False
    else:
        found.shown.setdefault(session, []).append(tuple(sorted(rows)))


def printed(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "t" if value else "f"
        case New():
            return HIDDEN
        case Moment():
            return re.sub(r"^(\d+)-(\d+)-(\d+)", r"\2-\3-\1", str(value))
        case _:
            return str(value).strip()


def shown(answers: tuple[Answer, ...]) -> list[Shown]:
    """What the isolation tester would print of these answers: no row counts."""
    return [
        each if isinstance(each, str) else tuple(sorted(tuple(map(printed, row)) for row in each))
        for each in answers
        if not isinstance(each, int)
    ]


def is_prefix(given: list[Shown], wanted: list[Shown]) -> bool:
    return len(given) <= len(wanted) and all(map(agree, given, wanted))


def agree(given: Shown, wanted: Shown) -> bool:
    """Whether the same is shown, up to values of sequences."""
    if isinstance(given, str) or isinstance(wanted, str) or len(given) != len(wanted):
        return given == wanted
    hidden = {place for row in given for place, cell in enumerate(row) if cell == HIDDEN}
    kept = [
        sorted(tuple(cell for place, cell in enumerate(row) if place not in hidden) for row in rows)
        for rows in (given, wanted)
    ]
    return kept[0] == kept[1]


def is_possible(machine: Machine, requests: list[int], wanted: list[list[Shown]]) -> bool:
    """Whether a complete run of these requests shows all that; raises `OutOfBudget` after many states.

    Only states are visited in which everybody has seen a part of what is wanted, from its beginning.
    """
    start = (machine.initial(), tuple[Local | Done, ...](machine.start(each) for each in requests))
    seen, pending = {start}, [start]
    while pending:
        database, locals_ = pending.pop()
        ended = [shown(each.answers) for each in locals_ if isinstance(each, Done)]
        if len(ended) == len(locals_) and list(map(len, ended)) == list(map(len, wanted)):
            return True
        for number, local in enumerate(locals_):
            if isinstance(local, Done):
                continue
            for after, there in moves(machine, local, database):
                state: tuple[Database, tuple[Local | Done, ...]] = (
                    there,
                    (*locals_[:number], after, *locals_[number + 1 :]),
                )
                if state not in seen and is_prefix(shown(after.answers), wanted[number]):
                    seen.add(state)
                    pending.append(state)
        if len(seen) > MAX_STATES:
            raise OutOfBudget("too many states")
    return False


def differences(source: SourceText, expected: str, counts: Counter[str]) -> Iterator[str]:
    """The permutations whose output the model does not explain."""
    spec = parse_spec(source)
    machine = Machine(read_spec(source), Level.READ_COMMITTED)
    number_of = {request.name: number for number, request in enumerate(machine.requests)}
    for permutation in permutations(expected, spec.sessions):
        counts["permutations"] += 1
        if not permutation.is_comparable:
            counts["with aborts or messages"] += 1
            continue
        requests, wanted = [], []
        for session in spec.sessions:
            way = tuple(step for step in permutation.steps if step in session.steps)
            if way:
                requests.append(number_of[session.requests(spec.permutations)[way]])
                wanted.append(permutation.shown.get(session.name, []))
        try:
            possible = is_possible(machine, requests, wanted)
        except OutOfBudget:
            counts["too large"] += 1
            continue
        counts["agree" if possible else "differ"] += 1
        if not possible:
            yield " ".join(permutation.steps)


def verdict(source: SourceText, seconds: float) -> str:
    options = Options(timeout=None, wants=frozenset())
    deadline = Deadline().of_cpu(seconds)
    try:
        translation = translate(source, {"isolation": "read-committed"})
        result = decide_about(translation, source, options, deadline=deadline)[0]
    except OutOfBudget:
        return "undecided"
    match result.answer:
        case Holds():
            return "serializable"
        case Violated():
            return "not serializable"
        case Undecided(suspicion=None):
            return "undecided"
        case Undecided():
            return "a violation that --confirm has to repeat"
        case _:
            return "undecided"


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="of specs; all of them if none is given")
    parser.add_argument("--seconds", type=float, default=60.0, help="of CPU, for each decision; 0: none")
    options = parser.parse_args()
    paths = sorted((options.folder / "specs").glob("*.spec"))
    specs, outputs = Counter[str](), Counter[str]()
    for path in paths:
        if options.names and path.stem not in options.names:
            continue
        source = SourceText(path.name, path.read_text("utf-8"))
        outputs_here = Counter[str]()
        try:
            expected = (options.folder / "expected" / f"{path.stem}.out").read_text("utf-8")
            different = list(differences(source, expected, outputs_here))
            found = "differs" if different else "agrees"
            if not different and options.seconds:
                found = verdict(source, options.seconds)
        except InputError as refused:
            different, found = [], "refused"
            print(f"{path.stem}: refused: {refused.diagnostics[0].message}")  # noqa: T201 - a tool for people
        except Refusal as refusal:
            different, found = [], "refused"
            print(f"{path.stem}: refused: {refusal.message}")  # noqa: T201 - a tool for people
        specs[found] += 1
        outputs += outputs_here
        if found != "refused":
            print(f"{path.stem}: {found}; {dict(outputs_here)}", flush=True)  # noqa: T201 - a tool for people
        for each in different[:5]:
            print(f"  not explained: {each}", flush=True)  # noqa: T201 - a tool for people
    print(dict(specs), dict(outputs), sep="\n")  # noqa: T201 - a tool for people
    return 1 if specs["differs"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
