"""Writes programs of the families into a folder, with a table of their verdicts.

python benchmarks/generate.py FOLDER [FAMILY[=SIZE,SIZE,…]]…
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from families import FAMILIES, Family
from families.named import family_named

EXPECTED = "expected.tsv"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description="Write programs of the families into a folder, and their verdicts into expected.tsv.",
        epilog="Families: " + ", ".join(FAMILIES),
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "wishes",
        nargs="*",
        type=wish,
        metavar="FAMILY[=SIZE,SIZE,…]",
        help="a family, with its usual sizes unless some are given (default: all families)",
    )
    options = parser.parse_args(arguments)
    wishes = options.wishes or [(family, family.sizes) for family in FAMILIES.values()]
    try:
        write_suite(options.folder, wishes)
    except OSError as error:
        parser.error(f"cannot write to {options.folder}: {error.strerror or error}")
    return 0


def wish(argument: str) -> tuple[Family, tuple[int, ...]]:
    """A family and the sizes to write."""
    name, _, sizes = argument.partition("=")
    family = family_named(name)
    if not sizes:
        return family, family.sizes
    smallest = family.sizes[0]
    numbers = sizes.split(",")
    if not all(number.isdecimal() and int(number) >= smallest for number in numbers):
        raise argparse.ArgumentTypeError(f"sizes of {name} are numbers from {smallest} on, not {sizes!r}")
    return family, tuple(map(int, numbers))


def write_suite(folder: Path, wishes: Sequence[tuple[Family, Sequence[int]]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["file\tserializable\n"]
    for family, sizes in wishes:
        for size in sizes:
            name = family.file_name(size)
            (folder / name).write_text(program_text(family, size), "utf-8")
            rows.append(f"{name}\t{'yes' if family.is_serializable else 'no'}\n")
    (folder / EXPECTED).write_text("".join(rows), "utf-8")


def program_text(family: Family, size: int) -> str:
    """The program, after a comment that says what it is."""
    verdict = "Serializable" if family.is_serializable else "Not serializable"
    return f"// {family.name}, size {size}. {verdict}.\n// {family.summary}\n\n{family.text(size)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
