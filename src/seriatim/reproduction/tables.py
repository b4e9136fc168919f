"""The paper's tables with our measurements beside its own; as Markdown and as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import mean, median

from seriatim.reproduction.measure import COLUMNS, FEATURES, PaperResult
from seriatim.reproduction.reference import (
    ABLATIONS,
    CONFIGURATIONS,
    NET_SIZES,
    SEMILINEAR_SIZES,
    SUMMARY_MS,
    PaperRow,
    paper_rows,
)

FULL = "BRGS"
NETWORK_CATEGORY = "g"
"""Names of inputs from the category of Table 2 begin with it."""


def report(results: Sequence[PaperResult], timeout: float) -> str:
    """All tables, in the order of the paper."""
    full = [result for result in results if result.configuration == FULL]
    network = [result for result in full if result.name.startswith(NETWORK_CATEGORY)]
    sections = [
        ("Table 1: times to a certificate and in all, in ms", summary_table(full)),
        ("Table 2: network and system protocols", overview_table(network)),
        ("Table 4: all inputs", overview_table(full)),
        ("Figure 15: inputs solved", make_solved_table(results, timeout)),
        ("Figure 16: sizes of nets, on average", slicing_table(full)),
        ("Table 5: sizes of semilinear sets", semilinear_table(results)),
    ]
    return "\n".join(f"## {title}\n\n{table}" for title, table in sections)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def summary_table(full: Sequence[PaperResult]) -> str:
    kinds = {
        "serializable": [result for result in full if result.verdict == "serializable"],
        "not serializable": [result for result in full if result.verdict == "not_serializable"],
        "all": [result for result in full if result.is_solved],
    }
    header = (
        "",
        "inputs",
        *(f"{what} {time}" for what in ("average", "median") for time in ("cert.", "total")),
    )
    rows = []
    for kind, solved in kinds.items():
        certificate = [1000 * result.certificate_seconds for result in solved]
        total = [1000 * result.total_seconds for result in solved]
        figures = [
            f"{pick(times):,.0f}" for pick in (mean, median) for times in (certificate, total) if times
        ]
        rows.append((kind, str(len(solved)), *(figures or ["–"] * 4)))
        rows.append((f"{kind}, in the paper", "", *(f"{figure:,}" for figure in SUMMARY_MS[kind])))
    return markdown(header, rows)


def overview_table(full: Sequence[PaperResult]) -> str:
    header = ("input", "serializable", *FEATURES, "cert. ms", "total ms", "paper: cert. ms", "total ms")
    known = paper_rows()
    rows = []
    for result in sorted(full, key=lambda result: result.name):
        marks = ["✓" if feature in result.features.split(",") else "" for feature in FEATURES]
        row = known.get(result.name.partition("_")[0])  # A name may go on: `g7_guest_list` is of the row g7.
        times = (result.certificate_seconds, result.total_seconds)
        ours = [f"{1000 * seconds:,.0f}" if result.is_solved else "–" for seconds in times]
        rows.append((result.name, verdict_mark(result, row), *marks, *ours, *paper_times(row)))
    return markdown(header, rows)


def verdict_mark(result: PaperResult, row: PaperRow | None) -> str:
    """The verdict; if it is not the paper's, that is said."""
    if not result.is_solved:
        return "open" if result.verdict == "unknown" else "error"
    is_serializable = result.verdict == "serializable"
    mark = "✓" if is_serializable else "✗"
    return mark if row is None or row.is_serializable is is_serializable else f"{mark} (paper: not so)"


def paper_times(row: PaperRow | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    first, second = (
        "time-out" if time is None else f"{time:,}" for time in (row.certificate_ms, row.total_ms)
    )
    return first, second


def make_solved_table(results: Sequence[PaperResult], timeout: float) -> str:
    rows = []
    for configuration in CONFIGURATIONS:
        here = [result for result in results if result.configuration == configuration]
        solved = [result for result in here if result.is_solved]
        share = f"{100 * len(solved) / len(here):.0f} %" if here else "–"
        seconds = sum(result.total_seconds for result in solved)
        rows.append((f"`{configuration}`", f"{len(solved)} of {len(here)}", share, f"{seconds:,.1f}"))
    return markdown(("configuration", f"solved in {timeout:g} s", "", "seconds for these"), rows)


def slicing_table(full: Sequence[PaperResult]) -> str:
    """A table over inputs with at least one question about a disjunct."""
    asked = [
        (result.places or 0, result.transitions or 0, result.sliced_places, result.sliced_transitions or 0.0)
        for result in full
        if result.sliced_places is not None
    ]
    header = ("", "places", "transitions", "paper: places", "transitions")
    if not asked:
        return markdown(header, [])
    rows = []
    for what, first, paper in (("before", 0, NET_SIZES[0]), ("after slicing", 2, NET_SIZES[1])):
        ours = [mean(row[first + offset] or 0 for row in asked) for offset in (0, 1)]
        rows.append((what, *(f"{size:.2f}" for size in (*ours, *paper))))
    return markdown(header, rows)


def semilinear_table(results: Sequence[PaperResult]) -> str:
    """A table over the inputs whose set is known in all these configurations, as in the paper."""
    by_name: dict[str, dict[str, PaperResult]] = {}
    for result in results:
        if result.configuration in ABLATIONS and result.components is not None:
            by_name.setdefault(result.file, {})[result.configuration] = result
    common = [found for found in by_name.values() if len(found) == len(ABLATIONS)]
    header = (
        "configuration",
        *(f"{what} {pick}" for what in ("components", "periods") for pick in ("average", "max")),
        "paper: components average",
        "max",
        "periods average",
        "max",
    )
    rows = []
    for configuration in ABLATIONS:
        here = [found[configuration] for found in common]
        if here:
            components = [result.components or 0 for result in here]
            periods = [result.periods or 0.0 for result in here]
            ours = (
                f"{mean(components):.2f}",
                f"{max(components):,}",
                f"{mean(periods):.2f}",
                str(max(result.max_periods or 0 for result in here)),
            )
        else:
            ours = ("–",) * 4
        rows.append((f"`{configuration}`", *ours, *(f"{f:,}" for f in SEMILINEAR_SIZES[configuration])))
    return markdown(header, rows) + f"\nOver {len(common)} inputs.\n"


def csv_text(results: Sequence[PaperResult]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(result) for result in results)
    return buffer.getvalue()
