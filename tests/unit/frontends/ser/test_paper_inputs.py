"""The programs of the paper: its benchmarks and its listings, repaired where the scan lost indentation."""

import re
from pathlib import Path

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program, global_names, initial_globals

SHARED = Path(__file__).parents[5] / "shared"
BENCHMARKS = sorted((SHARED / "benchmarks").glob("*.ser"))
PAPERS = sorted((SHARED / "papers").glob("000*.txt"))

needs_benchmarks = pytest.mark.skipif(
    not BENCHMARKS, reason="the paper's benchmarks are not next to the checkout"
)
needs_paper = pytest.mark.skipif(not PAPERS, reason="the paper is not next to the checkout")

_LISTING = re.compile(r"^```\n((?:(?!^```).*\n)*?)^```\n\nListing 1\.(\d+):", re.MULTILINE)


def listings() -> dict[int, str]:
    """The listings of the paper by number, as programs."""
    found = {int(number): text for text, number in _LISTING.findall(PAPERS[0].read_text("utf-8"))}
    for number in (1, 2, 3):
        found[number] = re.sub(r"^\d+", lambda match: " " * len(match[0]), found[number], flags=re.MULTILINE)
    found[6] = _outside_the_loop(found[6])
    found[11] = _with_dual_request(found[11])
    found[12] = _with_indented_bodies(found[12])
    return found


def _outside_the_loop(text: str) -> str:
    """The update and the `return` follow the loop; the scan shows them as a part of it."""
    return re.sub(r"^    (X := .*|return X)$", r"  \1", text, flags=re.MULTILINE)


def _with_dual_request(text: str) -> str:
    """The elided handler is the other one with east and west exchanged."""
    (west,) = re.findall(r"^request route_west:\n(?:  .*\n)*", text, flags=re.MULTILINE)
    swap = {"west": "east", "east": "west", "1": "2", "2": "1", "0": "3", "3": "0"}
    code = re.sub(r"//.*", "", west)
    dual = re.sub(
        r"west|east|(?<=current := )\d|(?<=current == )\d", lambda match: swap[match[0]], code
    ).replace("B == 1", "B == 0")
    return re.sub(r"^request route_east: \.\.\..*\n", lambda _: dual, text, flags=re.MULTILINE)


def _with_indented_bodies(text: str) -> str:
    """The bodies, and the block of the outer `if`, stand one level deeper than the scan shows them."""
    lines, in_handler, in_outer_if = [], False, False
    for line in text.splitlines():
        if line.startswith("request"):
            in_handler, in_outer_if = True, False
            lines.append(line)
            continue
        if line.startswith("return"):
            in_outer_if = False
        lines.append("    " * (in_handler + in_outer_if) + line)
        if line.startswith("if (n_1"):
            in_outer_if = True
    return "\n".join(lines) + "\n"


def assert_survives_both_styles(program: Program) -> None:
    for style in Style:
        assert parse(print_program(program, style)) == program


@needs_benchmarks
def test_all_benchmarks_are_here() -> None:
    assert len(BENCHMARKS) == 43


@needs_benchmarks
@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_parses_and_survives_both_styles(path: Path) -> None:
    assert_survives_both_styles(parse(path.read_text("utf-8")))


@needs_paper
def test_all_listings_are_found() -> None:
    assert sorted(listings()) == list(range(1, 13))


@needs_paper
@pytest.mark.parametrize("number", range(1, 13))
def test_a_listing_parses_and_survives_both_styles(number: int) -> None:
    assert_survives_both_styles(parse(listings()[number]))


@needs_paper
def test_listings_mean_what_their_text_says() -> None:
    """Some facts that a wrong reading of the layout would change."""
    programs = {number: parse(text) for number, text in listings().items()}
    assert programs[2] == parse("request main { X := 1; yield; y := X; X := 0; return y }")
    assert programs[3] == parse(
        "request main { while (L == 1) { yield }; L := 1; X := 1; yield; y := X; X := 0; L := 0; return y }"
    )
    assert programs[6].handlers == (
        parse(
            "request incr { while (X == 3) { yield }; X := X + 1; return X }"
            "request decr { while (X == 0) { yield }; X := X - 1; return X }"
        ).handlers
    )
    assert initial_globals(programs[10]) == {"A": 100, "B": 50}
    assert [handler.name for handler in programs[11].handlers] == [
        "policy_update",
        "route_west",
        "route_east",
    ]
    assert global_names(programs[11]) == ("B",)
    assert print_program(programs[12], Style.BRACES) == print_program(
        parse(
            "N_1_ACTIVE := 1, N_2_ACTIVE := 1;"
            "request main {"
            "  n_1_active_snapshot := N_1_ACTIVE; n_2_active_snapshot := N_2_ACTIVE; yield;"
            "  if (n_1_active_snapshot == 1 && n_2_active_snapshot == 1) {"
            "    if (?) { N_1_ACTIVE := 0 } else { N_2_ACTIVE := 0 }"
            "  };"
            "  return N_1_ACTIVE + N_2_ACTIVE"
            "}"
            "request activate_n1 { N_1_ACTIVE := 1 }"
            "request activate_n2 { N_2_ACTIVE := 1 }"
        ),
        Style.BRACES,
    )
