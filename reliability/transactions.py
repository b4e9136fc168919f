"""Random SQL transactions: verdicts of `ser check` against all interleavings on a live PostgreSQL.

    PYTHONPATH=tests:reliability python -m transactions --level serializable --first 0 --cases 1000

Each script has two transactions that run at most once, so a verdict is about the interleavings of just these
two. A verdict is *wrong* if it says that no
violation exists and the server shows one, and *not seen* if it names a violation that no interleaving of
whole statements shows. Prints a line for each of these, and what was compared.
"""

from argparse import ArgumentParser
from collections import Counter
from itertools import permutations
from random import Random

from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_about
from seriatim.frontends.protocol import ISOLATION_LEVELS
from seriatim.frontends.sql.frontend import COMPARE, translate
from seriatim.frontends.sql.live.postgres import arena
from seriatim.frontends.sql.live.runs import interleavings, run_serially
from seriatim.frontends.sql.live.server import Server, private_server
from seriatim.frontends.sql.live.text import read_text
from seriatim.result import Holds, Result, Undecided, Violated
from seriatim.source import InputError, SourceText
from testkit.generators.sql import random_script

QUICK = Options(timeout=30.0, wants=frozenset())


def verdict(source: SourceText, level: str) -> Result | None:
    """What `ser check --isolation LEVEL --compare none` says; None if it refuses the script."""
    try:
        return decide_about(translate(source, {"isolation": level, COMPARE: "none"}), source, QUICK)[0]
    except InputError:
        return None


def is_anomalous(source: SourceText, level: str, server: Server) -> bool:
    """Whether the server, in some interleaving, gives answers and rows that no order gives."""
    text = read_text(source.text)
    with arena(server, text, level.replace("-", " ")) as place:
        expected = {run_serially(place, text.calls, order) for order in permutations(range(len(text.calls)))}
        seen = (turns.outcome() for turns in interleavings(place, text.calls))
        return any(each not in expected for each in seen if each is not None)


def compare(seed: int, level: str, server: Server) -> str:
    """What came of one script, in words that are counted."""
    source = SourceText(f"seed-{seed}.sql", random_script(Random(seed), level.replace("-", " ")))
    result = verdict(source, level)
    if result is None:
        return "refused"
    anomalous = is_anomalous(source, level, server)
    match result.answer:
        case Holds():
            return "wrong" if anomalous else "equal: serializable"
        case Violated() if not anomalous:
            return "not seen"
        case Violated():
            confirmed = result.confirmation is not None and result.confirmation.confirmed
            return f"equal: anomalous{'' if confirmed else ', not repeated'}"
        case Undecided():
            return f"undecided, {'anomalous' if anomalous else 'serializable'}"
        case _:
            return "no verdict"


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--level", choices=ISOLATION_LEVELS, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with private_server() as server:
        for seed in range(options.first, options.first + options.cases):
            found = compare(seed, options.level, server)
            counts[found] += 1
            if not found.startswith(("equal", "refused")):
                print(f"{seed}: {found}", flush=True)  # noqa: T201 - a tool for people
            if (seed - options.first) % 50 == 49:
                print(f"up to {seed}: {dict(counts)}", flush=True)  # noqa: T201 - a tool for people
    print(options.level, dict(sorted(counts.items())))  # noqa: T201 - a tool for people
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
