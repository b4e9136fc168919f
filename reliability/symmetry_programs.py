"""Compares what is found up to symmetry with what is found without, on random programs that use indices.

python reliability/symmetry_programs.py FIRST LAST [COUNT] [--held]

For each seed: the symmetry maps all outcomes and the serial ones of two requests onto themselves, closures of
orbits and of all states have the same pairs, searches find violations with as few requests, the checker
accepts every proof, and no search contradicts one. COUNT is how many indices there are. With `--held`,
variables and answers hold indices.
"""

import sys
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

HELD = "--held"


def main(first: int, last: int, count: int, held: bool) -> None:
    from seriatim.frontends.ser.parser import parse
    from testkit.generators.holders import holding_program
    from testkit.generators.indices import indexed_program
    from testkit.oracles.symmetry_comparisons import (
        compare_closures,
        compare_images,
        compare_searches,
        compare_verdicts,
    )

    found: Counter[str] = Counter()
    began = process_time()
    for seed in range(first, last):
        program = parse((holding_program if held else indexed_program)(Random(seed), count))
        found["outcomes compared"] += compare_images(program)
        for is_serial in (False, True):
            found["closures compared"] += compare_closures(program, is_serial)
        compare_searches(program)
        found[compare_verdicts(program)] += 1
    figures = ", ".join(f"{number:,} {words}" for words, number in sorted(found.items()))
    sys.stdout.write(f"{last - first:,} programs: {figures}; {process_time() - began:.0f} s of CPU\n")


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:] if argument != HELD]
    main(numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 3, HELD in sys.argv)
