"""The paper's figures (Tables 1, 4 and 5, Figure 16), for comparison with our measurements."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CONFIGURATIONS = ("----", "B---", "-R--", "--G-", "---S", "BRGS")
"""The configurations of Figure 15."""

ABLATIONS = ("BRGS", "B-GS", "BR-S", "BRG-")
"""The ablations of Table 5."""

SEMILINEAR_SIZES = {
    "BRGS": (2.91, 22, 1.33, 4),
    "B-GS": (8.79, 194, 1.64, 11),
    "BR-S": (651.41, 20_484, 1.28, 15),
    "BRG-": (2.91, 22, 1.35, 4),
}
"""Table 5: components on average and at most, periods a component on average and at most."""

NET_SIZES = ((23.91, 37.3), (12.79, 12.61))
"""Figure 16: places and transitions on average, before and after slicing."""

SUMMARY_MS = {
    "serializable": (2_273, 25_531, 1_178, 2_239),
    "not serializable": (42_076, 42_980, 773, 830),
    "all": (19_079, 32_898, 773, 1_909),
}
"""Table 1: average time to a certificate and in all, median time to a certificate and in all."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of Table 4; times are None where the paper's tool ran into its limit of 500 s."""

    is_serializable: bool
    certificate_ms: int | None
    total_ms: int | None


@cache
def paper_rows() -> dict[str, PaperRow]:
    """The rows, by the name of the input without its suffix."""
    text = files("seriatim.reproduction").joinpath("paper_results.tsv").read_text("utf-8")
    rows: dict[str, PaperRow] = {}
    for line in text.splitlines()[1:]:
        name, serializable, *times = line.split("\t")
        certificate, total = (int(time) if time.isdigit() else None for time in times)
        rows[name.partition(".")[0]] = PaperRow(serializable == "yes", certificate, total)
    return rows
