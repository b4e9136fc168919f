"""Pictures: well-formed, with a mark for each input and none for a wrong verdict among the solved."""

from xml.etree import ElementTree

import pytest

from seriatim.bench.plots import cactus, scatter
from seriatim.bench.result import Outcome
from seriatim.bench.score import Graded, grade
from seriatim.bench.svg import BOTTOM, RIGHT, TOP, TimeAxis
from testkit.inputs.bench_results import reference, result

SVG = "{http://www.w3.org/2000/svg}"

KNOWN = reference(("a<&>.ser", True, 0.1), ("b.ser", True, 1.0), ("c.ser", False, None), name='"<&>\x01"')


def graded(*found: tuple[str, Outcome, float]) -> list[Graded]:
    return [grade(result(*each), [KNOWN]) for each in found]


SUITE = graded(
    ("a<&>.ser", Outcome.SERIALIZABLE, 0.01),
    ("b.ser", Outcome.NOT_SERIALIZABLE, 0.02),
    ("c.ser", Outcome.UNKNOWN, 60.0),
    ("d.ser", Outcome.SERIALIZABLE, 0.0),
)


def points(picture: str, kind: str) -> list[tuple[float, float]]:
    """Of the curve, which comes before its legend."""
    curves = [
        line for line in ElementTree.fromstring(picture).iter(f"{SVG}polyline") if line.get("class") == kind
    ]
    pairs = [pair.split(",") for pair in (curves[0].get("points") or "").split()]
    return [(float(x), float(y)) for x, y in pairs]


def test_a_cactus_has_a_point_for_each_solved_input_and_none_for_wrong_ones() -> None:
    picture = cactus(SUITE, KNOWN)
    assert len(points(picture, "ours")) == 2
    assert len(points(picture, "theirs")) == 2
    heights = [y for _, y in points(picture, "ours")]
    assert heights == sorted(heights, reverse=True)
    assert "now: 2 of 4" in picture


def test_a_cactus_of_nothing_is_a_picture_too() -> None:
    assert ElementTree.fromstring(cactus([], None)).tag == f"{SVG}svg"


def test_a_scatter_plot_marks_what_both_know_and_puts_the_unsolved_on_the_border() -> None:
    root = ElementTree.fromstring(scatter(SUITE, KNOWN))
    (circle,) = root.iter(f"{SVG}circle")
    assert circle.findtext(f"{SVG}title") == "a<&>.ser: serializable"
    (wrong,) = root.iter(f"{SVG}polygon")
    assert wrong.get("class") == "theirs"
    assert f",{TOP - 4:.1f} " in (wrong.get("points") or "")
    (cross,) = root.iter(f"{SVG}path")
    assert (cross.get("d") or "").startswith(f"M{RIGHT - 4:.1f} {TOP - 4:.1f}")


def test_names_cannot_break_the_picture() -> None:
    for picture in (cactus(SUITE, KNOWN), scatter(SUITE, KNOWN)):
        assert ElementTree.fromstring(picture).findtext(f"{SVG}title")


@pytest.mark.parametrize("times", [[], [0.0], [1.0], [0.01, 350.0], [-1.0, 1e30]])
def test_an_axis_holds_its_times_and_has_a_few_labels(times: list[float]) -> None:
    axis = TimeAxis.over(times, BOTTOM, TOP)
    for time in times:
        assert TOP - 0.01 <= axis.position(time) <= BOTTOM + 0.01
    assert 2 <= len(list(axis.ticks())) <= 10


def test_powers_of_ten_are_labelled_in_the_unit_that_suits_them() -> None:
    assert [label for _, label in TimeAxis(-3, 1, 0, 100).ticks()] == [
        "1 ms",
        "10 ms",
        "0.1 s",
        "1 s",
        "10 s",
    ]
