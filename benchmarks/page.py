"""Measures what docs/performance.md and docs/comparison.md say, and writes it there: all, or some sections.

python benchmarks/page.py [SECTION | FAMILY]…

Sections are `compile`, `paper`, `random`, `families`, `long`, `arguments` and `jobs`; `models` and
`sanitizers`, which need other tools, are measured only if they are named. With a family, only its rows of the
section `families` are measured again; all others stay as they are.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from families import FAMILIES
from family_table import SIZES, family_table
from peers import models_table, sanitizers_table
from sections import arguments_table, compile_table, jobs_table, long_table, paper_table, random_table

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
COMPARISON = PAGE.with_name("comparison.md")

SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    "compile": compile_table,
    "paper": paper_table,
    "random": random_table,
    "long": long_table,
    "arguments": arguments_table,
    "jobs": jobs_table,
    "models": models_table,
    "sanitizers": sanitizers_table,
}
"""Each yields its table, again and again if that takes long."""

BESIDE_OTHERS = ("models", "sanitizers")
"""Sections of the page that compares with other tools."""

ALL = ("compile", "paper", "random", "families", "long", "arguments", "jobs")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure what docs/performance.md says, and write it there.")
    parser.add_argument(
        "names", nargs="*", choices=[*ALL, *BESIDE_OTHERS, *FAMILIES, []], metavar="SECTION|FAMILY"
    )
    names = parser.parse_args(arguments).names or list(ALL)
    families = [name for name in names if name in FAMILIES]
    for name in ["families"] if families else []:
        measure(name, family_table(section(PAGE.read_text("utf-8"), name), families))
    for name in names:
        if name == "families":
            measure(name, family_table(section(PAGE.read_text("utf-8"), name), list(SIZES)))
        elif name in SECTIONS:
            measure(name, SECTIONS[name]())
    return 0


def measure(name: str, tables: Iterator[str]) -> None:
    for table in tables:
        sys.stdout.write(f"{name}: {table.splitlines()[-1]}\n")
        sys.stdout.flush()
        page = page_of(name)
        page.write_text(renewed(page.read_text("utf-8"), name, table), "utf-8")


def page_of(name: str) -> Path:
    return COMPARISON if name in BESIDE_OTHERS else PAGE


def marks(name: str) -> tuple[str, str]:
    """Between which lines of the page a section stands."""
    return f"<!-- begin: benchmarks/page.py {name} -->", f"<!-- end: benchmarks/page.py {name} -->"


def section(page: str, name: str) -> str:
    """The table of a section."""
    begin, end = marks(name)
    return page[page.index(begin) + len(begin) : page.index(end)].strip() + "\n"


def renewed(page: str, name: str, table: str) -> str:
    """The page with another table in a section."""
    begin, end = marks(name)
    start = page.index(begin) + len(begin)
    return f"{page[:start]}\n\n{table.strip()}\n\n{page[page.index(end) :]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
