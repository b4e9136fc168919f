"""Random asyncio services: their models against the real event loop, over all interleavings.

    PYTHONPATH=tests:reliability python -m services --services 500 [--locks] [--extra tasks] [--cancel]

Prints a line for each difference, and what was compared. Without locks, outcomes are the same; with locks,
those of the event loop are among those of the model. Serial outcomes of the model are always among those of
the event loop. `--extra limits` adds limits of time, `--extra tasks` tasks beside the handler, `--extra
cancels` such tasks of which some are cancelled, `--extra kept` such tasks whose exceptions `gather` keeps,
`--extra records` dataclasses, lists and a second lock, `--extra lenders` context managers; with
`--cancel` requests are cancelled wherever they wait. `--conformance 20` follows 20 random runs of each
service in its model instead, with four requests each, or two where they have tasks; `--seconds 60` leaves
those out that take longer.
"""

import gc
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator

from seriatim.budget import Deadline, OutOfBudget
from seriatim.frontends.protocol import NO_SETTINGS
from seriatim.frontends.python.conformance import compare
from seriatim.source import InputError, SourceText
from testkit.generators.services import (
    analysed,
    model_outcomes,
    multisets,
    real_outcomes,
    service_text,
)


def differences(seed: int, given: Namespace, counts: Counter[str]) -> Iterator[str]:
    """What differs about one service, in words."""
    settings = {"cancel": "yes"} if given.cancel else NO_SETTINGS
    try:
        source, analysis, program = analysed(service_text(seed, given.locks, given.extra), settings)
    except InputError:
        counts["refused"] += 1
        return
    counts["read"] += 1
    for requests in multisets(program, given.most):
        real, is_all = real_outcomes(analysis, source, requests, settings)
        modelled = model_outcomes(analysis, program, requests)
        counts["combinations of requests"] += 1
        counts["of which not all interleavings"] += not is_all
        if not real <= modelled:
            yield f"{seed}: {requests}: the model lacks {sorted(real - modelled)}"
        if is_all and not given.locks and modelled > real:
            yield f"{seed}: {requests}: the model adds {sorted(modelled - real)}"
        serial, is_all = real_outcomes(analysis, source, requests, settings, is_serial=True)
        alone = model_outcomes(analysis, program, requests, is_serial=True)
        if is_all and not alone <= serial:
            yield f"{seed}: {requests}: the model adds the serial {sorted(alone - serial)}"


def deviations(seed: int, given: Namespace, counts: Counter[str]) -> Iterator[str]:
    """Turns of random runs of one service that its model does not allow, in words."""
    settings = {"cancel": "yes"} if given.cancel else {}
    source = SourceText("service.py", service_text(seed, given.locks, given.extra))
    try:
        found = compare(source, settings, given.conformance, Deadline(given.seconds))
    except InputError:
        counts["refused"] += 1
        return
    except OutOfBudget:
        counts["not finished"] += 1
        return
    counts["read"] += 1
    counts["turns"] += found.turns
    if found.difference is not None:
        yield f"{seed}: {found.difference}"


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--services", type=int, default=100)
    parser.add_argument("--locks", action="store_true")
    parser.add_argument(
        "--extra", choices=["", "limits", "tasks", "cancels", "kept", "records", "lenders"], default=""
    )
    parser.add_argument("--cancel", action="store_true")
    parser.add_argument("--conformance", type=int, default=0, help="random runs of each service")
    parser.add_argument("--seconds", type=float, help="time to follow the runs of one service")
    parser.add_argument("--most", type=int, default=2, help="requests at a time")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.first, given.first + given.services):
        for line in (deviations if given.conformance else differences)(seed, given, counts):
            counts["differences"] += 1
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        gc.collect()
    sys.stdout.write(", ".join(f"{name}: {count}" for name, count in counts.items()) + "\n")


if __name__ == "__main__":
    main()
